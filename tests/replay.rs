//! Replay is the truth: one capture gives one sequence of deliveries.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use freshlane::report::Report;
use freshlane::session::SessionDate;
use freshlane::topology::{self, Replay, ReplaySpec};
use freshlane_config::{Config, Overflow};
use freshlane_consumers::SimulatedLane;
use freshlane_feed_handlers::session_time::parse_date;
use freshlane_feed_handlers::synthetic::{ItchMarketSpec, write_binary_file};
use freshlane_feed_handlers::transport::FileSource;

/// A capture of `messages`, made once per test.
fn capture(name: &str, messages: u64) -> PathBuf {
    let spec = ItchMarketSpec { symbols: 40, messages, seed: 11, live_orders: None };
    let mut bytes = Vec::new();
    write_binary_file(&spec, &mut bytes, |_| {}).unwrap();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn config() -> Config {
    let mut config = Config::embedded().unwrap().config;
    config.feeds[0].orders_expected = 10_000;
    config
}

fn replay(config: &Config, path: &Path, batch_max: usize) -> (Report, Replay) {
    let session = SessionDate::today(parse_date("2026-12-01").unwrap());
    let file = FileSource::open(path).unwrap();
    let mut replay = topology::replay(config, file, ReplaySpec { session, batch_max }).unwrap();
    while replay.step() {}
    replay.drain();
    let consumers = replay.lanes.iter().map(SimulatedLane::consumer);
    let digests: Vec<_> = consumers.map(|consumer| consumer.hex()).collect();
    (Report::of(&replay.telemetry, &config.venues(), &digests), replay)
}

fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

/// Lanes whose consumers are far too slow, so that everything that can happen does.
fn overloaded() -> Config {
    let mut config = config();
    let slow_ns = [400_000_000, 40_000_000, 900_000_000, 0];
    for (lane, service_time_ns) in config.lanes.iter_mut().zip(slow_ns) {
        lane.consumer.service_time_ns = service_time_ns;
    }
    config.lanes[0].capacity = 16;
    (config.lanes[2].overflow, config.lanes[2].capacity) = (Overflow::Block, 16);
    config
}

#[test]
fn the_same_capture_gives_the_same_report_whatever_the_batch_size() {
    let path = capture("batches.itch", 60_000);
    for config in [config(), overloaded()] {
        let (first, _) = replay(&config, &path, 32);
        assert!(first.is_balanced());
        for batch_max in [1, 2, 7, 31, 64, 1024] {
            assert_eq!(json(&replay(&config, &path, batch_max).0), json(&first), "{batch_max}");
        }
    }
}

#[test]
fn slow_consumers_expire_and_overflow_in_event_time() {
    let (report, _) = replay(&overloaded(), &capture("overload.itch", 60_000), 32);
    let [algo, pricing, blocking, quick] = &report.lanes[..] else { panic!("four lanes") };
    assert!(algo.dropped_by_reason["lane_full"] > 0 && algo.expired > 0, "{algo:?}");
    assert!(pricing.expired > 0 || pricing.dropped > 0, "{pricing:?}");
    assert_eq!(blocking.dropped, 0, "a block lane loses nothing");
    assert!(blocking.expired > 0, "but what waited too long is stale");
    assert_eq!((quick.expired, quick.dropped, quick.latency_ns.max), (0, 0, 0));
    for lane in &report.lanes {
        assert_eq!(lane.queued, 0);
        assert_eq!(lane.offered, lane.delivered + lane.expired + lane.dropped);
        let limit_ns = lane.ttl_ns.unwrap() - lane.margin_ns;
        assert!(lane.latency_ns.max <= limit_ns, "{lane:?}");
    }
}

#[test]
fn a_file_of_quotes_gives_each_lane_all_of_them() {
    let (report, replay) = replay(&config(), &capture("all.itch", 30_000), 32);
    let quoted = report.feeds[0].outcomes["quoted"];
    assert!(quoted > 1_000);
    assert!(report.lanes.iter().all(|lane| lane.delivered == quoted));
    let digest = report.lanes[0].digest.clone();
    assert!(report.lanes.iter().all(|lane| lane.digest == digest));
    assert_eq!(replay.feed.source().end().map(|end| end.is_clean()), Some(true));
}

#[test]
fn a_cut_capture_gives_what_was_whole() {
    let path = capture("whole.itch", 20_000);
    let bytes = std::fs::read(&path).unwrap();
    let cut = path.with_file_name("cut.itch");
    std::fs::write(&cut, &bytes[..bytes.len() - 5]).unwrap();
    let (whole, _) = replay(&config(), &path, 32);
    let (report, replay) = replay(&config(), &cut, 32);
    assert_eq!(report.feeds[0].received, whole.feeds[0].received - 1);
    assert!(report.is_balanced());
    let end = replay.feed.source().end().unwrap();
    assert!(!end.is_clean() && end.to_string().contains("cut"), "{end}");
    let accounted = replay.feed.source().framed_bytes() + end.unframed_bytes();
    assert_eq!(accounted, bytes.len() as u64 - 5);
}
