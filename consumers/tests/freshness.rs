//! Fresh or not at all.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod support;

use freshlane_consumers::{Discard, Gate};
use freshlane_quote::{Agent, Clock, Quote, QuoteFlags, SimulatedClock, VenueId};
use proptest::prelude::*;
use support::{MS, Recorder, Rig, SECOND, T0, end_of_session, quote, spec};

/// The rule of the gate, written down once more.
fn limit_by_rule(ttl_ns: Option<u64>, margin_ns: u64, ttl_us: u32) -> Option<u64> {
    let own = (ttl_us != 0).then_some(u64::from(ttl_us) * 1_000);
    let ttl = [ttl_ns, own].into_iter().flatten().min()?;
    Some(ttl.saturating_sub(margin_ns))
}

fn is_delivered(ttl_ns: Option<u64>, margin_ns: u64, quote: Quote, now_ns: u64) -> bool {
    let clock = SimulatedClock::at(now_ns);
    let mut rig = Rig::new(spec(ttl_ns, margin_ns), Recorder::new(&clock, 0), clock.clone());
    rig.offer(&[quote]);
    rig.finish();
    let total = rig.telemetry.ledger().total();
    assert_eq!(total.delivered + total.expired, 1);
    total.delivered == 1
}

#[test]
fn an_age_of_exactly_the_limit_is_fresh_and_one_ns_more_is_not() {
    for (ttl_ns, margin_ns, ttl_us) in [
        (Some(200 * MS), 0, 0),
        (Some(200 * MS), 50 * MS, 0),
        (Some(200 * MS), 50 * MS, 120_000),
        (Some(200 * MS), 50 * MS, 500_000),
        (Some(200 * MS), 50 * MS, u32::MAX),
        (Some(5 * SECOND), 50 * MS, 0),
        (Some(MS), 0, 0),
        (Some(1), 0, 0),
        (Some(0), 0, 0),
        (Some(200 * MS), 200 * MS, 0),
        (Some(200 * MS), u64::MAX, 0),
        (Some(u64::MAX), 1, 1),
        (None, 50 * MS, 120_000),
        (None, 50 * MS, 1),
        (None, 0, 1),
    ] {
        let limit_ns = limit_by_rule(ttl_ns, margin_ns, ttl_us).unwrap();
        let quote = Quote { ttl_us, ..quote(1, T0) };
        let case = format!("ttl {ttl_ns:?} margin {margin_ns} own {ttl_us}");
        assert!(is_delivered(ttl_ns, margin_ns, quote, T0 + limit_ns), "{case}");
        assert!(!is_delivered(ttl_ns, margin_ns, quote, T0 + limit_ns + 1), "{case}");
    }
}

#[test]
fn a_lane_without_a_time_to_live_delivers_any_age() {
    assert!(is_delivered(None, 50 * MS, quote(1, 0), u64::MAX));
    assert!(is_delivered(None, u64::MAX, quote(1, 1), T0));
}

#[test]
fn extreme_times_neither_overflow_nor_panic() {
    for ts_recv in [0, 1, T0, u64::MAX] {
        for now_ns in [0, 1, T0, u64::MAX] {
            for ts_event in [0, 1, T0, u64::MAX] {
                let quote = Quote { ts_event, ..quote(1, ts_recv) };
                let age_ns = now_ns.saturating_sub(ts_recv);
                let fresh = is_delivered(Some(200 * MS), 50 * MS, quote, now_ns);
                assert_eq!(fresh, age_ns <= 150 * MS, "recv {ts_recv} now {now_ns}");
            }
        }
    }
}

/// Pitfall 24: only the engine's receive time counts, whatever the venue's clock says.
#[test]
fn the_venues_clock_has_no_say() {
    const YEAR: u64 = 365 * 86_400 * SECOND;
    let now_ns = T0 + 201 * MS;
    for ts_event in [T0 + YEAR, T0 - YEAR, T0, 0] {
        let old = Quote { ts_event, ..quote(1, T0) };
        assert!(!is_delivered(Some(200 * MS), 0, old, now_ns));
        let young = Quote { ts_event, ..quote(1, T0 + 2 * MS) };
        assert!(is_delivered(Some(200 * MS), 0, young, now_ns));
    }
}

