//! The whole engine on threads: what a dying, a stuck or an early stopped part does to the rest.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use freshlane::engine::Engine;
use freshlane::report::Report;
use freshlane::runtime::Ending;
use freshlane_config::{Config, FeedSource, LaneConfig};
use freshlane_consumers::{Consumer, Fresh};
use freshlane_quote::Clock;

/// Four lanes over a small, quick market.
fn config() -> Config {
    let mut config = Config::embedded().unwrap().config;
    config.admin.enabled = false;
    config.feeds[0].orders_expected = 10_000;
    let FeedSource::Generator(generator) = &mut config.feeds[0].source else {
        panic!("the embedded default has a generator");
    };
    (generator.symbols, generator.live_orders, generator.rate_per_s) = (20, Some(500), 200_000);
    config
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let mut turns = 0_u64;
    while !condition() {
        std::thread::yield_now();
        turns += 1;
        assert!(turns < 50_000_000, "never came: {what}");
    }
}

fn delivered(engine: &Engine, lane: usize) -> u64 {
    engine.telemetry().lanes[lane].ledger().total().delivered
}

/// Counts; on one lane it does something else at its hundredth quote.
struct Misbehaving {
    misbehaves: bool,
    seen: u64,
    at_hundredth: fn(&Misbehaving),
    is_released: Arc<AtomicBool>,
}

impl Consumer for Misbehaving {
    fn on_quote<C: Clock>(&mut self, _quote: Fresh<'_, C>) {
        self.seen += 1;
        if self.misbehaves && self.seen == 100 {
            (self.at_hundredth)(self);
        }
    }
}

fn misbehaving_on(
    lane: &'static str,
    at_hundredth: fn(&Misbehaving),
    is_released: &Arc<AtomicBool>,
) -> impl FnMut(&LaneConfig, &freshlane_quote::EngineClock) -> Misbehaving {
    let is_released = is_released.clone();
    move |config, _clock| Misbehaving {
        misbehaves: config.name == lane,
        seen: 0,
        at_hundredth,
        is_released: is_released.clone(),
    }
}

#[test]
fn a_run_ends_balanced_with_nothing_queued() {
    let mut engine = Engine::start(&config()).unwrap();
    wait_until("quotes", || (0..4).all(|lane| delivered(&engine, lane) > 1_000));
    engine.stop().unwrap();
    let report = Report::of(engine.telemetry(), &["NASDAQ"], &[]);
    assert!(report.is_balanced());
    for lane in &report.lanes {
        assert_eq!(lane.queued, 0, "{}", lane.name);
        assert_eq!(lane.offered, lane.delivered + lane.expired + lane.dropped, "{}", lane.name);
        assert_eq!(lane.offered, report.feeds[0].outcomes["quoted"], "{}", lane.name);
        assert_eq!(lane.latency_ns.count, lane.delivered, "{}", lane.name);
    }
}

#[test]
fn a_stop_right_after_the_start_loses_nothing() {
    for _ in 0..10 {
        let mut engine = Engine::start(&config()).unwrap();
        engine.stop().unwrap();
        let report = Report::of(engine.telemetry(), &["NASDAQ"], &[]);
        assert!(report.is_balanced());
        let quoted = report.feeds[0].outcomes["quoted"];
        assert!(report.lanes.iter().all(|lane| lane.queued == 0 && lane.offered == quoted));
    }
}

#[test]
fn a_consumer_that_panics_is_detached_and_nobody_else_notices() {
    let is_released = Arc::new(AtomicBool::new(false));
    let panics = misbehaving_on("pricing", |_| panic!("no model for this"), &is_released);
    let mut engine = Engine::start_with(&config(), panics).unwrap();
    wait_until("the others go on", || {
        [0, 2, 3].iter().all(|&lane| delivered(&engine, lane) > 5_000)
    });
    engine.stop().unwrap();
    let report = Report::of(engine.telemetry(), &["NASDAQ"], &[]);
    assert!(report.is_balanced());
    let pricing = &report.lanes[1];
    assert_eq!(pricing.delivered, 100, "the quote in hand counts as delivered");
    assert_eq!(pricing.panic.as_deref(), Some("no model for this"));
    assert_eq!(pricing.dropped, pricing.dropped_by_reason["detached"]);
    assert!(pricing.dropped > 0);
    assert!(report.lanes.iter().all(|lane| lane.name == "pricing" || lane.panic.is_none()));
    let departures = engine.crew().threads().iter().flat_map(|thread| thread.departures());
    assert!(departures.into_iter().all(|departure| departure.ending == Ending::Finished));
}

#[test]
fn a_consumer_that_never_comes_back_is_named_at_the_stop() {
    let is_released = Arc::new(AtomicBool::new(false));
    let stuck = misbehaving_on(
        "risk",
        |consumer| {
            while !consumer.is_released.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        },
        &is_released,
    );
    let mut config = config();
    config.engine.shutdown_timeout_ns = 200_000_000;
    let mut engine = Engine::start_with(&config, stuck).unwrap();
    wait_until("it is stuck", || {
        delivered(&engine, 3) == 99
            || delivered(&engine, 3) == 100
            || engine.telemetry().lanes[3].ledger().queued() > 1_000
    });
    let error = engine.stop().unwrap_err();
    assert!(error.to_string().contains("risk"), "{error}");
    is_released.store(true, Ordering::Relaxed);
    engine.stop().unwrap();
    assert!(Report::of(engine.telemetry(), &["NASDAQ"], &[]).is_balanced());
}

/// Freshness as the consumer itself sees it, by a clock of its own.
struct Suspicious<C> {
    clock: C,
    limit_ns: u64,
    stale: Arc<AtomicU64>,
    seen: u64,
}

impl<K: Clock> Consumer for Suspicious<K> {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        self.seen += 1;
        assert!(quote.age_ns() <= self.limit_ns);
        // Every so often it is far too slow, inside a chunk.
        if self.seen.is_multiple_of(997) {
            let until = self.clock.now() + 2 * self.limit_ns;
            while self.clock.now() < until {
                std::hint::spin_loop();
            }
            self.stale.fetch_add(u64::from(quote.still_fresh()), Ordering::Relaxed);
        }
    }
}

#[test]
fn a_consumer_that_stalls_inside_a_batch_is_not_handed_what_went_stale_meanwhile() {
    let mut config = config();
    config.lanes.truncate(1);
    (config.lanes[0].ttl_ns, config.lanes[0].margin_ns) = (Some(60_000_000), 10_000_000);
    let stale = Arc::new(AtomicU64::new(0));
    let counter = stale.clone();
    let mut engine = Engine::start_with(&config, move |_lane, clock| Suspicious {
        clock: clock.clone(),
        limit_ns: 50_000_000,
        stale: counter.clone(),
        seen: 0,
    })
    .unwrap();
    wait_until("it expired some", || {
        let total = engine.telemetry().lanes[0].ledger().total();
        total.delivered > 5_000 && total.expired > 1_000
    });
    engine.stop().unwrap();
    let report = Report::of(engine.telemetry(), &["NASDAQ"], &[]);
    assert_eq!(report.lanes[0].panic, None, "an age beyond the limit panics the consumer");
    assert!(report.is_balanced());
    assert_eq!(stale.load(Ordering::Relaxed), 0, "nothing is fresh after twice its life");
    assert!(report.lanes[0].latency_ns.max <= 50_000_000);
}
