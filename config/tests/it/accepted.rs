//! What is accepted, and what it becomes.

use std::path::PathBuf;

use freshlane_config::{
    ClockSource, Config, Cores, FeedSource, GeneratorConfig, LaneConfig, Overflow, TestSymbols,
    WhenFull,
};
use freshlane_quote::{IdlePolicy, VenueId};

use crate::text::{FEED, FILE_FEED, LANE, lane_with, one, refused, valid};

const MS: u64 = 1_000_000;

fn first_lane(text: &str) -> LaneConfig {
    valid(text).0.lanes.remove(0)
}

#[test]
fn the_embedded_default_is_the_reference_installation_without_a_warning() {
    let loaded = Config::embedded().unwrap();
    assert_eq!(loaded.warnings, []);
    let lane = |lane: &LaneConfig| {
        assert_eq!((lane.margin_ns, lane.overflow), (50 * MS, Overflow::DropNewest));
        assert_eq!(lane.topics, ["market-data.#"]);
        assert!(lane.consumer.service_time_ns > 0);
        (lane.name.clone(), lane.ttl_ns.unwrap() / MS, lane.capacity)
    };
    let lanes: Vec<_> = loaded.config.lanes.iter().map(lane).collect();
    assert_eq!(
        lanes,
        [
            ("trading-algo".into(), 200, 50_000),
            ("pricing".into(), 500, 100_000),
            ("dashboard".into(), 2_000, 200_000),
            ("risk".into(), 5_000, 500_000),
        ]
    );
    let [feed] = loaded.config.feeds.as_slice() else { panic!("one feed") };
    let FeedSource::Generator(generator) = feed.source else { panic!("a generator") };
    assert_eq!((generator.symbols, generator.rate_per_s), (8_000, 100_000));
    assert_eq!(loaded.config.admin.listen.to_string(), "127.0.0.1:7373");
}

#[test]
fn the_shortest_configuration_gets_the_documented_defaults() {
    let (config, warnings) = valid(&format!("{FEED}{LANE}"));
    assert_eq!(warnings, []);
    assert_eq!(config.engine.cores, Cores::Auto);
    assert_eq!(config.engine.idle, IdlePolicy::Backoff);
    assert_eq!(config.engine.clock, ClockSource::Auto);
    assert_eq!(config.engine.shutdown_timeout_ns, 2_000 * MS);
    assert_eq!(config.engine.instruments_max, 131_072);
    assert!(config.admin.enabled);
    let feed = &config.feeds[0];
    assert_eq!(feed.source, FeedSource::Generator(GeneratorConfig::default()));
    assert_eq!(feed.time_zone, "America/New_York");
    assert_eq!(feed.future_limit_ns, 100 * MS);
    assert_eq!((feed.ingress_capacity, feed.orders_expected), (65_536, 1_000_000));
    assert_eq!((feed.test_symbols, feed.when_full), (TestSymbols::Exclude, WhenFull::DropNewest));
    let lane = &config.lanes[0];
    assert_eq!((lane.ttl_ns, lane.margin_ns), (Some(200 * MS), 50 * MS));
    assert_eq!(lane.age_ns_max(), Some(150 * MS));
    assert_eq!(lane.consumer.service_time_ns, 0);
    assert_eq!(lane.expected_rate_per_s, None);
}

#[test]
fn a_duration_with_a_unit_is_accepted_and_shown_back_in_ns() {
    for (ttl, ns) in [
        ("200ms", 200 * MS),
        ("0.2s", 200 * MS),
        ("200us", 200_000),
        ("100ns", 100),
        ("2s", 2_000 * MS),
        ("5m", 300_000 * MS),
    ] {
        let text = lane_with("").replace("\"200ms\"", &format!("\"{ttl}\""));
        let (config, _) = valid(&text);
        assert_eq!(config.lanes[0].ttl_ns, Some(ns), "{ttl}");
        let shown = config.to_string();
        let line = shown.lines().find(|line| line.starts_with("ttl = ")).unwrap();
        assert!(line.ends_with(&format!("# {ns} ns")), "{line}");
    }
}

#[test]
fn a_short_ttl_gets_a_quarter_of_it_as_margin() {
    let lane = first_lane(&lane_with("").replace("\"200ms\"", "\"40ms\""));
    assert_eq!((lane.margin_ns, lane.age_ns_max()), (10 * MS, Some(30 * MS)));
}