#[test]
fn a_receive_time_ahead_of_the_clock_is_age_zero() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(200 * MS), 0), Recorder::new(&clock, 0), clock.clone());
    rig.offer(&[quote(1, T0 + MS), quote(2, T0 + SECOND), quote(3, u64::MAX)]);
    rig.finish();
    assert!(rig.agent.consumer().seen.iter().all(|seen| seen.age_ns == 0));
    assert_eq!(rig.telemetry.ledger().total().delivered, 3);
}

/// Pitfall 25: quotes age in the chunk while the consumer works on those before them.
#[test]
fn a_slow_consumer_is_not_handed_what_aged_behind_its_back() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(200 * MS), 0), Recorder::new(&clock, 10 * MS), clock.clone());
    let quotes: Vec<_> = (0..64).map(|i| quote(i, T0)).collect();
    rig.offer(&quotes);
    rig.finish();
    // Ages 0, 10, …, 200 ms: the last one is exactly at its limit.
    assert_eq!(rig.agent.consumer().sequences(), (0..21).collect::<Vec<_>>());
    assert_eq!(rig.telemetry.ledger().total().expired, 43);
    assert_eq!(rig.telemetry.age_at_handover.snapshot().max_ns, 200 * MS);
}

#[test]
fn a_consumer_can_ask_again_before_it_acts() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(200 * MS), 50 * MS), Recorder::new(&clock, 60 * MS), clock);
    rig.offer(&[quote(1, T0), quote(2, T0), quote(3, T0)]);
    rig.finish();
    let seen: Vec<_> = rig
        .agent
        .consumer()
        .seen
        .iter()
        .map(|seen| (seen.age_ns / MS, seen.remaining_ns / MS, seen.still_fresh_after_work))
        .collect();
    assert_eq!(seen, [(0, 150, true), (60, 90, true), (120, 30, false)]);
}

/// Each reading of this clock is a second later than the one before.
#[derive(Clone, Debug)]
struct Leaping(SimulatedClock);

impl Clock for Leaping {
    fn now(&self) -> u64 {
        self.0.jump_to(self.0.now() + SECOND);
        self.0.now()
    }

    fn tick(&self) -> u64 {
        self.0.now()
    }
}

/// Pitfall 24: one decision uses one reading; the verdict and the age written down agree.
#[test]
fn verdict_and_recorded_age_come_from_one_reading() {
    let clock = SimulatedClock::at(T0);
    let ttl_ns = 10 * SECOND + 500 * MS;
    let mut rig = Rig::new(spec(Some(ttl_ns), 0), Recorder::new(&clock, 0), Leaping(clock.clone()));
    let quotes: Vec<_> = (0..64).map(|i| quote(i, T0)).collect();
    rig.offer(&quotes);
    rig.finish();
    let (delivered, expired) =
        (rig.telemetry.age_at_handover.snapshot(), rig.telemetry.age_at_drop.snapshot());
    assert!(delivered.max_ns <= ttl_ns && delivered.count() > 0);
    assert!(expired.min_ns > ttl_ns && expired.count() > 0);
}

/// Pitfall 28: a jump forward expires what is queued once; a step back makes nothing older.
#[test]
fn a_clock_that_jumps_expires_a_queue_once_and_never_goes_negative() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(200 * MS), 0), Recorder::new(&clock, 0), clock.clone());
    rig.offer(&[quote(1, T0), quote(2, T0)]);
    clock.jump_to(T0 + 3_600 * SECOND);
    rig.poll_until_idle();
    assert_eq!(rig.telemetry.ledger().total().expired, 2);
    clock.jump_to(T0 - MS);
    rig.offer(&[quote(3, T0)]);
    rig.finish();
    assert_eq!(rig.agent.consumer().seen[0].age_ns, 0);
    assert_eq!(rig.telemetry.ledger().total().expired, 2);
}

#[test]
fn events_do_not_expire_and_keep_their_place() {
    let clock = SimulatedClock::at(T0 + SECOND);
    let mut rig = Rig::new(spec(Some(200 * MS), 0), Recorder::new(&clock, 0), clock.clone());
    rig.offer(&[quote(1, T0 + SECOND), end_of_session(2, T0), quote(3, T0), quote(4, T0 + SECOND)]);
    rig.finish();
    let consumer = rig.agent.consumer();
    assert_eq!(consumer.sequences(), [1, 4]);
    assert_eq!(consumer.events.iter().map(|event| event.0).collect::<Vec<_>>(), [2]);
    assert_eq!(rig.telemetry.ledger().events.delivered, 1);
}

