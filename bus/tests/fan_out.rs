//! The fan-out agent from outside: ingress rings in, lanes out.

#![cfg(not(loom))]
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::sync::Arc;
use std::thread;

use freshlane_bus::{
    BatchShape, Bus, BusError, GateDrop, IngressProducer, LaneConsumer, LaneProducer, LaneSpec,
    LaneTopics, OverflowPolicy, Pattern, Router, ingress, lane,
};
use freshlane_quote::{Agent, InstrumentId, Quote, QuoteFlags, SymbolDirectory, VenueId};
use proptest::prelude::*;

use OverflowPolicy::{Block, DropNewest};

const SYMBOLS: [&str; 4] = ["A", "B", "C.X", "D"];

/// A bus with one venue and the four symbols as instruments 0 to 3.
struct Rig {
    bus: Bus,
    feeds: Vec<IngressProducer>,
    lanes: Vec<LaneConsumer>,
}

fn topics(pattern: &str) -> LaneTopics {
    LaneTopics { include: vec![Pattern::parse(pattern).unwrap()], exclude: vec![] }
}

fn lane_of(capacity: usize, overflow: OverflowPolicy) -> (LaneProducer, LaneConsumer) {
    let spec = LaneSpec { name: "lane".into(), ttl_ns: None, margin_ns: 0, capacity, overflow };
    let (producer, consumer, _) = lane(spec).unwrap();
    (producer, consumer)
}

fn router(patterns: &[&str]) -> Router {
    let directory = Arc::new(SymbolDirectory::with_capacity(4));
    for symbol in SYMBOLS {
        directory.intern(VenueId(0), symbol).unwrap();
    }
    Router::new(directory, &["V"], patterns.iter().map(|p| topics(p)).collect()).unwrap()
}

fn rig(
    batch_max: usize,
    feed_count: usize,
    feed_capacity: usize,
    lanes: &[(&str, usize, OverflowPolicy)],
) -> Rig {
    let patterns: Vec<_> = lanes.iter().map(|lane| lane.0).collect();
    let (producers, consumers) = lanes.iter().map(|lane| lane_of(lane.1, lane.2)).unzip();
    let (feeds, rings) = (0..feed_count).map(|_| ingress(feed_capacity)).unzip();
    let bus = Bus::new(batch_max, rings, router(&patterns), producers).unwrap();
    Rig { bus, feeds, lanes: consumers }
}

fn quote(wire_sequence: u64, instrument: u32) -> Quote {
    Quote { wire_sequence, instrument: InstrumentId(instrument), ..Quote::EMPTY }
}

/// Takes at most `count_max` records out of a lane and counts them as delivered.
fn take(lane: &mut LaneConsumer, count_max: usize) -> Vec<u64> {
    let shared = Arc::clone(lane.shared());
    let mut seen = Vec::new();
    while seen.len() < count_max
        && let Some(chunk) = lane.chunk(count_max - seen.len())
    {
        for record in chunk.records() {
            seen.push(record.wire_sequence);
            match record.is_event() {
                true => shared.ledger().events_delivered(1),
                false => shared.ledger().delivered(record.venue, 1),
            }
        }
        let count = chunk.records().len();
        chunk.release(count);
    }
    seen
}

fn run_until_idle(bus: &mut Bus) -> usize {
    std::iter::from_fn(|| Some(bus.do_work()).filter(|work| *work > 0)).sum()
}

fn assert_balanced(lane: &LaneConsumer) {
    assert_eq!(lane.check(), 0);
    let snapshot = lane.shared().snapshot();
    assert_eq!(snapshot.imbalance(), 0);
    let total = snapshot.total();
    assert_eq!(
        total.offered,
        total.delivered + total.expired + total.dropped.total() + snapshot.queued()
    );
}

