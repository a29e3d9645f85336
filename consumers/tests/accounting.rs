//! Every record is accounted for, whatever the consumer does.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod support;

use std::panic::panic_any;
use std::sync::Arc;
use std::thread;

use freshlane_bus::{Bus, LaneTopics, OverflowPolicy, Pattern, Router, ingress};
use freshlane_consumers::{Consumer, ConsumerAgent, DigestConsumer, Discard, Fresh, WorkConsumer};
use freshlane_quote::clock::{ClockHints, ClockMode};
use freshlane_quote::{
    Agent, Clock, EngineClock, FeedEvent, InstrumentId, Quote, QuoteFlags, SimulatedClock,
    SymbolDirectory, VenueId,
};
use proptest::prelude::*;
use support::{MS, Recorder, Rig, SECOND, T0, end_of_session, ends, quote, spec};

/// Panics in one of its calls.
#[derive(Debug, Default)]
struct Fragile {
    panics_at_quote: Option<u64>,
    panics_at_event: bool,
    panics_when_idle: bool,
    quotes: u64,
    calls_after: u64,
    broken: bool,
}

impl Fragile {
    fn call(&mut self, panics: bool) {
        self.calls_after += u64::from(self.broken);
        if panics {
            self.broken = true;
            panic!("consumer gives up at quote {}", self.quotes);
        }
    }
}

impl Consumer for Fragile {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        self.quotes += 1;
        self.call(self.panics_at_quote == Some(quote.wire_sequence));
    }

    fn on_event(&mut self, _event: FeedEvent, _record: &Quote) {
        self.call(self.panics_at_event);
    }

    fn on_idle(&mut self) {
        self.call(self.panics_when_idle);
    }
}

fn fragile_rig(consumer: Fragile) -> Rig<Fragile, SimulatedClock> {
    Rig::new(spec(Some(200 * MS), 50 * MS), consumer, SimulatedClock::at(T0))
}

#[test]
fn a_consumer_that_panics_is_detached_reported_and_accounted_for() {
    let mut rig = fragile_rig(Fragile { panics_at_quote: Some(10), ..Fragile::default() });
    let quotes: Vec<_> = (0..100).map(|i| quote(i, T0)).collect();
    rig.offer(&quotes);
    assert_eq!(rig.agent.do_work(), 11, "the quote in its hands is done with");
    assert!(rig.telemetry.lane().is_detached());
    assert_eq!(rig.telemetry.panic_message(), Some("consumer gives up at quote 11"));
    rig.assert_balanced();
    assert_eq!(rig.poll_until_idle(), 89, "the agent goes on draining");
    rig.offer(&quotes);
    rig.offer(&[end_of_session(0, T0)]);
    rig.finish();
    let ledger = rig.telemetry.ledger();
    let total = ledger.total();
    assert_eq!((total.offered, total.delivered, total.dropped.detached), (200, 11, 189));
    assert_eq!(ledger.events.dropped, 1);
    assert_eq!(rig.agent.consumer().calls_after, 0, "it is never called again");
}

#[test]
fn a_panic_at_an_event_or_when_idle_detaches_as_well() {
    let mut rig = fragile_rig(Fragile { panics_at_event: true, ..Fragile::default() });
    rig.offer(&[quote(1, T0), end_of_session(2, T0), quote(3, T0)]);
    rig.finish();
    let ledger = rig.telemetry.ledger();
    assert_eq!((ledger.total().delivered, ledger.total().dropped.detached), (1, 1));
    assert_eq!(ledger.events.delivered, 1);
    let mut rig = fragile_rig(Fragile { panics_when_idle: true, ..Fragile::default() });
    assert_eq!((rig.agent.do_work(), rig.agent.do_work()), (0, 0));
    assert!(rig.telemetry.lane().is_detached());
    assert_eq!(rig.agent.consumer().calls_after, 0);
}

/// A panic payload that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a payload that cannot be dropped");
    }
}

struct Bomber;

impl Consumer for Bomber {
    fn on_quote<C: Clock>(&mut self, _quote: Fresh<'_, C>) {
        panic_any(Bomb);
    }
}

#[test]
fn an_odd_panic_payload_does_not_bring_the_agent_down() {
    let mut rig = Rig::new(spec(None, 0), Bomber, SimulatedClock::at(T0));
    rig.offer(&[quote(1, T0), quote(2, T0)]);
    rig.finish();
    assert_eq!(rig.telemetry.panic_message(), Some("panic without a message"));
    assert_eq!(rig.telemetry.ledger().total().delivered, 1);
}

