//! How many of each fit.

use freshlane_config::{Config, FeedConfig, LaneConfig};
use freshlane_quote::VenueId;

use crate::text::{FEED, FILE_FEED, LANE, one, refused, valid};

fn lanes(count: usize) -> String {
    (0..count).map(|index| LANE.replace("algo", &format!("lane{index}"))).collect()
}

fn file_feeds(count: usize, venues: usize) -> String {
    let feed = |index: usize| {
        FILE_FEED
            .replace("capture", &format!("feed{index}"))
            .replace("NASDAQ", &format!("V{}", index % venues))
    };
    (0..count).map(feed).collect()
}

#[test]
fn as_many_lanes_as_a_mask_has_bits_and_no_more() {
    let (config, _) = valid(&format!("{FEED}{}", lanes(LaneConfig::COUNT_MAX)));
    assert_eq!(config.lanes.len(), 63);
    let problem = one(refused(&format!("{FEED}{}", lanes(64))).into_vec());
    assert_eq!(problem.path, "lane[63]");
    assert!(problem.message.contains("63 fit"), "{problem}");
}

#[test]
fn as_many_venues_as_tables_have_rows_and_no_more() {
    let (config, _) = valid(&format!("{}{LANE}", file_feeds(130, VenueId::COUNT_MAX)));
    assert_eq!(config.venues().len(), 64);
    let problem = one(refused(&format!("{}{LANE}", file_feeds(130, 65))).into_vec());
    assert_eq!(problem.path, "feed[64].venue");
}

#[test]
fn not_more_feeds_than_documented() {
    let text = format!("{}{LANE}", file_feeds(FeedConfig::COUNT_MAX + 1, 3));
    let problem = one(refused(&text).into_vec());
    assert_eq!(problem.path, "feed[1024]");
}

#[test]
fn the_generators_together_fit_the_symbol_directory() {
    let text = |max: usize| {
        let second = FEED.replace("nasdaq", "other");
        format!("[engine]\ninstruments_max = {max}\n{FEED}{second}{LANE}")
    };
    valid(&text(16_000));
    let problem = one(refused(&text(15_999)).into_vec());
    assert!(problem.help.contains("instruments_max = 16000"), "{problem}");
    assert_eq!(problem.path, "feed[1].generator.symbols");
}

/// Nesting, long keys and thousands of mistakes cost time in proportion and no stack.
#[test]
fn hostile_texts_are_refused_without_harm() {
    for text in [
        format!("a = {}", "[".repeat(200_000)),
        format!("a = {}", "{a=".repeat(100_000)),
        format!("[{}]", vec!["a"; 200_000].join(".")),
        format!("{} = 1", vec!["a"; 200_000].join(".")),
        format!("{} = 1", "k".repeat(900_000)),
        format!("[engine]\nshutdown_timeout = \"{}\"", "-".repeat(900_000)),
        format!("[engine]\nshutdown_timeout = \"{}\"", "9".repeat(900_000)),
        "[[lane]]\n".repeat(20_000),
        (0..20_000).map(|index| format!("k{index} = 1\n")).collect(),
    ] {
        let problems = Config::parse("hostile.toml", &text).unwrap_err();
        assert!(problems.error_count() > 0);
        assert!(problems.iter().all(|problem| problem.to_string().len() < 2_000));
    }
}