#[test]
fn each_lane_gets_what_its_topics_select_in_order() {
    for batch_max in [1, 2, 3, 64, 1024] {
        let lanes = [("#", 1000, DropNewest), ("market-data.V.A", 1000, Block), ("#.X", 9, Block)];
        let Rig { mut bus, mut feeds, mut lanes } = rig(batch_max, 1, 500, &lanes);
        let records: Vec<_> = (0..9).map(|i| quote(i, (i % 5) as u32)).collect();
        assert_eq!(feeds[0].push_batch(&records), 9);
        assert_eq!(run_until_idle(&mut bus), 9);
        assert_eq!(take(&mut lanes[0], 99), [0, 1, 2, 3, 5, 6, 7, 8], "batch {batch_max}");
        assert_eq!(take(&mut lanes[1], 99), [0, 5]);
        assert_eq!(take(&mut lanes[2], 99), [2, 7]);
        assert_eq!(bus.counters().received.get(), 9);
        assert_eq!(bus.counters().unrouted.get(), 1, "nobody assigned instrument 4");
        lanes.iter().for_each(assert_balanced);
    }
}

#[test]
fn a_lone_quote_does_not_wait_for_a_batch() {
    let Rig { mut bus, mut feeds, mut lanes } = rig(64, 1, 8, &[("#", 8, DropNewest)]);
    feeds[0].push_batch(&[quote(1, 0)]);
    assert_eq!(bus.do_work(), 1);
    assert_eq!(take(&mut lanes[0], 9), [1]);
}

#[test]
fn a_turn_takes_one_bounded_batch_of_each_feed_in_turn() {
    let Rig { mut bus, mut feeds, mut lanes } = rig(2, 3, 8, &[("#", 99, DropNewest)]);
    for (feed, first) in feeds.iter_mut().zip([10, 20, 30]) {
        feed.push_batch(&[quote(first, 0), quote(first + 1, 0), quote(first + 2, 0)]);
    }
    assert_eq!(bus.do_work(), 6);
    assert_eq!(take(&mut lanes[0], 99), [10, 11, 20, 21, 30, 31]);
    assert_eq!(bus.do_work(), 3);
    assert_eq!(take(&mut lanes[0], 99), [12, 22, 32]);
    assert_eq!(bus.do_work(), 0);
}

#[test]
fn a_feed_event_without_instrument_reaches_every_lane_in_its_place() {
    let lanes = [("#", 9, DropNewest), ("#.A", 9, DropNewest), ("nothing", 9, DropNewest)];
    let Rig { mut bus, mut feeds, mut lanes } = rig(64, 1, 8, &lanes);
    let event = Quote { flags: QuoteFlags::FEED_EVENT, ..quote(2, u32::MAX) };
    feeds[0].push_batch(&[quote(1, 0), event, quote(3, 1), quote(4, 0)]);
    bus.do_work();
    assert_eq!(take(&mut lanes[0], 9), [1, 2, 3, 4]);
    assert_eq!(take(&mut lanes[1], 9), [1, 2, 4]);
    assert_eq!(take(&mut lanes[2], 9), [2]);
    lanes.iter().for_each(assert_balanced);
}

#[test]
fn a_full_block_lane_holds_up_the_intake_and_loses_nothing() {
    let lanes = [("#", 99, DropNewest), ("#.A", 2, Block), ("#", 99, Block)];
    let Rig { mut bus, mut feeds, mut lanes } = rig(64, 2, 16, &lanes);
    let records: Vec<_> = (0..8).map(|i| quote(i, (i % 2) as u32)).collect();
    feeds[0].push_batch(&records);
    feeds[1].push_batch(&[quote(100, 0)]);
    assert_eq!(bus.do_work(), 0, "the batch is not through");
    assert!(bus.is_stalled());
    assert_eq!(take(&mut lanes[0], 99), (0..8).collect::<Vec<_>>(), "the others have theirs");
    assert_eq!(bus.do_work(), 0);
    assert_eq!(take(&mut lanes[0], 99), [], "and get nothing twice");
    assert_eq!(take(&mut lanes[1], 1), [0]);
    assert_eq!(bus.do_work(), 0, "one more fitted, one is left");
    assert_eq!(take(&mut lanes[1], 9), [2, 4]);
    assert_eq!(bus.do_work(), 9, "the rest, and the other feed's");
    assert!(!bus.is_stalled());
    assert_eq!(take(&mut lanes[1], 9), [6, 100]);
    assert_eq!(take(&mut lanes[2], 99), (0..8).chain([100]).collect::<Vec<_>>());
    assert_eq!(bus.counters().received.get(), 9);
    assert_eq!(bus.counters().stalled_turns.get(), 3);
    lanes.iter().for_each(assert_balanced);
}

