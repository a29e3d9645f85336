//! The scrape of a running engine.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use freshlane::admin::{AdminServer, metrics};
use freshlane::engine::Engine;
use freshlane_config::{Config, FeedSource};
use freshlane_quote::IdlePolicy;

/// Every family of the scrape with its type: all there is, and nothing else.
const FAMILIES: [(&str, &str); 31] = [
    ("bus_received", "counter"),
    ("bus_unrouted", "counter"),
    ("clock_backwards", "counter"),
    ("clock_jumps", "counter"),
    ("clock_offset_seconds", "gauge"),
    ("clock_source", "gauge"),
    ("feed_bad_timestamps", "counter"),
    ("feed_book_growths", "counter"),
    ("feed_clamped", "counter"),
    ("feed_events", "counter"),
    ("feed_events_refused", "counter"),
    ("feed_live_orders", "gauge"),
    ("feed_messages", "counter"),
    ("feed_received", "counter"),
    ("lane_age_seconds", "histogram"),
    ("lane_capacity", "gauge"),
    ("lane_delivered", "counter"),
    ("lane_depth", "gauge"),
    ("lane_detached", "gauge"),
    ("lane_drop_age_seconds", "histogram"),
    ("lane_dropped", "counter"),
    ("lane_end_to_end_seconds", "histogram"),
    ("lane_events_delivered", "counter"),
    ("lane_events_dropped", "counter"),
    ("lane_expired", "counter"),
    ("lane_ledger_imbalance", "gauge"),
    ("lane_margin_seconds", "gauge"),
    ("lane_offered", "counter"),
    ("lane_oldest_age_seconds", "gauge"),
    ("lane_ttl_seconds", "gauge"),
    ("thread_pinned", "gauge"),
];

fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: freshlane\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn start(rate_per_s: u64) -> (Engine, AdminServer) {
    let mut config = Config::embedded().unwrap().config;
    // Every core spins while the scrape is served.
    config.engine.idle = IdlePolicy::Spin;
    let FeedSource::Generator(generator) = &mut config.feeds[0].source else {
        panic!("the embedded default has a generator");
    };
    generator.rate_per_s = rate_per_s;
    generator.live_orders = Some(1_000);
    let engine = Engine::start(&config).unwrap();
    let threads = vec![("core-0".to_owned(), true)];
    let venues = vec!["NASDAQ".to_owned()];
    let registry = metrics::registry(engine.telemetry().clone(), venues, threads, engine.clock());
    let server = AdminServer::start("127.0.0.1:0".parse().unwrap(), registry).unwrap();
    (engine, server)
}

/// The value of a series.
fn value(body: &str, series: &str) -> f64 {
    let line = body.lines().find(|line| line.starts_with(&format!("{series} ")));
    let line = line.unwrap_or_else(|| panic!("{series} is not in the scrape:\n{body}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn every_series_is_there_from_the_start_and_agrees_with_the_ledger_at_the_end() {
    let (mut engine, server) = start(50_000);
    let (head, body) = get(server.address(), "/metrics");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.to_lowercase().contains("content-type: application/openmetrics-text"), "{head}");
    assert!(body.ends_with("# EOF\n"));
    assert!(!body.contains("_total_total"));
    assert!(body.lines().count() < 1_000, "8,000 symbols must not multiply series");
    for lane in ["trading-algo", "pricing", "dashboard", "risk"] {
        let labels = format!("lane=\"{lane}\",venue=\"NASDAQ\"");
        for series in [
            format!("freshlane_lane_offered_total{{{labels}}}"),
            format!("freshlane_lane_delivered_total{{{labels}}}"),
            format!("freshlane_lane_expired_total{{{labels},reason=\"ttl\"}}"),
            format!("freshlane_lane_dropped_total{{{labels},reason=\"lane_full\"}}"),
            format!("freshlane_lane_dropped_total{{{labels},reason=\"detached\"}}"),
            format!("freshlane_lane_dropped_total{{{labels},reason=\"shutdown\"}}"),
            format!("freshlane_lane_depth{{lane=\"{lane}\"}}"),
            format!("freshlane_lane_capacity{{lane=\"{lane}\"}}"),
            format!("freshlane_lane_oldest_age_seconds{{lane=\"{lane}\"}}"),
            format!("freshlane_lane_age_seconds_count{{lane=\"{lane}\"}}"),
        ] {
            assert!(value(&body, &series) >= 0.0);
        }
        assert_eq!(
            value(&body, &format!("freshlane_lane_ledger_imbalance{{lane=\"{lane}\"}}")),
            0.0
        );
    }
    let feed = "feed=\"nasdaq\",venue=\"NASDAQ\"";
    for outcome in ["quoted", "unchanged", "malformed", "future", "unknown_reference"] {
        value(&body, &format!("freshlane_feed_messages_total{{{feed},outcome=\"{outcome}\"}}"));
    }
    value(&body, "freshlane_lane_ttl_seconds{lane=\"trading-algo\"}");
    value(&body, "freshlane_clock_offset_seconds");
    value(&body, "freshlane_bus_unrouted_total");
    value(&body, "freshlane_thread_pinned{thread=\"core-0\"}");

    while engine.telemetry().lanes[3].ledger().total().delivered == 0 {
        std::thread::yield_now();
    }
    engine.stop().unwrap();
    let (_, body) = get(server.address(), "/metrics");
    let quoted =
        value(&body, &format!("freshlane_feed_messages_total{{{feed},outcome=\"quoted\"}}"));
    let risk = "lane=\"risk\",venue=\"NASDAQ\"";
    assert!(quoted > 0.0);
    assert_eq!(value(&body, &format!("freshlane_lane_offered_total{{{risk}}}")), quoted);
    assert_eq!(
        value(&body, "freshlane_lane_age_seconds_count{lane=\"risk\"}"),
        value(&body, &format!("freshlane_lane_delivered_total{{{risk}}}"))
    );
    let sum = value(&body, "freshlane_lane_age_seconds_sum{lane=\"risk\"}");
    let count = value(&body, "freshlane_lane_age_seconds_count{lane=\"risk\"}");
    assert!((1e-7..1.0).contains(&(sum / count)), "ages are in seconds: mean {}", sum / count);
}

#[test]
fn the_scrape_has_every_family_with_a_series_and_no_other() {
    let (mut engine, server) = start(1_000);
    let (_, body) = get(server.address(), "/metrics");
    engine.stop().unwrap();
    let families: BTreeSet<_> = body
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE freshlane_")?.split_once(' '))
        .collect();
    assert_eq!(families, BTreeSet::from(FAMILIES));
    for (family, kind) in FAMILIES {
        let suffix = match kind {
            "counter" => "_total",
            "histogram" => "_count",
            _ => "",
        };
        let series = format!("freshlane_{family}{suffix}");
        let has_series = body.lines().any(|line| {
            line.strip_prefix(&series).is_some_and(|rest| rest.starts_with(['{', ' ']))
        });
        assert!(has_series, "{series} has no series:\n{body}");
    }
}

#[test]
fn an_unknown_path_is_not_found_and_the_root_points_on() {
    let (mut engine, server) = start(1_000);
    assert!(get(server.address(), "/nothing").0.starts_with("HTTP/1.1 404"));
    assert!(get(server.address(), "/").1.contains("/metrics"));
    engine.stop().unwrap();
}