#[test]
fn an_early_stop_counts_the_queue_as_dropped_by_shutdown() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(SECOND), 0), Recorder::new(&clock, 0), clock.clone());
    let quotes: Vec<_> = (0..100).map(|i| quote(i, T0)).collect();
    rig.offer(&quotes);
    rig.agent.do_work();
    rig.telemetry.lane().stop();
    rig.offer(&[end_of_session(1, T0)]);
    rig.finish();
    let ledger = rig.telemetry.ledger();
    assert_eq!((ledger.total().delivered, ledger.total().dropped.shutdown), (64, 36));
    assert_eq!(ledger.events.dropped, 1);
    assert!(!rig.telemetry.lane().is_detached());
    assert_eq!(rig.telemetry.panic_message(), None);
}

/// Pitfall 19: what was published is delivered, also when the end comes right behind it.
#[test]
fn a_shutdown_right_after_the_start_loses_nothing() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(SECOND), 0), Recorder::new(&clock, 0), clock.clone());
    let quotes: Vec<_> = (0..10).map(|i| quote(i, T0)).collect();
    rig.offer(&quotes);
    rig.finish();
    assert_eq!(rig.telemetry.ledger().total().delivered, 10);
}

#[test]
fn an_agent_that_is_dropped_early_detaches_its_lane() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(None, 0), Recorder::new(&clock, 0), clock.clone());
    rig.offer(&[quote(1, T0), quote(2, T0)]);
    let (telemetry, mut producer) = (Arc::clone(&rig.telemetry), rig.producer.take().unwrap());
    drop(rig.agent.into_consumer());
    producer.offer(&[quote(3, T0)], freshlane_bus::BatchShape::MIXED);
    let ledger = telemetry.ledger();
    assert_eq!((ledger.total().dropped.detached, ledger.queued(), ledger.imbalance()), (3, 0, 0));
}

#[test]
fn an_event_of_a_later_version_is_counted_and_not_handed_over() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(None, 0), Recorder::new(&clock, 0), clock.clone());
    rig.offer(&[Quote { bid_size: 4_711, ..end_of_session(1, T0) }, quote(2, T0)]);
    rig.finish();
    let events = rig.telemetry.ledger().events;
    assert_eq!((events.offered, events.delivered, events.dropped), (1, 0, 1));
    assert!(rig.agent.consumer().events.is_empty());
}

#[test]
fn only_a_plausible_venue_time_makes_an_end_to_end_sample() {
    let clock = SimulatedClock::at(T0 + 5 * MS);
    let mut rig = Rig::new(spec(None, 0), Discard, clock.clone());
    let base = quote(1, T0);
    rig.offer(&[
        Quote { ts_event: T0 - MS, ..base },
        Quote { flags: QuoteFlags::BAD_TIMESTAMP, ..base },
        Quote { ts_event: 0, ..base },
        Quote { ts_event: T0 + SECOND, ..base },
    ]);
    rig.finish();
    let end_to_end = rig.telemetry.end_to_end.snapshot();
    assert_eq!((end_to_end.count(), end_to_end.min_ns, end_to_end.max_ns), (2, 0, 6 * MS));
    assert_eq!(rig.telemetry.age_at_handover.snapshot().count(), 4);
}

#[test]
fn each_venue_has_its_own_account() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(200 * MS), 0), Discard, clock.clone());
    let of = |venue, ts_recv| Quote { venue: VenueId(venue), ..quote(1, ts_recv) };
    let old = T0 - SECOND;
    rig.offer(&[of(0, T0), of(1, T0), of(1, old), of(2, old), of(1, T0), of(999, T0)]);
    rig.finish();
    let ledger = rig.telemetry.ledger();
    let account = |venue| {
        let account = ledger.venue(VenueId(venue));
        (account.offered, account.delivered, account.expired)
    };
    assert_eq!([account(0), account(1), account(2)], [(1, 1, 0), (3, 2, 1), (1, 0, 1)]);
    assert_eq!(account(63), (1, 1, 0), "the row of all venues beyond the table");
}