#[test]
fn the_gate_reads_the_clock_only_near_the_limit() {
    let clock = SimulatedClock::at(T0);
    let mut gate = Gate::new(&spec(Some(SECOND), 0), Leaping(clock.clone()));
    let now_ns = gate.now_ns();
    let _ = gate.judge::<true>(&quote(1, now_ns));
    let _ = gate.judge::<true>(&quote(2, now_ns - SECOND - 1));
    assert_eq!(gate.now_ns(), now_ns, "far from it, or beyond it already");
    let slack_ns = Gate::<Leaping>::SLACK_NS;
    assert!(!gate.judge::<true>(&quote(3, now_ns - SECOND + slack_ns)).is_fresh());
    assert_eq!(gate.now_ns(), now_ns + SECOND);
}

/// A clock whose tick moves only every `step_ns`.
#[derive(Clone, Debug)]
struct Coarse {
    clock: SimulatedClock,
    step_ns: u64,
}

impl Clock for Coarse {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn tick(&self) -> u64 {
        self.clock.now() / self.step_ns * self.step_ns
    }
}

#[test]
fn near_the_limit_a_tick_that_stands_still_is_not_trusted() {
    let clock = SimulatedClock::at(T0);
    let frozen = Coarse { clock: clock.clone(), step_ns: u64::MAX };
    let mut rig = Rig::new(spec(Some(100 * MS), 0), Recorder::new(&clock, 2 * MS), frozen);
    let quotes: Vec<_> = (0..64).map(|i| quote(i, T0)).collect();
    rig.offer(&quotes);
    clock.advance_by(80 * MS);
    rig.finish();
    // Ages 80, 82, …, 100 ms.
    assert_eq!(rig.agent.consumer().seen.len(), 11);
    assert!(rig.agent.consumer().seen.iter().all(|seen| seen.true_age_ns == seen.age_ns));
}

#[derive(Clone, Debug)]
enum Op {
    Offer { count: u64, age_ns: u64, ttl_us: u32, special: u8 },
    Jump { forward: bool, by_ns: u64 },
    Poll,
}

fn op(with_steps_back: bool) -> impl Strategy<Value = Op> {
    let span_ns = prop_oneof![0..5 * MS, 0..400 * MS, 100 * MS..200 * MS];
    prop_oneof![
        (1..80_u64, span_ns.clone(), prop_oneof![3 => Just(0), 1 => 1..300_000_u32], 0..12_u8)
            .prop_map(|(count, age_ns, ttl_us, special)| Op::Offer {
                count,
                age_ns,
                ttl_us,
                special
            }),
        (prop::bool::weighted(if with_steps_back { 0.5 } else { 1.0 }), span_ns)
            .prop_map(|(forward, by_ns)| Op::Jump { forward, by_ns }),
        Just(Op::Poll),
    ]
}

/// Quotes of which some are not ordinary: another venue, an event, a bad or missing venue time.
fn special(quote: Quote, kind: u8) -> Quote {
    match kind {
        0 => Quote { venue: VenueId(5), ..quote },
        1 => end_of_session(quote.wire_sequence, quote.ts_recv),
        2 => Quote { flags: QuoteFlags::BAD_TIMESTAMP, ..quote },
        3 => Quote { ts_event: 0, ..quote },
        _ => quote,
    }
}

