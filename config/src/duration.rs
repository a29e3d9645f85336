//! Durations as text: always with a unit, always an exact number of nanoseconds.

use crate::source::plain;

/// The longest duration that is accepted, ns: one day. Nothing in a quote engine waits longer, and
/// sums of a few such values stay far inside `u64`.
pub const DURATION_NS_MAX: u64 = 24 * 3_600_000_000_000;

/// The units, longest first, with their length in ns.
const UNITS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Why a text is no duration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseDurationError {
    /// A number alone.
    #[error("a duration needs a unit, this one has none")]
    NoUnit,
    /// Something else than a number and a unit.
    #[error("this is not a duration")]
    NotADuration,
    /// White space before, inside or after.
    #[error("a duration has no space in it")]
    Space,
    /// A number and an unknown unit.
    #[error("`{unit}` is not a unit of time")]
    UnknownUnit {
        /// What stands after the number.
        unit: String,
    },
    /// Below zero.
    #[error("a duration cannot be negative")]
    Negative,
    /// Zero, where zero means nothing.
    #[error("a duration of zero is refused here")]
    Zero,
    /// Not a whole number of nanoseconds.
    #[error("a duration cannot be finer than 1 ns")]
    TooFine,
    /// Above [`DURATION_NS_MAX`].
    #[error("a duration cannot be longer than 24h")]
    TooLong,
}

impl ParseDurationError {
    /// What to write instead of `text`, which was refused for this reason.
    #[must_use]
    pub fn help(&self, text: &str) -> String {
        let trimmed = text.trim();
        match self {
            Self::NoUnit => format!("write \"{}ms\" if milliseconds are meant", plain(trimmed)),
            Self::Space => match join_words(text) {
                Some(joined) => format!("write \"{joined}\""),
                None => Self::NotADuration.help(text),
            },
            Self::UnknownUnit { unit } => match nearest_unit(unit) {
                Some(known) => {
                    format!(
                        "write \"{}{known}\"",
                        trimmed.strip_suffix(unit.as_str()).unwrap_or("")
                    )
                }
                None => "the units are ns, us, ms, s, m and h".into(),
            },
            Self::NotADuration => "write a number and a unit, such as \"200ms\"".into(),
            Self::Negative | Self::Zero => "write a duration above zero, such as \"200ms\"".into(),
            Self::TooFine => "write a whole number of ns, such as \"100ns\"".into(),
            Self::TooLong => "write at most \"24h\"".into(),
        }
    }
}

/// `text` without its spaces, where that is a duration.
fn join_words(text: &str) -> Option<String> {
    let joined: String = text.split_whitespace().collect();
    parse_duration_or_zero(&joined).ok().map(|_| joined)
}

/// The unit that someone who writes `unit` means.
fn nearest_unit(unit: &str) -> Option<&'static str> {
    match unit.to_lowercase().as_str() {
        "h" | "hr" | "hour" | "hours" => Some("h"),
        "m" | "min" | "mins" | "minute" | "minutes" => Some("m"),
        "s" | "sec" | "secs" | "second" | "seconds" => Some("s"),
        "ms" | "msec" | "msecs" | "millis" | "milliseconds" => Some("ms"),
        "us" | "µs" | "μs" | "usec" | "micros" | "microseconds" => Some("us"),
        "ns" | "nsec" | "nanos" | "nanoseconds" => Some("ns"),
        _ => None,
    }
}

/// The duration that `text` is, in ns: a decimal number directly followed by `ns`, `us`, `ms`,
/// `s`, `m` or `h`, above zero and at most [`DURATION_NS_MAX`].
///
/// ```
/// use freshlane_config::parse_duration;
///
/// assert_eq!(parse_duration("200ms"), Ok(200_000_000));
/// assert_eq!(parse_duration("0.2s"), Ok(200_000_000));
/// assert!(parse_duration("200").is_err());
/// ```
///
/// # Errors
/// [`ParseDurationError`] for anything else.
pub fn parse_duration(text: &str) -> Result<u64, ParseDurationError> {
    match parse_duration_or_zero(text)? {
        0 => Err(ParseDurationError::Zero),
        ns => Ok(ns),
    }
}