#[test]
fn zero_switches_margin_and_service_time_off() {
    let lane = first_lane(&lane_with("margin = \"0ms\"\n[lane.consumer]\nservice_time = \"0ns\""));
    assert_eq!((lane.margin_ns, lane.consumer.service_time_ns), (0, 0));
    assert_eq!(lane.age_ns_max(), lane.ttl_ns);
}

#[test]
fn a_ttl_that_is_off_never_expires_anything() {
    let lane = first_lane(&lane_with("").replace("\"200ms\"", "\"off\""));
    assert_eq!((lane.ttl_ns, lane.margin_ns, lane.age_ns_max()), (None, 0, None));
}

#[test]
fn tables_may_be_written_inline_or_with_dotted_keys() {
    let text = r#"
        engine.idle = "spin"
        feed = [{ name = "f", venue = "V", protocol = "itch50", source = "generator", generator.seed = 9 }]
        lane = [
            { name = "a", ttl = "1s", capacity = 1, consumer = { service_time = "1us" } },
            { name = "b", ttl = "1s", capacity = 1 },
        ]
    "#;
    let (config, _) = valid(text);
    assert_eq!(config.engine.idle, IdlePolicy::Spin);
    assert_eq!(config.lanes.len(), 2);
    assert_eq!(config.lanes[0].consumer.service_time_ns, 1_000);
    let FeedSource::Generator(generator) = config.feeds[0].source else { panic!("a generator") };
    assert_eq!(generator.seed, 9);
}

#[test]
fn a_capture_has_a_path_and_maybe_a_date_quoted_or_not() {
    for (date, expected) in [
        ("", None),
        ("date = \"2026-12-01\"", Some("2026-12-01")),
        ("date = 2026-12-01", Some("2026-12-01")),
    ] {
        let (config, _) = valid(&format!("{FILE_FEED}{date}\n{LANE}"));
        let FeedSource::File { path, date } = &config.feeds[0].source else { panic!("a file") };
        assert_eq!(*path, PathBuf::from("day.itch"));
        assert_eq!(date.map(|date| date.to_string()).as_deref(), expected);
    }
}

#[test]
fn venues_are_numbered_by_their_first_feed() {
    let other = FILE_FEED.replace("NASDAQ", "XNYS");
    let again = FEED.replace("\"nasdaq\"", "\"again\"");
    let (config, _) = valid(&format!("{other}{FEED}{again}{LANE}"));
    assert_eq!(config.venues(), ["XNYS", "NASDAQ"]);
    assert_eq!(config.venue_id("NASDAQ"), Some(VenueId(1)));
    assert_eq!(config.venue_id("CBOE"), None);
}

#[test]
fn a_lane_may_block_where_nothing_live_is_behind_it_or_where_it_is_allowed_to() {
    let block = "overflow = \"block\"\n";
    valid(&format!("{FILE_FEED}{LANE}{block}"));
    valid(&lane_with("overflow = \"block\"\nallow_block_live = true"));
    let other_venue = FILE_FEED.replace("NASDAQ", "XNYS");
    let only_other = format!("{block}topics = [\"market-data.XNYS.#\"]\n");
    valid(&format!("{FEED}{other_venue}{LANE}{only_other}"));
    let problem = one(refused(&format!("{FEED}{other_venue}{LANE}{block}")).into_vec());
    assert_eq!(problem.path, "lane[0].overflow");
}

#[test]
fn cores_that_the_host_does_not_grant_are_reported_where_they_are_written() {
    let text = format!("[engine]\ncores = [0, 2,\n  4, 9]\n{FEED}{LANE}");
    let (config, _) = valid(&text);
    assert_eq!(config.check_cores(&[0, 2, 4, 9]), []);
    let problems = config.check_cores(&[2, 4]);
    let places: Vec<_> =
        problems.iter().map(|problem| (problem.path.as_str(), problem.line)).collect();
    assert_eq!(places, [("engine.cores[0]", 2), ("engine.cores[3]", 3)]);
    assert!(problems.iter().all(|problem| problem.is_error()));
    assert!(problems[0].help.contains("2, 4"), "{}", problems[0]);
    assert_eq!(valid(&format!("{FEED}{LANE}")).0.check_cores(&[]), []);
}