#[test]
fn detaching_a_stuck_block_lane_releases_the_bus() {
    let Rig { mut bus, mut feeds, lanes } = rig(64, 1, 16, &[("#", 2, Block)]);
    feeds[0].push_batch(&[quote(0, 0); 5]);
    bus.do_work();
    assert!(bus.is_stalled());
    lanes[0].shared().detach();
    assert_eq!(bus.do_work(), 5);
    let total = lanes[0].shared().snapshot().total();
    assert_eq!((total.offered, total.dropped.detached, total.queued()), (5, 3, 2));
    assert_balanced(&lanes[0]);
}

#[test]
fn the_bus_is_finished_when_all_feeds_are_closed_and_drained() {
    let Rig { mut bus, mut feeds, mut lanes } = rig(4, 2, 8, &[("#", 99, DropNewest)]);
    assert!(!bus.is_finished());
    feeds[0].push_batch(&[quote(1, 0); 6]);
    feeds.clear();
    assert!(!bus.is_finished(), "six records are left");
    run_until_idle(&mut bus);
    assert!(bus.is_finished());
    assert!(!lanes[0].is_finished());
    bus.on_close();
    assert!(!lanes[0].is_finished(), "closed, but not drained");
    take(&mut lanes[0], 99);
    assert!(lanes[0].is_finished());
}

#[test]
fn a_stalled_bus_is_not_finished_and_dropping_it_closes_the_lanes() {
    let Rig { mut bus, mut feeds, mut lanes } = rig(4, 1, 8, &[("#", 1, Block)]);
    feeds[0].push_batch(&[quote(1, 0), quote(2, 0)]);
    feeds.clear();
    bus.do_work();
    assert!(!bus.is_finished());
    drop(bus);
    assert_eq!(take(&mut lanes[0], 9), [1]);
    assert!(lanes[0].is_finished());
}

#[test]
fn a_bus_without_feeds_is_finished() {
    let Rig { mut bus, .. } = rig(4, 0, 8, &[("#", 1, Block)]);
    assert_eq!(bus.do_work(), 0);
    assert!(bus.is_finished());
}

#[test]
fn a_bus_that_cannot_be_is_refused() {
    let lanes = || vec![lane_of(1, Block).0];
    for batch_max in [0, 1025] {
        let error = Bus::new(batch_max, vec![], router(&["#"]), lanes()).unwrap_err();
        assert_eq!(error, BusError::Batch { batch_max });
    }
    let error = Bus::new(1, vec![], router(&["#", "#"]), lanes()).unwrap_err();
    assert_eq!(error.to_string(), "the router knows 2 lanes and the bus has 1");
}

/// Pitfall 16, without the clock: lane 2 is never polled.
#[test]
fn a_frozen_lane_changes_nothing_for_the_others() {
    const COUNT: u64 = if cfg!(debug_assertions) { 100_000 } else { 10_000_000 };
    let lanes = [("#", 1024, DropNewest); 4];
    let Rig { mut bus, mut feeds, mut lanes } = rig(64, 1, 1024, &lanes);
    let mut expected = 0;
    while expected < COUNT {
        let batch: Vec<_> = (expected..expected + 500).map(|i| quote(i, (i % 4) as u32)).collect();
        assert_eq!(feeds[0].push_batch(&batch), 500, "the producer never waits");
        run_until_idle(&mut bus);
        for polled in [0, 1, 3] {
            let seen = take(&mut lanes[polled], usize::MAX);
            assert!(seen.into_iter().eq(expected..expected + 500));
        }
        expected += 500;
    }
    for (index, lane) in lanes.iter().enumerate() {
        assert_balanced(lane);
        let total = lane.shared().snapshot().total();
        let dropped = if index == 2 { COUNT - 1024 } else { 0 };
        assert_eq!((total.offered, total.dropped.lane_full), (COUNT, dropped));
    }
}