/// As [`parse_duration`], but zero (with a unit: `0ms`) is a duration too.
///
/// # Errors
/// [`ParseDurationError`], never [`ParseDurationError::Zero`].
pub fn parse_duration_or_zero(text: &str) -> Result<u64, ParseDurationError> {
    if text.chars().any(char::is_whitespace) {
        return Err(ParseDurationError::Space);
    }
    if text.starts_with('-') {
        let is_number = text.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        let negative = ParseDurationError::Negative;
        return Err(if is_number { negative } else { ParseDurationError::NotADuration });
    }
    let unit_start = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_start);
    let number = Decimal::parse(number).ok_or(ParseDurationError::NotADuration)?;
    number.times(unit_ns(unit)?)
}

fn unit_ns(unit: &str) -> Result<u64, ParseDurationError> {
    if unit.is_empty() {
        return Err(ParseDurationError::NoUnit);
    }
    let known = UNITS.iter().find(|(name, _)| *name == unit);
    known.map(|&(_, ns)| ns).ok_or_else(|| ParseDurationError::UnknownUnit { unit: plain(unit) })
}

/// A decimal number: the digits before the point, and those after it without trailing zeros.
struct Decimal<'a> {
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    /// `12`, `12.5`; no sign, and a digit on both sides of a point.
    fn parse(text: &'a str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let whole = whole.trim_start_matches('0');
        Some(Self { whole, fraction: fraction.trim_end_matches('0') })
    }

    /// The number of ns, where the number counts units of `unit_ns`.
    fn times(&self, unit_ns: u64) -> Result<u64, ParseDurationError> {
        // Beyond these lengths the number is out of range, and below them nothing overflows u128.
        if self.whole.len() > 15 {
            return Err(ParseDurationError::TooLong);
        }
        if self.fraction.len() > 15 {
            return Err(ParseDurationError::TooFine);
        }
        let scale = (0..self.fraction.len()).fold(1_u128, |scale, _| scale * 10);
        let fraction_ns = digits(self.fraction) * u128::from(unit_ns);
        if !fraction_ns.is_multiple_of(scale) {
            return Err(ParseDurationError::TooFine);
        }
        let ns = digits(self.whole) * u128::from(unit_ns) + fraction_ns / scale;
        u64::try_from(ns)
            .ok()
            .filter(|ns| *ns <= DURATION_NS_MAX)
            .ok_or(ParseDurationError::TooLong)
    }
}

/// The number that at most 15 ASCII digits are.
fn digits(text: &str) -> u128 {
    text.bytes().fold(0, |number, digit| number * 10 + u128::from(digit - b'0'))
}