#[test]
fn the_head_of_the_queue_is_shown_until_the_lane_is_empty() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(None, 0), Discard, clock.clone());
    assert_eq!(rig.telemetry.head_ts_recv.get(), 0);
    rig.offer(&[quote(1, T0 - 7)]);
    rig.agent.do_work();
    assert_eq!(rig.telemetry.head_ts_recv.get(), T0 - 7);
    rig.agent.do_work();
    assert_eq!(rig.telemetry.head_ts_recv.get(), 0);
}

#[test]
fn a_miscounted_lane_is_found_by_the_audit_of_its_agent() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(None, 0), Discard, clock.clone());
    rig.offer(&[quote(1, T0)]);
    rig.agent.do_work();
    rig.telemetry.lane().ledger().expired(VenueId(0), 3);
    clock.advance_by(SECOND);
    rig.offer(&[quote(2, T0)]);
    rig.agent.do_work();
    assert_eq!(rig.telemetry.ledger().audited_imbalance, -3);
}

#[derive(Clone, Debug)]
enum Op {
    Offer(u64),
    Event,
    Poll,
    Advance(u64),
    Stop,
    Detach,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (1..200_u64).prop_map(Op::Offer),
        2 => Just(Op::Event),
        8 => Just(Op::Poll),
        4 => (0..100 * MS).prop_map(Op::Advance),
        1 => Just(Op::Stop),
        1 => Just(Op::Detach),
    ]
}

proptest! {
    /// Whatever happens, and also if the consumer panics at some quote, each account balances after
    /// each step and nothing is left at the end.
    #[test]
    fn the_account_balances_after_every_run(
        ops in prop::collection::vec(op(), 1..60),
        panics_at_quote in prop::option::of(0..1_000_u64),
        capacity in 1..300_usize,
    ) {
        let clock = SimulatedClock::at(T0);
        let consumer = Fragile { panics_at_quote, ..Fragile::default() };
        let spec = freshlane_bus::LaneSpec { capacity, ..spec(Some(200 * MS), 50 * MS) };
        let mut rig = Rig::new(spec, consumer, clock.clone());
        let (mut quotes, mut events) = (0, 0);
        for op in ops {
            match op {
                Op::Offer(count) => {
                    let batch: Vec<_> =
                        (quotes..quotes + count).map(|i| quote(i, clock.now())).collect();
                    rig.offer(&batch);
                    quotes += count;
                }
                Op::Event => {
                    rig.offer(&[end_of_session(0, clock.now())]);
                    events += 1;
                }
                Op::Poll => {
                    rig.agent.do_work();
                }
                Op::Advance(by_ns) => clock.advance_by(by_ns),
                Op::Stop => rig.telemetry.lane().stop(),
                Op::Detach => rig.telemetry.lane().detach(),
            }
            rig.assert_balanced();
        }
        rig.finish();
        let ledger = rig.telemetry.ledger();
        prop_assert_eq!(ledger.total().offered, quotes);
        prop_assert_eq!(ledger.total().delivered, rig.agent.consumer().quotes);
        prop_assert_eq!(rig.agent.consumer().calls_after, 0);
        prop_assert_eq!((ledger.events.offered, ledger.events.queued()), (events, 0));
    }
}

/// What lanes 0 and 1 deliver when lane 2 is polled, frozen or broken.
fn digests_beside(
    third: impl FnOnce(freshlane_bus::LaneConsumer) -> Box<dyn Agent>,
) -> [String; 2] {
    let directory = Arc::new(SymbolDirectory::with_capacity(1));
    let instrument = directory.intern(VenueId(0), "A").unwrap();
    let all = LaneTopics { include: vec![Pattern::parse("#").unwrap()], exclude: vec![] };
    let router = Router::new(directory, &["V"], vec![all; 3]).unwrap();
    let (mut feed, ring) = ingress(256);
    let (producers, mut lanes): (Vec<_>, Vec<_>) = (0..3)
        .map(|_| {
            let spec = freshlane_bus::LaneSpec { capacity: 512, ..spec(Some(200 * MS), 0) };
            let (producer, lane, _) = ends(spec);
            (producer, lane)
        })
        .unzip();
    let mut bus = Bus::new(64, vec![ring], router, producers).unwrap();
    let clock = SimulatedClock::at(T0);
    let mut third = third(lanes.pop().unwrap());
    let mut agents: Vec<_> = lanes
        .into_iter()
        .map(|lane| ConsumerAgent::new(lane, DigestConsumer::new(Discard), clock.clone()))
        .collect();
    for i in 0..5_000 {
        clock.advance_by(MS);
        feed.push_batch(&[Quote { instrument, ..quote(i, clock.now()) }]);
        bus.do_work();
        // Lane 1 is polled rarely, so that some of its quotes expire.
        agents[0].do_work();
        if i % 256 == 0 {
            while agents[1].do_work() > 0 {}
        }
        third.do_work();
    }
    assert!(agents[1].telemetry().ledger().total().expired > 0);
    agents.iter().for_each(|agent| assert_eq!(agent.telemetry().ledger().imbalance(), 0));
    [agents[0].consumer().hex(), agents[1].consumer().hex()]
}

