//! Patterns match as the definition of their wildcards says. The input is a pattern, a venue and a
//! symbol, on a line each.

#![no_main]

use freshlane_bus::{Pattern, Topic};
use libfuzzer_sys::fuzz_target;

/// `matches[p][t]`: whether the pattern's words from `p` on stand for the topic's from `t` on.
fn matches_by_definition(pattern: &[&str], topic: &[&str]) -> bool {
    let mut matches = vec![vec![false; topic.len() + 2]; pattern.len() + 1];
    matches[pattern.len()][topic.len()] = true;
    for p in (0..pattern.len()).rev() {
        for t in (0..=topic.len()).rev() {
            matches[p][t] = match pattern[p] {
                "#" => matches[p + 1][t] || matches[p][t + 1],
                "*" => t < topic.len() && matches[p + 1][t + 1],
                word => topic.get(t) == Some(&word) && matches[p + 1][t + 1],
            };
        }
    }
    matches[0][0]
}

fuzz_target!(|text: &str| {
    let mut lines = text.splitn(3, '\n');
    let (Some(pattern_text), Some(venue), Some(symbol)) =
        (lines.next(), lines.next(), lines.next())
    else {
        return;
    };
    let topic = Topic { venue, symbol };
    let words: Vec<&str> = pattern_text.split('.').collect();
    let Ok(pattern) = Pattern::parse(pattern_text) else {
        assert!(words.contains(&"") || pattern_text.len() > Pattern::LEN_MAX_BYTES);
        return;
    };
    assert_eq!(pattern.to_string(), pattern_text);
    let topic_words: Vec<&str> = topic.words().collect();
    assert_eq!(pattern.matches(topic), matches_by_definition(&words, &topic_words));
});