/// A duration of `ns` as text: a whole number of the longest unit that is exact.
///
/// ```
/// use freshlane_config::format_duration;
///
/// assert_eq!(format_duration(200_000_000), "200ms");
/// assert_eq!(format_duration(1_500_000), "1500us");
/// ```
#[must_use]
pub fn format_duration(ns: u64) -> String {
    if ns == 0 {
        return "0ms".into();
    }
    let exact = UNITS.iter().find(|(_, unit_ns)| ns.is_multiple_of(*unit_ns));
    let (unit, unit_ns) = exact.copied().unwrap_or(("ns", 1));
    format!("{}{unit}", ns / unit_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_number_with_a_unit_is_a_duration() {
        for (text, ns) in [
            ("200ms", 200_000_000),
            ("0.2s", 200_000_000),
            ("2s", 2_000_000_000),
            ("300us", 300_000),
            ("200us", 200_000),
            ("100ns", 100),
            ("1.0ns", 1),
            ("5m", 300_000_000_000),
            ("24h", DURATION_NS_MAX),
            ("007ms", 7_000_000),
            ("0.000000001s", 1),
            ("1.50ms", 1_500_000),
        ] {
            assert_eq!(parse_duration(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn everything_else_is_refused_with_its_reason_and_what_to_write() {
        use ParseDurationError::{Negative, NoUnit, NotADuration, Space, TooFine, TooLong, Zero};
        for (text, error, help) in [
            ("200", NoUnit, "\"200ms\""),
            ("1.5", NoUnit, "\"1.5ms\""),
            ("", NotADuration, "\"200ms\""),
            ("soon", NotADuration, "\"200ms\""),
            ("ms", NotADuration, "\"200ms\""),
            (".5s", NotADuration, "\"200ms\""),
            ("5.s", NotADuration, "\"200ms\""),
            ("1.2.3s", NotADuration, "\"200ms\""),
            ("+5s", NotADuration, "\"200ms\""),
            ("٣s", NotADuration, "\"200ms\""),
            ("5 m", Space, "\"5m\""),
            (" 5m", Space, "\"5m\""),
            ("very soon", Space, "\"200ms\""),
            ("-1", Negative, "above zero"),
            ("-5ms", Negative, "above zero"),
            ("--5ms", Negative, "above zero"),
            ("-soon", NotADuration, "\"200ms\""),
            ("0ms", Zero, "above zero"),
            ("0.0s", Zero, "above zero"),
            ("0.1ns", TooFine, "whole number of ns"),
            ("0.0000000001s", TooFine, "whole number of ns"),
            ("0.00000000000000000001s", TooFine, "whole number of ns"),
            ("25h", TooLong, "\"24h\""),
            ("99999999999999999999999999999999999999999h", TooLong, "\"24h\""),
        ] {
            assert_eq!(parse_duration(text), Err(error.clone()), "{text}");
            assert!(error.help(text).contains(help), "{text}: {}", error.help(text));
        }
    }

    #[test]
    fn an_unknown_unit_is_answered_with_the_known_one() {
        for (text, help) in [
            ("200msec", "\"200ms\""),
            ("5MS", "\"5ms\""),
            ("5µs", "\"5us\""),
            ("1.5min", "\"1.5m\""),
            ("3d", "the units are"),
        ] {
            let error = parse_duration(text).unwrap_err();
            assert!(matches!(error, ParseDurationError::UnknownUnit { .. }), "{text}");
            assert!(error.help(text).contains(help), "{text}: {}", error.help(text));
        }
    }

    #[test]
    fn zero_is_a_duration_where_it_means_off_but_never_without_a_unit() {
        assert_eq!(parse_duration_or_zero("0ms"), Ok(0));
        assert_eq!(parse_duration_or_zero("0"), Err(ParseDurationError::NoUnit));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(ns in 0..=DURATION_NS_MAX) {
            prop_assert_eq!(parse_duration_or_zero(&format_duration(ns)), Ok(ns));
        }

        #[test]
        fn whole_numbers_of_a_unit_read_back(count in 1..=24_u64, unit in 0..UNITS.len()) {
            let (name, unit_ns) = UNITS[unit];
            let ns = count * unit_ns;
            prop_assert_eq!(parse_duration(&format!("{count}{name}")), Ok(ns));
            prop_assert_eq!(parse_duration(&format_duration(ns)), Ok(ns));
        }

        #[test]
        fn a_decimal_fraction_is_exact(ns in 1..1_000_000_000_000_u64) {
            let text = format!("{}.{:09}s", ns / 1_000_000_000, ns % 1_000_000_000);
            prop_assert_eq!(parse_duration(&text), Ok(ns));
        }

        #[test]
        fn any_text_gives_a_duration_or_a_reason_with_help(text in "[-0-9.a-z µ]{0,12}|.*") {
            if let Err(error) = parse_duration(&text) {
                prop_assert!(!error.help(&text).is_empty());
            }
        }
    }
}