/// Runs `ops` and looks at what was handed over.
fn run(
    ttl_ns: Option<u64>,
    margin_ns: u64,
    service_time_ns: u64,
    step_ns: u64,
    ops: &[Op],
) -> Result<(), TestCaseError> {
    let clock = SimulatedClock::at(T0);
    let coarse = Coarse { clock: clock.clone(), step_ns };
    let recorder = Recorder::new(&clock, service_time_ns);
    let mut rig = Rig::new(spec(ttl_ns, margin_ns), recorder, coarse);
    let mut records = Vec::new();
    for op in ops {
        match *op {
            Op::Offer { count, age_ns, ttl_us, special: kind } => {
                let ts_recv = clock.now() - age_ns;
                for i in 0..count {
                    let base = quote(records.len() as u64, ts_recv + i * (age_ns / 97));
                    let base = Quote { ttl_us: if i % 3 == 0 { ttl_us } else { 0 }, ..base };
                    let record = if i == count / 2 { special(base, kind) } else { base };
                    records.push(record);
                    rig.offer(&[record]);
                }
            }
            Op::Jump { forward: true, by_ns } => clock.jump_to(clock.now() + by_ns),
            Op::Jump { forward: false, by_ns } => clock.jump_to(clock.now() - by_ns),
            Op::Poll => {
                rig.agent.do_work();
            }
        }
    }
    rig.finish();
    let consumer = rig.agent.consumer();
    prop_assert!(consumer.sequences().is_sorted_by(|a, b| a < b), "first in, first out");
    let mut plausible = 0;
    for seen in &consumer.seen {
        let record = records[usize::try_from(seen.wire_sequence).unwrap()];
        let is_bad = record.flags.contains(QuoteFlags::BAD_TIMESTAMP);
        plausible += u64::from(record.ts_event != 0 && !is_bad);
        if let Some(limit_ns) = limit_by_rule(ttl_ns, margin_ns, record.ttl_us) {
            prop_assert!(seen.true_age_ns <= limit_ns, "{seen:?} beyond {limit_ns}");
            prop_assert!(seen.age_ns <= limit_ns);
            prop_assert_eq!(seen.remaining_ns, limit_ns - seen.age_ns);
        }
    }
    prop_assert_eq!(rig.telemetry.end_to_end.snapshot().count(), plausible);
    let ledger = rig.telemetry.ledger();
    prop_assert_eq!(ledger.total().delivered, consumer.seen.len() as u64);
    prop_assert_eq!(ledger.events.delivered, consumer.events.len() as u64);
    prop_assert_eq!(ledger.total().offered + ledger.events.offered, records.len() as u64);
    Ok(())
}

proptest! {
    /// A clock that jumps anywhere between polls, and a consumer that takes its time.
    #[test]
    fn no_quote_beyond_its_limit_is_ever_handed_over(
        ttl_ns in prop_oneof![1 => Just(None), 4 => (0..300 * MS).prop_map(Some)],
        margin_ns in prop_oneof![Just(0), 0..100 * MS],
        service_time_ns in prop_oneof![Just(0), 0..20 * MS],
        ops in prop::collection::vec(op(true), 1..40),
    ) {
        run(ttl_ns, margin_ns, service_time_ns, 1, &ops)?;
    }

    /// The tick stands still for up to its slack while time goes on.
    #[test]
    fn a_late_tick_lets_no_stale_quote_through(
        ttl_ns in 0..300 * MS,
        step_ns in 1..=Gate::<Coarse>::SLACK_NS,
        service_time_ns in 0..3 * MS,
        ops in prop::collection::vec(op(false), 1..30),
    ) {
        run(Some(ttl_ns), 0, service_time_ns, step_ns, &ops)?;
    }
}

/// Pitfall 21: a lane's quotes wait behind no other lane's.
#[test]
fn lanes_of_different_patience_do_not_wait_for_each_other() {
    let clock = SimulatedClock::at(T0);
    let rig = |ttl_ns| Rig::new(spec(Some(ttl_ns), 0), Recorder::new(&clock, 0), clock.clone());
    let (mut short, mut long) = (rig(200 * MS), rig(5 * SECOND));
    for i in 0..50 {
        short.offer(&[quote(i, T0)]);
        long.offer(&[quote(i, T0)]);
    }
    clock.advance_by(300 * MS);
    assert_eq!((short.agent.do_work(), long.agent.do_work()), (50, 50), "one poll each");
    assert_eq!(short.telemetry.ledger().total().expired, 50);
    assert_eq!(long.agent.consumer().seen.len(), 50);
}

/// Pitfall 26: a pause of one second on a lane of 200 ms, with 1,000 quotes a second.
#[test]
fn expiry_is_counted_and_its_ages_are_on_record() {
    let clock = SimulatedClock::at(T0);
    let mut rig = Rig::new(spec(Some(200 * MS), 0), Discard, clock.clone());
    assert_eq!(rig.telemetry.age_at_drop.snapshot().count(), 0, "there from the start");
    for i in 0..1_000 {
        clock.advance_to(T0 + i * MS);
        rig.offer(&[quote(i, T0 + i * MS)]);
    }
    clock.advance_to(T0 + SECOND);
    rig.finish();
    let total = rig.telemetry.ledger().total();
    assert_eq!((total.expired, total.delivered), (800, 200));
    let (delivered, dropped) =
        (rig.telemetry.age_at_handover.snapshot(), rig.telemetry.age_at_drop.snapshot());
    assert_eq!(delivered.max_ns, 200 * MS);
    assert_eq!((dropped.min_ns, dropped.max_ns), (201 * MS, SECOND));
}
