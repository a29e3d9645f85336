//! Values that are right alone and wrong beside each other.

use freshlane_config::Severity;

use crate::text::{FEED, FILE_FEED, LANE, lane_with, one, refused, valid};

/// The one warning for the shortest lane with `keys`: its path and its text.
fn warning(keys: &str) -> (String, String) {
    warning_in(&lane_with(keys))
}

fn warning_in(text: &str) -> (String, String) {
    let problem = one(valid(text).1);
    assert_eq!(problem.severity, Severity::Warning);
    (problem.path.clone(), problem.to_string())
}

fn assert_no_warning(keys: &str) {
    assert_eq!(valid(&lane_with(keys)).1, []);
}

#[test]
fn a_lane_smaller_than_what_arrives_within_the_ttl_is_warned_of_with_the_number_needed() {
    assert_no_warning("expected_rate = 250000");
    let (path, text) = warning("expected_rate = 250001");
    assert_eq!(path, "lane[0].capacity");
    assert!(text.contains("write capacity = 50001 or more"), "{text}");
}

#[test]
fn a_lane_that_would_have_to_be_larger_than_memory_is_told_another_way_out() {
    let (_, text) = warning("expected_rate = 1000000000");
    assert!(text.contains("lower the ttl, or take fewer topics"), "{text}");
}

#[test]
fn a_lane_whose_tail_always_expires_is_warned_of_with_the_useful_capacity() {
    assert_no_warning("[lane.consumer]\nservice_time = \"3us\"");
    let (path, text) = warning("[lane.consumer]\nservice_time = \"4us\"");
    assert_eq!(path, "lane[0].capacity");
    assert!(text.contains("takes 200ms to work off"), "{text}");
    assert!(text.contains("write capacity = 37500 or less"), "{text}");
}

/// No capacity fits then, so neither of the two warnings about capacity is given.
#[test]
fn a_consumer_slower_than_what_is_expected_is_warned_of_once() {
    let keys = "expected_rate = 300000\n[lane.consumer]\nservice_time = \"4us\"";
    let (path, text) = warning(keys);
    assert_eq!(path, "lane[0].consumer.service_time");
    assert!(text.contains("60000 quotes are expected within 200ms"), "{text}");
    assert!(text.contains("\"2500ns\" or less"), "{text}");
}

#[test]
fn a_consumer_slower_than_what_is_expected_is_warned_of_without_a_ttl_too() {
    let keys = "expected_rate = 1001\n[lane.consumer]\nservice_time = \"1ms\"";
    let off = lane_with(keys).replace("\"200ms\"", "\"off\"");
    let (path, _) = warning_in(&off);
    assert_eq!(path, "lane[0].consumer.service_time");
    assert_eq!(valid(&off.replace("1001", "1000")).1, []);
}

#[test]
fn service_time_is_checked_against_ttl_minus_margin() {
    let keys =
        |service: &str| format!("margin = \"20ms\"\n[lane.consumer]\nservice_time = \"{service}\"");
    let problem = one(refused(&lane_with(&keys("180001us"))).into_vec());
    assert_eq!(problem.path, "lane[0].consumer.service_time");
    assert!(problem.help.contains("\"180ms\""), "{problem}");
    let (path, _) = warning(&keys("180ms"));
    assert_eq!(path, "lane[0].capacity", "accepted, though only one quote of a full lane lives");
}

#[test]
fn the_margin_is_below_the_ttl() {
    assert_no_warning("margin = \"199999us\"");
    let problem = one(refused(&lane_with("margin = \"200ms\"")).into_vec());
    assert_eq!(problem.path, "lane[0].margin");
}

#[test]
fn a_margin_without_a_ttl_is_warned_of() {
    let text = lane_with("margin = \"50ms\"").replace("\"200ms\"", "\"off\"");
    assert_eq!(warning_in(&text).0, "lane[0].margin");
    assert_eq!(valid(&text.replace("50ms", "0ms")).1, []);
}

#[test]
fn a_topic_that_no_venue_can_match_is_warned_of_with_what_it_may_mean() {
    for (topic, help) in [
        ("market-data.NYSE.#", "the configured venues are NASDAQ"),
        ("market-data.nasdaq.AAPL", "\"market-data.NASDAQ.AAPL\""),
        ("market-data.NASDAQ", "\"market-data.NASDAQ.#\""),
    ] {
        for key in ["topics", "exclude"] {
            let more = if key == "topics" { "" } else { "topics = [\"market-data.#\"]\n" };
            let (path, text) = warning(&format!("{more}{key} = [\"{topic}\"]"));
            assert_eq!(path, format!("lane[0].{key}[0]"));
            assert!(text.contains("matches nothing") && text.contains(help), "{text}");
        }
    }
    assert_no_warning("topics = [\"market-data.NASDAQ.BRK.A\", \"market-data.*.AAPL\"]");
}

#[test]
fn nothing_is_said_of_topics_while_a_venue_is_unknown() {
    let text = lane_with("topics = [\"market-data.NYSE.#\"]").replace("\"NASDAQ\"", "\"nyse\"");
    assert_eq!(one(refused(&text).into_vec()).path, "feed[0].venue");
}

#[test]
fn nothing_is_said_of_topics_while_a_feed_may_be_misspelled_or_missing() {
    let lane = format!("{LANE}topics = [\"market-data.NYSE.#\"]\n");
    let misspelled = FILE_FEED.replace("[[feed]]", "[[feeds]]").replace("NASDAQ", "NYSE");
    assert_eq!(one(refused(&format!("{FEED}{misspelled}{lane}")).into_vec()).path, "feeds");
    assert_eq!(one(refused(&format!("feed = []\n{lane}")).into_vec()).path, "feed");
}

#[test]
fn a_star_inside_a_word_is_warned_of() {
    let (_, text) = warning("topics = [\"market-data.NASDAQ.AA*\"]");
    assert!(text.contains("only as a whole word"), "{text}");
}

#[test]
fn an_exclusion_of_everything_is_warned_of() {
    assert_eq!(warning("exclude = [\"market-data.#\"]").0, "lane[0].exclude[0]");
}

#[test]
fn a_permission_to_block_that_is_not_used_is_warned_of() {
    assert_eq!(warning("allow_block_live = true").0, "lane[0].allow_block_live");
}

#[test]
fn more_live_orders_than_the_store_is_sized_for_are_warned_of() {
    let text = |orders: u32| format!("{FEED}[feed.generator]\nlive_orders = {orders}\n{LANE}");
    assert_eq!(valid(&text(1_000_000)).1, []);
    let (path, text) = warning_in(&text(1_000_001));
    assert_eq!(path, "feed[0].generator.live_orders");
    assert!(text.contains("orders_expected = 1000001"), "{text}");
}

/// A mistake must not hide what is certain beside it, nor give doubtful problems.
#[test]
fn what_is_written_is_checked_beside_an_unknown_key_and_what_is_defaulted_is_not() {
    let written = refused(&lane_with("margin = \"1s\"\nzzz = 1"));
    assert_eq!(written.error_count(), 2, "{written}");
    let maybe_misspelled = lane_with("marign = \"1ms\"\n[lane.consumer]\nservice_time = \"160ms\"");
    assert!(maybe_misspelled.contains("160ms"));
    let problem = one(refused(&maybe_misspelled).into_vec());
    assert_eq!(problem.path, "lane[0].marign", "the margin may be 1 ms, and 160 ms fit then");
}

#[test]
fn a_file_feed_without_generator_keys_needs_no_directory_for_them() {
    valid(&format!("[engine]\ninstruments_max = 1\n{FILE_FEED}{LANE}"));
}
