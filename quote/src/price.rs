//! Exact fixed-point prices: 1 unit = 1e-9, no floats.

use std::fmt;
use std::str::FromStr;

/// A price in units of 1e-9, or [`Price::NONE`].
///
/// The scale and the sentinel are those of Databento's DBN encoding (`fixed_price_scale`,
/// `UNDEF_PRICE`). The range is about ±9.22 billion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Price(i64);

/// Why a text is not a [`Price`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParsePriceError {
    /// No digit at all.
    #[error("a price needs at least one digit")]
    Empty,
    /// A character that is neither a digit, a leading sign nor the one decimal point.
    #[error("a price is digits with at most one decimal point; byte {position} is something else")]
    Invalid {
        /// Offset of the offending byte.
        position: usize,
    },
    /// More than nine decimals that are not zero: the value has no exact representation.
    #[error("a price has at most 9 decimals; rounding one would make another price")]
    TooPrecise,
    /// Outside ±9,223,372,036.854775806.
    #[error("a price lies within ±9223372036.854775806")]
    OutOfRange,
}

impl Price {
    /// Units in 1.
    pub const SCALE: i64 = 1_000_000_000;
    /// Decimals of a unit.
    pub const DECIMALS: u32 = 9;
    /// No price: the side of the book is empty. Equals DBN's `UNDEF_PRICE`.
    pub const NONE: Self = Self(i64::MAX);
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// A price from units of 1e-9. `i64::MAX` gives [`Price::NONE`].
    #[must_use]
    pub const fn from_units(units: i64) -> Self {
        Self(units)
    }

    /// The units of 1e-9.
    #[must_use]
    pub const fn units(self) -> i64 {
        self.0
    }

    /// A price from a NASDAQ Price(4): 4 implied decimals. Every `u32` fits.
    #[must_use]
    pub const fn from_price4(raw: u32) -> Self {
        Self(raw as i64 * 100_000)
    }

    /// A price from a NASDAQ Price(8): 8 implied decimals; `None` beyond the range.
    #[must_use]
    pub const fn from_price8(raw: u64) -> Option<Self> {
        Self::from_scaled(raw, 8)
    }

    /// A price from an integer with `decimals` implied decimals; `None` beyond the range or where
    /// `decimals` is over 9.
    #[must_use]
    pub const fn from_scaled(raw: u64, decimals: u32) -> Option<Self> {
        if decimals > Self::DECIMALS || raw > i64::MAX as u64 {
            return None;
        }
        match (raw.cast_signed()).checked_mul(10_i64.pow(Self::DECIMALS - decimals)) {
            Some(i64::MAX) | None => None,
            Some(units) => Some(Self(units)),
        }
    }

    /// Whether this is a price at all.
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != i64::MAX
    }

    /// Whether this is [`Price::NONE`].
    #[must_use]
    pub const fn is_none(self) -> bool {
        !self.is_some()
    }

    /// The price, or `None` for [`Price::NONE`].
    #[must_use]
    pub const fn some(self) -> Option<Self> {
        if self.is_some() { Some(self) } else { None }
    }
}

/// Shortest exact decimal: no exponent, no trailing zero, no trailing point. [`Price::NONE`] is `-`.
impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.pad("-");
        }
        let magnitude = self.0.unsigned_abs();
        let (whole, mut fraction) =
            (magnitude / Self::SCALE.unsigned_abs(), magnitude % Self::SCALE.unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        if fraction == 0 {
            return write!(f, "{sign}{whole}");
        }
        let mut width = Self::DECIMALS as usize;
        while fraction % 10 == 0 {
            fraction /= 10;
            width -= 1;
        }
        write!(f, "{sign}{whole}.{fraction:0width$}")
    }
}

impl fmt::Debug for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Price({self})")
    }
}

impl FromStr for Price {
    type Err = ParsePriceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse_bytes(text.as_bytes())
    }
}