struct Frozen(#[allow(dead_code, reason = "kept alive, never polled")] freshlane_bus::LaneConsumer);

impl Agent for Frozen {
    fn name(&self) -> &str {
        "frozen"
    }

    fn do_work(&mut self) -> usize {
        0
    }
}

/// Pitfall 16: a lane stands alone.
#[test]
fn a_frozen_or_broken_consumer_does_not_change_what_the_others_get() {
    let clock = SimulatedClock::at(T0);
    let healthy = digests_beside(|lane| Box::new(ConsumerAgent::new(lane, Discard, clock.clone())));
    assert_eq!(digests_beside(|lane| Box::new(Frozen(lane))), healthy);
    let fragile = Fragile { panics_at_quote: Some(3), ..Fragile::default() };
    assert_eq!(
        digests_beside(|lane| Box::new(ConsumerAgent::new(lane, fragile, clock.clone()))),
        healthy
    );
}

/// The whole path on three threads with the live clock: nothing is lost, and the account holds at
/// every look.
#[test]
fn live_lanes_on_their_own_threads_balance_throughout() {
    const COUNT: u64 = 100_000;
    let (clock, mut timekeeper, _) =
        EngineClock::start(ClockMode::Auto, &ClockHints::default()).unwrap();
    let directory = Arc::new(SymbolDirectory::with_capacity(1));
    directory.intern(VenueId(0), "A").unwrap();
    let all = LaneTopics { include: vec![Pattern::parse("#").unwrap()], exclude: vec![] };
    let router = Router::new(directory, &["V"], vec![all; 2]).unwrap();
    let (mut feed, ring) = ingress(1_024);
    let block = freshlane_bus::LaneSpec {
        overflow: OverflowPolicy::Block,
        capacity: 1_000,
        ..spec(Some(10 * SECOND), 0)
    };
    let (to_block, from_block, _) = ends(block);
    let (to_drop, from_drop, _) = ends(spec(Some(10 * SECOND), 0));
    let mut bus = Bus::new(64, vec![ring], router, vec![to_block, to_drop]).unwrap();
    let worker = WorkConsumer::new(clock.clone(), 0);
    let mut blocking = ConsumerAgent::new(from_block, worker, clock.clone());
    let mut dropping = ConsumerAgent::new(from_drop, Discard, clock.clone());
    let telemetry = [blocking.telemetry(), dropping.telemetry()];
    fn run(agent: &mut impl Agent) {
        while !agent.is_finished() {
            if agent.do_work() == 0 {
                thread::yield_now();
            }
        }
        agent.on_close();
    }
    thread::scope(|scope| {
        scope.spawn(move || {
            run(&mut bus);
            drop(bus);
        });
        scope.spawn(move || {
            run(&mut blocking);
            run(&mut dropping);
        });
        let clock = clock.clone();
        scope.spawn(move || {
            let mut pushed = 0;
            while pushed < COUNT {
                let now = clock.now();
                let record = Quote { instrument: InstrumentId(0), ..quote(pushed, now) };
                pushed += feed.push_batch(&[record]) as u64;
                if pushed % 64 == 0 {
                    thread::yield_now();
                }
            }
        });
        while telemetry.iter().any(|lane| !lane.lane().is_closed()) {
            for lane in &telemetry {
                assert_eq!(lane.ledger().imbalance(), 0);
            }
            timekeeper.poll();
            thread::yield_now();
        }
    });
    for lane in &telemetry {
        let (ledger, total) = (lane.ledger(), lane.ledger().total());
        assert_eq!((ledger.imbalance(), ledger.queued(), total.offered), (0, 0, COUNT));
    }
    let lossless = telemetry[0].ledger().total();
    assert_eq!(lossless.delivered + lossless.expired, COUNT);
}