/// Pitfall 17: feed, bus and three lanes of different speed on their own threads; the account of
/// each lane is looked at while they run and is exact at the end.
#[test]
fn the_account_holds_while_everyone_runs() {
    const COUNT: u64 = 200_000;
    let lanes = [("#", 512, DropNewest), ("#", 512, Block), ("#.A", 512, DropNewest)];
    let Rig { mut bus, mut feeds, lanes } = rig(64, 1, 256, &lanes);
    let shared: Vec<_> = lanes.iter().map(|lane| Arc::clone(lane.shared())).collect();
    let mut feed = feeds.pop().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            for wire_sequence in 0..COUNT {
                while feed.push_batch(&[quote(wire_sequence, (wire_sequence % 2) as u32)]) == 0 {
                    thread::yield_now();
                }
            }
        });
        scope.spawn(move || {
            while !bus.is_finished() {
                if bus.do_work() == 0 {
                    thread::yield_now();
                }
            }
        });
        for (speed, mut lane) in [1, 7, 64].into_iter().zip(lanes) {
            scope.spawn(move || {
                let mut last = None;
                while !lane.is_finished() {
                    for wire_sequence in take(&mut lane, speed) {
                        assert!(last < Some(wire_sequence), "order");
                        last = Some(wire_sequence);
                    }
                    assert_eq!(lane.check(), 0);
                    thread::yield_now();
                }
            });
        }
        while shared.iter().any(|lane| !lane.is_closed()) {
            for lane in &shared {
                assert_eq!(lane.snapshot().imbalance(), 0);
            }
            thread::yield_now();
        }
    });
    let totals: Vec<_> = shared.iter().map(|lane| lane.snapshot().total()).collect();
    for (lane, total) in shared.iter().zip(&totals) {
        assert_eq!(lane.snapshot().queued(), 0);
        assert_eq!(total.offered, total.delivered + total.dropped.total());
    }
    assert_eq!(totals.iter().map(|t| t.offered).collect::<Vec<_>>(), [COUNT, COUNT, COUNT / 2]);
    assert_eq!(totals[1].dropped.total(), 0, "`block` loses nothing");
}

#[test]
fn throwing_away_a_queue_books_events_and_venues_apart() {
    let (mut producer, consumer) = lane_of(9, DropNewest);
    let at = |venue| Quote { venue: VenueId(venue), ..Quote::EMPTY };
    let event = Quote { flags: QuoteFlags::FEED_EVENT, ..at(3) };
    let records = [at(1), at(1), event, at(2)];
    producer.offer(&records, BatchShape::MIXED);
    let shared = Arc::clone(consumer.shared());
    shared.ledger().dropped_records(GateDrop::Shutdown, &records);
    let snapshot = shared.snapshot();
    assert_eq!(snapshot.venue(VenueId(1)).dropped.shutdown, 2);
    assert_eq!(snapshot.venue(VenueId(2)).dropped.shutdown, 1);
    assert_eq!((snapshot.events.dropped, snapshot.queued()), (1, 0));
}

#[test]
fn a_step_never_spans_two_receive_times() {
    let Rig { mut bus, mut feeds, mut lanes } = rig(64, 2, 8, &[("#", 99, DropNewest)]);
    assert_eq!((bus.peek_ts_recv(), bus.step(9)), (None, 0));
    let at = |ts_recv, wire_sequence| Quote { ts_recv, ..quote(wire_sequence, 0) };
    feeds[0].push_batch(&[at(5, 1), at(5, 2), at(5, 3), at(7, 4)]);
    feeds[1].push_batch(&[at(5, 11), at(6, 12)]);
    let steps: Vec<_> = std::iter::from_fn(|| Some((bus.peek_ts_recv()?, bus.step(2)))).collect();
    assert_eq!(steps, [(5, 2), (5, 1), (5, 1), (6, 1), (7, 1)]);
    assert_eq!(take(&mut lanes[0], 99), [1, 2, 3, 11, 12, 4]);
}