impl Price {
    /// Parses `[+-]digits[.digits]`, exactly.
    ///
    /// # Errors
    /// [`ParsePriceError`] names what is wrong; a value that would need rounding is refused.
    pub fn parse_bytes(text: &[u8]) -> Result<Self, ParsePriceError> {
        let (negative, digits_from) = match text.first() {
            Some(b'-') => (true, 1),
            Some(b'+') => (false, 1),
            _ => (false, 0),
        };
        let mut units: i64 = 0;
        let mut decimals: Option<u32> = None;
        let mut digits_seen = false;
        for (position, &byte) in text.iter().enumerate().skip(digits_from) {
            match byte {
                b'0'..=b'9' => {
                    digits_seen = true;
                    let digit = i64::from(byte - b'0');
                    match &mut decimals {
                        Some(count) if *count == Self::DECIMALS => {
                            if digit != 0 {
                                return Err(ParsePriceError::TooPrecise);
                            }
                            continue;
                        }
                        Some(count) => *count += 1,
                        None => {}
                    }
                    // Negative accumulation, since the magnitude of i64::MIN has no i64.
                    units = units
                        .checked_mul(10)
                        .and_then(|u| u.checked_sub(digit))
                        .ok_or(ParsePriceError::OutOfRange)?;
                }
                b'.' if decimals.is_none() => decimals = Some(0),
                _ => return Err(ParsePriceError::Invalid { position }),
            }
        }
        if !digits_seen {
            return Err(ParsePriceError::Empty);
        }
        let missing = Self::DECIMALS - decimals.unwrap_or(0);
        let units = units.checked_mul(10_i64.pow(missing)).ok_or(ParsePriceError::OutOfRange)?;
        let units = if negative { Some(units) } else { units.checked_neg() };
        match units {
            // The sentinel and its mirror are no prices.
            None | Some(i64::MAX | i64::MIN) => Err(ParsePriceError::OutOfRange),
            Some(units) if units == -i64::MAX => Err(ParsePriceError::OutOfRange),
            Some(units) => Ok(Self(units)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prints_the_shortest_exact_decimal() {
        for (units, text) in [
            (0, "0"),
            (1, "0.000000001"),
            (-1, "-0.000000001"),
            (10_000_100_000, "10.0001"),
            (10_000_000_000, "10"),
            (-1_500_000_000, "-1.5"),
            (i64::MAX - 1, "9223372036.854775806"),
            (i64::MAX, "-"),
        ] {
            assert_eq!(Price::from_units(units).to_string(), text);
        }
    }

    #[test]
    fn refuses_what_has_no_exact_value() {
        use ParsePriceError::{Empty, Invalid, OutOfRange, TooPrecise};
        for (text, error) in [
            ("", Empty),
            ("-", Empty),
            (".", Empty),
            ("1.2.3", Invalid { position: 3 }),
            ("1e3", Invalid { position: 1 }),
            (" 1", Invalid { position: 0 }),
            ("0.0000000001", TooPrecise),
            ("9223372036.854775807", OutOfRange),
            ("-9223372036.854775808", OutOfRange),
            ("99999999999999999999", OutOfRange),
        ] {
            assert_eq!(text.parse::<Price>(), Err(error), "{text}");
        }
    }

    #[test]
    fn accepts_redundant_zeros() {
        for (text, units) in [
            ("+1", 1_000_000_000),
            ("1.", 1_000_000_000),
            (".5", 500_000_000),
            ("001.500000000000", 1_500_000_000),
            ("-0", 0),
        ] {
            assert_eq!(text.parse::<Price>().map(Price::units), Ok(units), "{text}");
        }
    }

    #[test]
    fn venue_scales() {
        assert_eq!(Price::from_price4(100_001).to_string(), "10.0001");
        assert_eq!(Price::from_price4(u32::MAX).to_string(), "429496.7295");
        assert_eq!(Price::from_price8(123).map(|p| p.to_string()).as_deref(), Some("0.00000123"));
        assert_eq!(Price::from_price8(u64::MAX), None);
        assert_eq!(Price::from_scaled(1, 10), None);
    }

    proptest! {
        #[test]
        fn print_then_parse_is_identity(units in -i64::MAX + 1..i64::MAX) {
            let price = Price::from_units(units);
            prop_assert_eq!(price.to_string().parse::<Price>(), Ok(price));
        }

        #[test]
        fn any_text_gives_a_price_or_a_named_error(text in ".*") {
            let _ = text.parse::<Price>();
        }
    }
}
