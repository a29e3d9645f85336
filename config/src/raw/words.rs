//! What single texts may be. Each function gives the value, or what is wrong and what to write.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::section::ticked;
use crate::source::plain;
use crate::suggest::nearest;

type Read<T> = Result<T, (String, String)>;

/// A name for output and metrics.
pub(super) fn name(text: &str) -> Read<String> {
    let is_ok = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    word(text, 64, is_ok, &text.to_lowercase(), "a-z, 0-9, _ and -")
}

/// A venue.
pub(super) fn venue(text: &str) -> Read<String> {
    let is_ok = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    word(text, 32, is_ok, &text.to_uppercase(), "A-Z, 0-9 and _")
}

/// A text of the characters that `is_ok` accepts; `other_case` is what it may have been meant as.
fn word(
    text: &str,
    len_max: usize,
    is_ok: fn(char) -> bool,
    other_case: &str,
    characters: &str,
) -> Read<String> {
    if !text.is_empty() && text.len() <= len_max && text.chars().all(is_ok) {
        return Ok(text.to_owned());
    }
    let meant: String = other_case.chars().map(|c| if is_ok(c) { c } else { '_' }).collect();
    let help = if meant.is_empty() || meant.len() > len_max {
        format!("write 1 to {len_max} characters of {characters}")
    } else {
        format!("write 1 to {len_max} characters of {characters}, such as \"{meant}\"")
    };
    let wrong = if text.is_empty() {
        "is empty".to_owned()
    } else if text.len() > len_max {
        format!("is longer than {len_max} characters")
    } else {
        format!("has characters other than {characters}")
    };
    Err((format!("{} {wrong}", ticked(text)), help))
}

/// An address and a port that only this host can reach.
pub(super) fn loopback_address(text: &str) -> Read<SocketAddr> {
    let Ok(address) = text.parse::<SocketAddr>() else {
        let port = text.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(7373);
        let help = format!("write \"{}\"", SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        return Err((format!("{} is not an address with a port", ticked(text)), help));
    };
    if !address.ip().is_loopback() {
        let message = format!(
            "{} can be reached from other hosts, and there is no authentication yet",
            ticked(text)
        );
        return Err((message, format!("write \"127.0.0.1:{}\"", address.port())));
    }
    Ok(address)
}

/// A path to a file.
pub(super) fn path(text: &str) -> Read<PathBuf> {
    if text.is_empty() || text.contains('\0') {
        let message = format!("{} is not a path", ticked(text));
        return Err((message, "write the path of a capture".into()));
    }
    Ok(PathBuf::from(text))
}

/// A day of the calendar.
pub(super) fn date(text: &str) -> Read<Date> {
    const HELP: &str = "write it as \"YYYY-MM-DD\", such as \"2026-12-01\"";
    if !has_date_shape(text) {
        return Err((format!("{} is not a date", ticked(text)), HELP.into()));
    }
    // Nanoseconds from 1970 to any of these years fit a u64.
    let day = text.parse::<Date>().ok().filter(|day| (1970..=2500).contains(&day.year()));
    day.ok_or_else(|| (format!("{} is not a day of the calendar", ticked(text)), HELP.into()))
}

/// Whether the text is `YYYY-MM-DD` with digits for letters; the parser accepts more.
fn has_date_shape(text: &str) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    text.split('-').map(str::len).eq([4, 2, 2]) && text.split('-').all(is_number)
}

/// A time zone that the decoders will find too: they look it up in the same way.
pub(super) fn time_zone(text: &str) -> Read<String> {
    const NAME_LEN_MAX: usize = 64;
    if text.len() <= NAME_LEN_MAX && TimeZone::get(text).is_ok() {
        return Ok(text.to_owned());
    }
    let message = format!("{} is not a known time zone", ticked(text));
    let known: Vec<_> = jiff::tz::db().available().map(|zone| zone.to_string()).collect();
    let help = match nearest(text, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean \"{}\"?", plain(meant)),
        None => "write an IANA name, such as \"America/New_York\"".into(),
    };
    Err((message, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_venues_are_refused_with_a_spelling_that_is_accepted() {
        assert_eq!(name("trading-algo_2"), Ok("trading-algo_2".into()));
        assert_eq!(venue("XNAS_2"), Ok("XNAS_2".into()));
        assert!(name("Trading Algo").unwrap_err().1.contains("\"trading_algo\""));
        assert!(venue("nasdaq").unwrap_err().1.contains("\"NASDAQ\""));
        for text in ["", "é", &"x".repeat(65)] {
            assert!(name(text).is_err(), "{text}");
            assert!(venue(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_loopback_addresses_are_accepted() {
        for text in ["127.0.0.1:7373", "127.9.9.9:0", "[::1]:1"] {
            assert!(loopback_address(text).is_ok(), "{text}");
        }
        for (text, message, help) in [
            ("0.0.0.0:80", "no authentication yet", "127.0.0.1:80"),
            ("[::]:80", "no authentication yet", "127.0.0.1:80"),
            ("192.168.1.1:80", "no authentication yet", "127.0.0.1:80"),
            ("localhost:99", "not an address", "127.0.0.1:99"),
            ("127.0.0.1", "not an address", "127.0.0.1:7373"),
            ("127.0.0.1:99999", "not an address", "127.0.0.1:7373"),
        ] {
            let (found_message, found_help) = loopback_address(text).unwrap_err();
            assert!(found_message.contains(message), "{text}: {found_message}");
            assert!(found_help.contains(help), "{text}: {found_help}");
        }
    }

    #[test]
    fn a_date_is_a_day_that_exists_in_the_one_format() {
        assert_eq!(date("2024-02-29").unwrap().to_string(), "2024-02-29");
        for text in ["2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "1969-12-31"] {
            assert!(date(text).unwrap_err().0.contains("not a day of the calendar"), "{text}");
        }
        for text in ["", "20261201", "2026-12-1", "01-12-2026", "2026-12-01T00:00", "2026-12-+1"] {
            assert!(date(text).unwrap_err().0.contains("not a date"), "{text}");
        }
    }

    #[test]
    fn an_unknown_time_zone_is_refused() {
        for text in ["UTC", "America/New_York", "Asia/Tokyo"] {
            assert_eq!(time_zone(text), Ok(text.into()));
        }
        for text in ["America/NewYork", "", "../../etc/passwd", &"x".repeat(10_000)] {
            assert!(time_zone(text).unwrap_err().0.contains("not a known time zone"), "{text}");
        }
        assert!(time_zone("America/NewYork").unwrap_err().1.contains("\"America/New_York\""));
    }
}
