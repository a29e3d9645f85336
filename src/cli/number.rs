//! Numbers on the command line.

use std::ops::RangeInclusive;

/// A whole number; underscores may stand between its digits.
pub(super) fn whole_number(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let is_number = text.starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err("write a whole number in digits, such as 1000000 or 1_000_000".into());
    }
    digits.parse().map_err(|_| format!("at most {} fits", u64::MAX))
}

/// A whole number within `range`, which `what` explains.
pub(super) fn number_within<T>(
    text: &str,
    range: RangeInclusive<T>,
    what: &str,
) -> Result<T, String>
where
    T: TryFrom<u64> + PartialOrd,
{
    let number = whole_number(text)?;
    T::try_from(number)
        .ok()
        .filter(|narrow| range.contains(narrow))
        .ok_or_else(|| format!("{what}; {number} is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_may_stand_between_digits() {
        assert_eq!(whole_number("1_000_000"), Ok(1_000_000));
        assert_eq!(whole_number("0"), Ok(0));
        assert_eq!(whole_number("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "_", "_1", "1_", "-1", "+1", "1e6", "1.5", "1,000", "0x10", "١"] {
            assert!(whole_number(text).is_err(), "{text}");
        }
        assert_eq!(
            whole_number("18446744073709551616"),
            Err("at most 18446744073709551615 fits".to_owned())
        );
    }

    #[test]
    fn a_number_out_of_range_is_told_the_range() {
        let symbols = |text| number_within::<u16>(text, 1..=20_000, "a market has 1 to 20000");
        assert_eq!(symbols("20_000"), Ok(20_000));
        let refused =
            |number: u32| Err(format!("a market has 1 to 20000; {number} is out of range"));
        assert_eq!(symbols("0"), refused(0));
        assert_eq!(symbols("70000"), refused(70_000));
    }
}
