//! Times: the future, bad stamps, midnight, replay.

use freshlane_quote::Price;

use super::rig::{FUTURE_LIMIT_NS, Rig, flags, top};
use super::wire::{OPEN_NS, action, add, add_of, at, delete, of, system};
use crate::itch50::ReceiveTime;
use crate::ledger::Outcome;

const HOUR_NS: u64 = 3_600_000_000_000;

#[test]
fn a_quote_from_the_future_is_refused_and_its_top_follows_with_the_next_message() {
    let mut rig = Rig::new();
    rig.silent(at(OPEN_NS + FUTURE_LIMIT_NS + 1, add(1, b'B', 100, 100_000)));
    assert_eq!((rig.outcome(Outcome::Future), rig.outcome(Outcome::Quoted)), (1, 0));
    // The next message does not touch the best bid; the top is quoted all the same, once.
    assert_eq!(top(&rig.quote(add(2, b'B', 7, 90_000))), "10 x 100 / - x 0");
    rig.silent(add(3, b'B', 7, 90_000));
}

#[test]
fn a_quote_exactly_at_the_limit_is_not_from_the_future() {
    let mut rig = Rig::new();
    let quote = rig.quote(at(OPEN_NS + FUTURE_LIMIT_NS, add(1, b'B', 100, 100_000)));
    assert_eq!(quote.ts_event, quote.ts_recv + FUTURE_LIMIT_NS);
    assert_eq!(rig.outcome(Outcome::Future), 0);
}

#[test]
fn a_message_that_changes_no_top_has_nothing_to_refuse() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(at(OPEN_NS + 2 * FUTURE_LIMIT_NS, add(2, b'B', 7, 90_000)));
    assert_eq!((rig.outcome(Outcome::Future), rig.outcome(Outcome::Unchanged)), (0, 1));
}

#[test]
fn the_future_of_one_stock_delays_no_other() {
    let mut rig = Rig::new();
    rig.silent(at(OPEN_NS + HOUR_NS, add(1, b'B', 100, 100_000)));
    let other = rig.quote(of(2, add_of(*b"OTHER   ", 2, b'S', 5, 50_000)));
    assert_eq!(top(&other), "- x 0 / 5 x 5");
}

#[test]
fn an_engine_clock_at_its_end_refuses_nothing() {
    let mut rig = Rig::new();
    rig.received = ReceiveTime::At(u64::MAX);
    rig.quote(add(1, b'B', 100, 100_000));
    rig.received = ReceiveTime::At(0);
    rig.silent(delete(1));
    assert_eq!(rig.outcome(Outcome::Future), 1);
}

#[test]
fn a_stamp_beyond_the_day_is_counted_and_flagged() {
    let mut rig = Rig::with(|spec| spec.future_limit_ns = u64::MAX);
    let quote = rig.quote(at(u64::MAX, add(1, b'B', 100, 100_000)));
    assert_eq!(flags(&quote), ["one_sided", "bad_timestamp"]);
    assert_eq!(quote.ts_event, rig.utc((1 << 48) - 1));
    assert_eq!(flags(&rig.quote(delete(1))), ["one_sided"]);
    assert_eq!(rig.handler.ledger().bad_timestamps.get(), 1);
    let counts = rig.handler.counts();
    assert_eq!(
        (counts.first_ts_event, counts.last_ts_event),
        (Some(rig.utc(OPEN_NS)), Some(rig.utc(OPEN_NS)))
    );
}

#[test]
fn the_first_and_the_last_plausible_time_are_kept() {
    let mut rig = Rig::new();
    assert_eq!(rig.handler.counts().first_ts_event, None);
    for ns in [u64::MAX, 5_000, 9_000, 7_000, u64::MAX] {
        rig.silent(at(ns, system(b'O')));
    }
    let counts = rig.handler.counts();
    assert_eq!(counts.first_ts_event, Some(rig.utc(5_000)));
    assert_eq!(counts.last_ts_event, Some(rig.utc(7_000)));
}

#[test]
fn bad_stamps_of_any_message_are_counted() {
    let mut rig = Rig::new();
    rig.silent(at(u64::MAX, system(b'O')));
    rig.silent(at(u64::MAX, delete(1)));
    rig.silent(at(25 * HOUR_NS, delete(1)));
    rig.silent(at(25 * HOUR_NS - 1, delete(1)));
    assert_eq!(rig.handler.ledger().bad_timestamps.get(), 3);
}

#[test]
fn in_a_replay_the_receive_time_is_the_running_maximum() {
    let mut rig = Rig::new();
    rig.received = ReceiveTime::EventTime;
    let first = rig.quote(at(1_000, add(1, b'B', 100, 100_000)));
    let older = rig.quote(at(900, add(2, b'B', 100, 100_000)));
    let newer = rig.quote(at(1_100, add(3, b'B', 100, 100_000)));
    assert_eq!(
        [first.ts_recv, older.ts_recv, newer.ts_recv].map(|ns| ns - rig.utc(0)),
        [1_000, 1_000, 1_100]
    );
    assert_eq!(older.ts_event, rig.utc(900));
    // Messages without a quote move the time as well; one with a bad stamp does not.
    rig.silent(at(5_000, system(b'Q')));
    rig.silent(at(u64::MAX, system(b'Q')));
    assert_eq!(rig.quote(at(1_200, delete(3))).ts_recv, rig.utc(5_000));
}

#[test]
fn in_a_replay_a_quote_with_a_bad_stamp_waits_for_the_next_message() {
    let mut rig = Rig::new();
    rig.received = ReceiveTime::EventTime;
    rig.quote(at(1_000, add(1, b'B', 100, 100_000)));
    rig.silent(at(u64::MAX, add(2, b'B', 50, 100_000)));
    assert_eq!(rig.outcome(Outcome::Future), 1);
    assert_eq!(rig.quote(at(1_001, add(3, b'B', 1, 1))).bid_size, 150);
}

#[test]
fn a_session_that_crosses_midnight_goes_on_in_the_next_day() {
    let mut rig = Rig::new();
    rig.received = ReceiveTime::EventTime;
    for reference in 1..=20 {
        rig.quote(at(23 * HOUR_NS + reference, add(reference, b'B', 1, 100_000)));
    }
    let next_day = rig.quote(at(3, delete(1)));
    assert_eq!(next_day.ts_event, rig.utc(24 * HOUR_NS + 3));
    assert_eq!((next_day.ts_recv, next_day.bid_size), (next_day.ts_event, 19));
    // A straggler from before midnight keeps its day, and the receive time does not go back.
    let straggler = rig.quote(at(23 * HOUR_NS + 21, delete(2)));
    assert_eq!(straggler.ts_event, rig.utc(23 * HOUR_NS + 21));
    assert_eq!(straggler.ts_recv, next_day.ts_recv);
    assert_eq!(rig.handler.ledger().bad_timestamps.get(), 0);
}

#[test]
fn an_event_from_the_future_is_told_at_once() {
    let mut rig = Rig::new();
    let [halt] = rig.batch(&[at(OPEN_NS + HOUR_NS, action(b'H', *b"T1  "))])[..] else {
        panic!("one record")
    };
    assert!(halt.is_event() && halt.ts_event > halt.ts_recv);
    assert_eq!((halt.bid, rig.outcome(Outcome::Future)), (Price::NONE, 0));
}
