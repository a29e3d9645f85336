//! A price is what exact arithmetic on its digits says, or a named error.

#![no_main]

use freshlane_quote::{ParsePriceError, Price};
use libfuzzer_sys::fuzz_target;

/// The units of `[+-]digits[.digits]` in 128 bits; `None` for a text of another form or beyond
/// 128 bits.
fn exact_units(text: &str) -> Option<Result<i128, ParsePriceError>> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > 9 {
        return Some(Err(ParsePriceError::TooPrecise));
    }
    let units: i128 = format!("{whole}{fraction:0<9}").parse().ok()?;
    Some(Ok(if text.starts_with('-') { -units } else { units }))
}

fn check_price(price: Price) {
    assert!(price.is_some() && price.units().unsigned_abs() < i64::MAX.unsigned_abs());
    assert_eq!(price.to_string().parse(), Ok(price));
}

fuzz_target!(|bytes: &[u8]| {
    let parsed = Price::parse_bytes(bytes);
    if let Ok(price) = parsed {
        check_price(price);
    }
    let exact = std::str::from_utf8(bytes).ok().and_then(exact_units);
    match (parsed, exact) {
        (Ok(price), exact) => assert_eq!(Some(Ok(price.units().into())), exact),
        // Digits that are too many and too precise may be told as either.
        (Err(ParsePriceError::OutOfRange), Some(Ok(units))) => {
            assert!(units.unsigned_abs() >= i64::MAX.unsigned_abs().into());
        }
        (Err(ParsePriceError::OutOfRange), Some(Err(_)) | None) => {}
        (Err(ParsePriceError::TooPrecise), Some(exact)) => assert!(exact.is_err()),
        (Err(_), exact) => assert_eq!(exact, None),
    }
});