#[test]
fn a_step_resumes_a_held_up_batch() {
    let Rig { mut bus, mut feeds, mut lanes } = rig(64, 1, 8, &[("#", 2, Block)]);
    feeds[0].push_batch(&[quote(1, 0), quote(2, 0), quote(3, 0)]);
    assert_eq!((bus.step(9), bus.is_stalled()), (0, true));
    assert_eq!(bus.step(9), 0);
    assert_eq!(take(&mut lanes[0], 1), [1]);
    assert_eq!((bus.step(9), bus.is_stalled()), (3, false));
    assert_eq!(take(&mut lanes[0], 9), [2, 3]);
}

#[derive(Clone, Debug)]
enum Op {
    Push { feed: usize, instruments: Vec<u32> },
    Turn,
    Take { lane: usize, count_max: usize },
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        (0..2_usize, prop::collection::vec(0..5_u32, 0..12))
            .prop_map(|(feed, instruments)| Op::Push { feed, instruments }),
        Just(Op::Turn),
        (0..3_usize, 0..9_usize).prop_map(|(lane, count_max)| Op::Take { lane, count_max }),
    ]
}

proptest! {
    /// Any order of pushes, turns and takes, with blocking and dropping lanes: every lane sees an
    /// increasing part of what its topics select, the blocking one all of it, and every account
    /// balances after each operation.
    #[test]
    fn lanes_are_fifo_and_the_accounts_balance(
        ops in prop::collection::vec(op(), 1..120),
        batch_max in 1..9_usize,
    ) {
        let lanes = [("#", 7, DropNewest), ("#.A", 3, Block), ("#.X", 2, DropNewest)];
        let selects: [fn(u32) -> bool; 3] = [|i| i < 4, |i| i == 0, |i| i == 2];
        let Rig { mut bus, mut feeds, mut lanes } = rig(batch_max, 2, 16, &lanes);
        let mut sequence = [0_u64; 2];
        let mut wanted = [0_u64; 3];
        let mut seen: [Vec<u64>; 3] = Default::default();
        for op in ops {
            match op {
                Op::Push { feed, instruments } => {
                    let records: Vec<_> = instruments
                        .iter()
                        .zip(sequence[feed] + 1..)
                        .map(|(&instrument, n)| quote(feed as u64 * 1_000_000 + n, instrument))
                        .collect();
                    let pushed = feeds[feed].push_batch(&records);
                    sequence[feed] += pushed as u64;
                    for &instrument in &instruments[..pushed] {
                        for (wanted, selects) in wanted.iter_mut().zip(selects) {
                            *wanted += u64::from(selects(instrument));
                        }
                    }
                }
                Op::Turn => {
                    bus.do_work();
                }
                Op::Take { lane, count_max } => {
                    seen[lane].extend(take(&mut lanes[lane], count_max));
                }
            }
            lanes.iter().for_each(assert_balanced);
        }
        feeds.clear();
        while !bus.is_finished() {
            bus.do_work();
            seen[1].extend(take(&mut lanes[1], 2));
        }
        bus.on_close();
        for (lane, seen) in lanes.iter_mut().zip(&mut seen) {
            seen.extend(take(lane, usize::MAX));
            prop_assert!(lane.is_finished());
            for feed in 0..2 {
                let of_feed: Vec<_> = seen.iter().filter(|s| *s / 1_000_000 == feed).collect();
                prop_assert!(of_feed.is_sorted_by(|a, b| a < b));
            }
        }
        for ((lane, wanted), seen) in lanes.iter().zip(wanted).zip(&seen) {
            assert_balanced(lane);
            let total = lane.shared().snapshot().total();
            prop_assert_eq!(total.offered, wanted);
            prop_assert_eq!(total.delivered, seen.len() as u64);
            prop_assert_eq!(total.dropped.lane_full, wanted - seen.len() as u64);
        }
        prop_assert_eq!(wanted[1], seen[1].len() as u64);
        prop_assert_eq!(bus.counters().received.get(), sequence.iter().sum::<u64>());
    }
}
