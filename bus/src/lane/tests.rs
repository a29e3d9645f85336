//! The two ends of a lane against each other.

use super::*;
use crate::router::BatchShape;
use freshlane_quote::{Quote, QuoteFlags, VenueId};

fn spec(capacity: usize, overflow: OverflowPolicy) -> LaneSpec {
    LaneSpec { name: "test".into(), ttl_ns: None, margin_ns: 0, capacity, overflow }
}

fn quote(wire_sequence: u64) -> Quote {
    Quote { wire_sequence, venue: VenueId(1), ..Quote::EMPTY }
}

fn event(wire_sequence: u64) -> Quote {
    Quote { flags: QuoteFlags::FEED_EVENT, ..quote(wire_sequence) }
}

/// Takes everything out and counts it as delivered.
fn drain(consumer: &mut LaneConsumer) -> Vec<u64> {
    let shared = Arc::clone(consumer.shared());
    let mut seen = Vec::new();
    while let Some(chunk) = consumer.chunk(64) {
        for record in chunk.records() {
            seen.push(record.wire_sequence);
            if record.is_event() {
                shared.ledger().events_delivered(1);
            } else {
                shared.ledger().delivered(record.venue, 1);
            }
        }
        let count = chunk.records().len();
        chunk.release(count);
    }
    seen
}

#[test]
fn a_policy_without_a_lane_is_refused_by_name() {
    for (name, policy) in OverflowPolicy::NAMES {
        let made = lane(spec(1, policy));
        assert_eq!(made.is_ok(), policy.is_supported(), "{name}");
        if let Err(error) = made {
            assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
        }
    }
}

#[test]
fn a_capacity_out_of_range_is_refused() {
    for capacity in [0, CAPACITY_MAX + 1, usize::MAX] {
        let error = lane(spec(capacity, OverflowPolicy::Block)).unwrap_err();
        assert_eq!(error, LaneError::Capacity { lane: "test".into(), capacity });
    }
}

#[test]
fn a_full_drop_newest_lane_refuses_the_new_ones_and_counts_them() {
    let (mut producer, mut consumer, shared) = lane(spec(5, OverflowPolicy::DropNewest)).unwrap();
    let quotes: Vec<_> = (1..=8).map(quote).collect();
    assert_eq!(producer.offer(&quotes, BatchShape::MIXED), 8);
    assert_eq!(producer.offer(&[quote(9)], BatchShape::MIXED), 1);
    let account = *shared.snapshot().venue(VenueId(1));
    assert_eq!((account.offered, account.dropped.lane_full, account.queued()), (9, 4, 5));
    assert_eq!(consumer.check(), 0);
    assert_eq!(drain(&mut consumer), [1, 2, 3, 4, 5]);
    assert_eq!(producer.offer(&[quote(10)], BatchShape::MIXED), 1);
    assert_eq!(drain(&mut consumer), [10]);
    assert_eq!((consumer.check(), shared.snapshot().imbalance()), (0, 0));
}

#[test]
fn feed_events_use_the_reserve_of_a_full_lane_until_that_is_full_too() {
    let (mut producer, mut consumer, shared) = lane(spec(2, OverflowPolicy::DropNewest)).unwrap();
    let mixed = [quote(1), quote(2), quote(3), event(4), quote(5), event(6)];
    assert_eq!(producer.offer(&mixed, BatchShape::MIXED), 6);
    let events: Vec<_> = (0..EVENT_RESERVE as u64).map(|i| event(100 + i)).collect();
    assert_eq!(producer.offer(&events, BatchShape::MIXED), EVENT_RESERVE);
    let snapshot = shared.snapshot();
    assert_eq!(snapshot.total().dropped.lane_full, 2);
    assert_eq!((snapshot.events.offered, snapshot.events.dropped), (2 + EVENT_RESERVE as u64, 2));
    assert_eq!(consumer.check(), 0);
    let seen = drain(&mut consumer);
    assert_eq!(seen[..4], [1, 2, 4, 6]);
    assert_eq!(seen.len(), 2 + EVENT_RESERVE);
    assert_eq!((consumer.check(), shared.snapshot().imbalance()), (0, 0));
}

#[test]
fn a_block_lane_takes_what_fits_and_leaves_the_rest_unbooked() {
    let (mut producer, mut consumer, shared) = lane(spec(3, OverflowPolicy::Block)).unwrap();
    let records = [quote(1), quote(2), event(3), quote(4), event(5)];
    // The event behind a quote that does not fit must not overtake it.
    assert_eq!(producer.offer(&records, BatchShape::MIXED), 3);
    assert_eq!(producer.offer(&records[3..], BatchShape::MIXED), 0);
    assert_eq!(shared.snapshot().total().offered, 2);
    assert_eq!(consumer.check(), 0);
    assert_eq!(drain(&mut consumer), [1, 2, 3]);
    assert_eq!(producer.offer(&records[3..], BatchShape::MIXED), 2);
    assert_eq!(drain(&mut consumer), [4, 5]);
    assert_eq!((consumer.check(), shared.snapshot().total().dropped.total()), (0, 0));
}

#[test]
fn a_detached_lane_gets_nothing_and_counts_everything() {
    let (mut producer, mut consumer, shared) = lane(spec(3, OverflowPolicy::Block)).unwrap();
    shared.detach();
    let records = [quote(1), event(2), quote(3), quote(4), quote(5)];
    assert_eq!(producer.offer(&records, BatchShape::MIXED), 5, "it never blocks");
    assert!(consumer.chunk(1).is_none());
    let snapshot = shared.snapshot();
    assert_eq!(snapshot.total().dropped.detached, 4);
    assert_eq!((snapshot.events.offered, snapshot.events.dropped), (1, 1));
    assert_eq!((consumer.check(), snapshot.queued()), (0, 0));
}

#[test]
fn a_gate_that_goes_away_early_detaches_and_accounts_for_the_queue() {
    let (mut producer, consumer, shared) = lane(spec(9, OverflowPolicy::Block)).unwrap();
    producer.offer(&[quote(1), event(2), quote(3)], BatchShape::MIXED);
    drop(consumer);
    assert!(shared.is_detached());
    producer.offer(&[quote(4)], BatchShape::MIXED);
    let snapshot = shared.snapshot();
    assert_eq!((snapshot.total().dropped.detached, snapshot.events.dropped), (3, 1));
    assert_eq!((snapshot.queued(), snapshot.imbalance()), (0, 0));
}

#[test]
fn a_gate_that_goes_away_after_the_end_detaches_nothing() {
    let (producer, consumer, shared) = lane(spec(9, OverflowPolicy::Block)).unwrap();
    drop(producer);
    assert!(consumer.is_finished());
    drop(consumer);
    assert!(!shared.is_detached());
}

#[test]
fn several_venues_in_one_batch_count_in_their_rows() {
    let (mut producer, _consumer, shared) = lane(spec(3, OverflowPolicy::DropNewest)).unwrap();
    let of = |venue| Quote { venue: VenueId(venue), ..Quote::EMPTY };
    let shape = BatchShape { venue: None, may_hold_events: false };
    producer.offer(&[of(1), of(2), of(2), of(1), of(7)], shape);
    let snapshot = shared.snapshot();
    let account = |venue| {
        let account = snapshot.venue(VenueId(venue));
        (account.offered, account.dropped.lane_full)
    };
    assert_eq!([account(1), account(2), account(7)], [(2, 1), (2, 0), (1, 1)]);
    assert_eq!(snapshot.total().offered, 5);
}
