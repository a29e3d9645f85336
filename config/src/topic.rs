//! The syntax of topic patterns, and which venues a pattern can select.

use crate::section::ticked;
use crate::source::plain;

/// The first word of every topic.
const ROOT: &str = "market-data";

/// The longest pattern, bytes: that of AMQP.
const LEN_BYTES_MAX: usize = 255;

/// Whether `pattern` is one; else what is wrong with it, and what to write.
pub(crate) fn check_syntax(pattern: &str) -> Result<(), (String, String)> {
    let refused = |what: &str, help: String| Err((format!("{} {what}", ticked(pattern)), help));
    if pattern.len() > LEN_BYTES_MAX {
        return refused("is too long for a topic", format!("write at most {LEN_BYTES_MAX} bytes"));
    }
    if pattern.chars().any(char::is_control) || pattern.trim() != pattern {
        return refused(
            "has white space or control characters around its words",
            format!("write \"{}\"", plain(pattern.trim())),
        );
    }
    if pattern.split('.').any(str::is_empty) {
        return refused(
            "has an empty word",
            "write words with one dot between two of them, such as \"market-data.#\"".into(),
        );
    }
    if pattern.split('.').next() != Some(ROOT) {
        return refused(
            "does not start with the word `market-data`",
            format!("write \"{}\"", plain(&rooted(pattern))),
        );
    }
    Ok(())
}

/// `pattern` with the right first word: put in front, or in the place of a wildcard or of a word
/// that looks like it.
fn rooted(pattern: &str) -> String {
    let (first, rest) = pattern.split_once('.').unwrap_or((pattern, "#"));
    let is_meant = ["*", "#"].contains(&first) || crate::suggest::similarity(first, ROOT) > 0.7;
    if is_meant { format!("{ROOT}.{rest}") } else { format!("{ROOT}.{pattern}") }
}

/// Whether some symbol of `venue` has a topic that `pattern`, of the right syntax, selects.
pub(crate) fn can_select(pattern: &str, venue: &str) -> bool {
    let words: Vec<_> = pattern.split('.').collect();
    let after_root = after_word(&words, vec![0], ROOT);
    let after_venue = after_word(&words, after_root, venue);
    // Each word that is left, whichever it is, can be made to stand for a word of a symbol.
    after_venue.iter().any(|&position| position < words.len())
}

/// Where the walk through `words` can stand after `word`, having stood at `positions` before.
fn after_word(words: &[&str], positions: Vec<usize>, word: &str) -> Vec<usize> {
    let mut after = Vec::new();
    for start in positions {
        // A `#` may stand for no word at all, so whatever follows it is reachable as well.
        for (position, wanted) in words.iter().enumerate().skip(start) {
            match *wanted {
                "#" => after.push(position),
                "*" => after.push(position + 1),
                literal if literal == word => after.push(position + 1),
                _ => {}
            }
            if *wanted != "#" {
                break;
            }
        }
    }
    after.sort_unstable();
    after.dedup();
    after
}

/// The word of `pattern` that looks like a prefix match and is none.
pub(crate) fn half_wildcard(pattern: &str) -> Option<&str> {
    pattern.split('.').find(|word| word.len() > 1 && word.ends_with('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_cannot_be_meant_are_refused_with_what_to_write() {
        for (pattern, message, help) in [
            ("", "empty word", "market-data.#"),
            ("market-data.", "empty word", "market-data.#"),
            ("market-data..X", "empty word", "market-data.#"),
            ("NASDAQ.#", "does not start", "\"market-data.NASDAQ.#\""),
            ("#", "does not start", "\"market-data.#\""),
            ("*.NYSE.#", "does not start", "\"market-data.NYSE.#\""),
            ("marketdata.NYSE.#", "does not start", "\"market-data.NYSE.#\""),
            (" market-data.#", "white space", "\"market-data.#\""),
            ("market-data.\u{1b}.#", "control", "market-data"),
        ] {
            let (found_message, found_help) = check_syntax(pattern).unwrap_err();
            assert!(found_message.contains(message), "{pattern}: {found_message}");
            assert!(found_help.contains(help), "{pattern}: {found_help}");
        }
        assert!(check_syntax(&format!("market-data.{}", "x".repeat(244))).is_err());
        assert_eq!(check_syntax(&format!("market-data.{}", "x".repeat(243))), Ok(()));
    }

    #[test]
    fn a_pattern_selects_a_venue_where_a_symbol_of_it_can_match() {
        for (pattern, can) in [
            ("market-data.#", true),
            ("market-data.*.*", true),
            ("market-data.NASDAQ.#", true),
            ("market-data.NASDAQ.BRK.A", true),
            ("market-data.#.AAPL", true),
            ("market-data.#.NYSE.#", true),
            ("market-data.#.#", true),
            ("market-data", false),
            ("market-data.NASDAQ", false),
            ("market-data.*", false),
            ("market-data.NYSE.#", false),
            ("market-data.nasdaq.#", false),
            ("market-data.NASDAQ*.AAPL", false),
        ] {
            assert_eq!(can_select(pattern, "NASDAQ"), can, "{pattern}");
        }
    }

    #[test]
    fn a_star_at_the_end_of_a_word_is_no_wildcard() {
        assert_eq!(half_wildcard("market-data.NASDAQ.AA*"), Some("AA*"));
        assert_eq!(half_wildcard("market-data.*.A#"), None);
    }
}
