//! One consumer's ordered view of the bus.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use freshlane_quote::{Counter, Quote, VenueId};
use rtrb::{Consumer, Producer};

use crate::close::CloseFlag;
use crate::ledger::{GateDrop, Ledger, PublisherRow};
use crate::overflow::OverflowPolicy;
use crate::ring::{self, CAPACITY_MAX, Chunk};
use crate::router::BatchShape;
use crate::snapshot::LedgerSnapshot;

/// Slots beyond a lane's capacity that only feed events may use.
///
/// A market-wide halt sends one event per instrument at the worst moment; this is more than the
/// instruments of all US markets together (about 12,000). It costs 1 MiB a lane.
pub const EVENT_RESERVE: usize = 1 << 14;

/// What a lane is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneSpec {
    /// Its name in metrics, reports and logs.
    pub name: Box<str>,
    /// How old a quote may be, ns since its receive time; `None` = any age.
    pub ttl_ns: Option<u64>,
    /// How much earlier than that the gate stops handing quotes over, ns.
    pub margin_ns: u64,
    /// How many records it holds before it is full, 1..=[`CAPACITY_MAX`]. Feed events have
    /// [`EVENT_RESERVE`] further slots.
    pub capacity: usize,
    /// What happens to a quote that meets it full.
    pub overflow: OverflowPolicy,
}

/// Why a lane cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaneError {
    /// The policy has a name but no lane yet.
    #[error("lane `{lane}`: overflow policy `{policy}` is not supported; use `drop_newest` or `block`", policy = policy.name())]
    UnsupportedPolicy {
        /// The lane's name.
        lane: Box<str>,
        /// What was asked for.
        policy: OverflowPolicy,
    },
    /// The capacity is 0 or beyond [`CAPACITY_MAX`].
    #[error("lane `{lane}`: a capacity is 1 to {max} records, not {capacity}", max = CAPACITY_MAX)]
    Capacity {
        /// The lane's name.
        lane: Box<str>,
        /// What was asked for.
        capacity: usize,
    },
}

/// A lane, pre-faulted: the bus's end, the gate's end, and what the cold side sees.
///
/// # Errors
/// [`LaneError`] where the policy is not supported or the capacity out of range.
pub fn lane(spec: LaneSpec) -> Result<(LaneProducer, LaneConsumer, Arc<LaneShared>), LaneError> {
    if !spec.overflow.is_supported() {
        return Err(LaneError::UnsupportedPolicy { lane: spec.name, policy: spec.overflow });
    }
    if !(1..=CAPACITY_MAX).contains(&spec.capacity) {
        return Err(LaneError::Capacity { lane: spec.name, capacity: spec.capacity });
    }
    let (producer, consumer) = ring::prefaulted(spec.capacity + EVENT_RESERVE);
    let blocks = spec.overflow == OverflowPolicy::Block;
    let shared =
        Arc::new(LaneShared { spec, ledger: Ledger::default(), signs: Default::default() });
    Ok((
        LaneProducer { ring: producer, shared: Arc::clone(&shared), blocks },
        LaneConsumer { ring: consumer, shared: Arc::clone(&shared) },
        shared,
    ))
}

/// What both ends and the cold side share: the ledger and three flags that are raised once.
#[derive(Debug)]
#[repr(C)]
pub struct LaneShared {
    ledger: Ledger,
    /// Read by everyone, written at most once each: a line that stays shared in every cache.
    signs: CachePadded<Signs>,
    spec: LaneSpec,
}

#[derive(Debug, Default)]
struct Signs {
    end: CloseFlag,
    detached: CloseFlag,
    stopped: CloseFlag,
}

impl LaneShared {
    /// What the lane was made as.
    #[must_use]
    pub fn spec(&self) -> &LaneSpec {
        &self.spec
    }

    /// The account, as counters. The gate writes its half.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The account at this moment.
    #[must_use]
    pub fn snapshot(&self) -> LedgerSnapshot {
        LedgerSnapshot::of(&self.ledger)
    }

    /// Takes the consumer off the lane, for good: from here on the bus counts what it has for the
    /// lane as dropped (detached) and writes nothing, and the gate throws away what is queued.
    /// Releases a bus that a full `block` lane holds up.
    pub fn detach(&self) {
        self.signs.detached.close();
    }

    /// Whether the consumer is off the lane.
    #[inline]
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.signs.detached.is_closed()
    }

    /// Asks the gate to hand nothing over any more: what is and will be queued counts as dropped
    /// (shutdown). For an end that cannot wait until the queue is empty.
    pub fn stop(&self) {
        self.signs.stopped.close();
    }

    /// Whether the lane was stopped.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.signs.stopped.is_closed()
    }

    /// Whether the bus has closed the lane: no record will follow.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.signs.end.is_closed()
    }
}

/// The bus's end of a lane. Dropping it closes the lane.
#[derive(Debug)]
pub struct LaneProducer {
    ring: Producer<Quote>,
    shared: Arc<LaneShared>,
    blocks: bool,
}

impl LaneProducer {
    /// Puts `records` into the lane, in order, and books what becomes of each; returns how many
    /// are dealt with. That is all of them, except on a full `block` lane: there the rest is neither
    /// booked nor dropped, and the caller offers it again later.
    ///
    /// Everything is booked before it lies in the ring, so no reader ever sees more taken out than
    /// was offered.
    #[inline]
    pub fn offer(&mut self, records: &[Quote], shape: BatchShape) -> usize {
        if self.shared.is_detached() {
            self.refuse(records)
        } else if shape.may_hold_events {
            self.offer_mixed(records)
        } else {
            self.offer_quotes(records, shape.venue)
        }
    }

    /// What both ends and the cold side share.
    #[must_use]
    pub fn shared(&self) -> &Arc<LaneShared> {
        &self.shared
    }

    /// Says that no record will follow.
    pub fn close(&self) {
        self.shared.signs.end.close();
    }

    #[inline]
    fn offer_quotes(&mut self, quotes: &[Quote], venue: Option<VenueId>) -> usize {
        // The gate's index is fetched from its core only when the cached view does not suffice.
        if self.ring.cached_slots() < quotes.len() + EVENT_RESERVE {
            return self.offer_quotes_to_full(quotes, venue);
        }
        self.accept(quotes, venue);
        quotes.len()
    }

    /// The same on a lane that may be full.
    #[inline(never)]
    fn offer_quotes_to_full(&mut self, quotes: &[Quote], venue: Option<VenueId>) -> usize {
        // The gate only makes more room, so the answer holds until the next push.
        let room = self.ring.slots().saturating_sub(EVENT_RESERVE);
        let (fitting, refused) = quotes.split_at(room.min(quotes.len()));
        self.accept(fitting, venue);
        if self.blocks {
            return fitting.len();
        }
        let publisher = &self.shared.ledger.publisher;
        publisher.begun.add(refused.len() as u64);
        self.book(refused, venue, |row| &row.offered);
        self.book(refused, venue, |row| &row.lane_full);
        publisher.finished.add(refused.len() as u64);
        quotes.len()
    }

    /// Books and writes quotes for which there is room.
    #[inline]
    fn accept(&mut self, quotes: &[Quote], venue: Option<VenueId>) {
        self.shared.ledger.publisher.begun.add(quotes.len() as u64);
        self.book(quotes, venue, |row| &row.offered);
        self.push(quotes);
        self.shared.ledger.publisher.finished.add(quotes.len() as u64);
    }

    #[cold]
    fn offer_mixed(&mut self, records: &[Quote]) -> usize {
        let mut taken = 0;
        for run in records.chunk_by(|a, b| a.is_event() == b.is_event()) {
            let of_run = if run[0].is_event() {
                self.offer_events(run)
            } else {
                self.offer_quotes(run, None)
            };
            taken += of_run;
            if of_run < run.len() {
                break;
            }
        }
        taken
    }

    fn offer_events(&mut self, events: &[Quote]) -> usize {
        let fitting = self.ring.slots().min(events.len());
        let taken = if self.blocks { fitting } else { events.len() };
        let publisher = &self.shared.ledger.publisher;
        publisher.begun.add(taken as u64);
        publisher.events_offered.add(taken as u64);
        publisher.events_dropped.add((taken - fitting) as u64);
        self.push(&events[..fitting]);
        self.shared.ledger.publisher.finished.add(taken as u64);
        taken
    }

    /// Books `records` as dropped because the lane is detached.
    #[cold]
    fn refuse(&mut self, records: &[Quote]) -> usize {
        let publisher = &self.shared.ledger.publisher;
        publisher.begun.add(records.len() as u64);
        for run in records.chunk_by(|a, b| a.is_event() == b.is_event()) {
            if run[0].is_event() {
                publisher.events_offered.add(run.len() as u64);
                publisher.events_dropped.add(run.len() as u64);
            } else {
                self.book(run, None, |row| &row.offered);
                self.book(run, None, |row| &row.detached);
            }
        }
        publisher.finished.add(records.len() as u64);
        records.len()
    }

    /// Adds the number of `quotes` to one counter of their venues' rows.
    #[inline]
    fn book(
        &self,
        quotes: &[Quote],
        venue: Option<VenueId>,
        counter: impl Fn(&PublisherRow) -> &Counter,
    ) {
        let publisher = &self.shared.ledger.publisher;
        if let Some(venue) = venue {
            counter(publisher.row(venue)).add(quotes.len() as u64);
            return;
        }
        for run in quotes.chunk_by(|a, b| a.venue == b.venue) {
            counter(publisher.row(run[0].venue)).add(run.len() as u64);
        }
    }

    #[inline]
    fn push(&mut self, records: &[Quote]) {
        // A lone quote is a few stores, not two calls of `memcpy`.
        let refused = match records {
            [record] => usize::from(self.ring.push(*record).is_err()),
            _ => self.ring.push_partial_slice(records).1.len(),
        };
        debug_assert_eq!(refused, 0, "room was checked");
    }
}

impl Drop for LaneProducer {
    fn drop(&mut self) {
        self.close();
    }
}

/// The gate's end of a lane. Dropping it before the lane is finished detaches the lane.
#[derive(Debug)]
pub struct LaneConsumer {
    ring: Consumer<Quote>,
    shared: Arc<LaneShared>,
}

impl LaneConsumer {
    /// At most `count_max` of the oldest records, in place; `None` where there is none.
    #[inline]
    pub fn chunk(&mut self, count_max: usize) -> Option<Chunk<'_>> {
        ring::chunk(&mut self.ring, count_max)
    }

    /// The oldest record, left where it is.
    #[must_use]
    pub fn peek(&self) -> Option<&Quote> {
        self.ring.peek().ok()
    }

    /// What both ends and the cold side share.
    #[must_use]
    pub fn shared(&self) -> &Arc<LaneShared> {
        &self.shared
    }

    /// Whether the bus has closed the lane and every record has been taken.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        // In this order: after the flag was seen, an empty ring stays empty.
        self.shared.is_closed() && self.ring.is_empty()
    }

    /// Compares the ledger with what lies in the ring: 0 where they agree, else by how many records
    /// they differ. Exact while the bus is at rest; while it writes, an answer other than 0 is still
    /// a fault. To be called between two chunks, after what was taken has been counted.
    pub fn check(&self) -> i64 {
        self.shared.ledger.audit(|| self.ring.slots() as u64)
    }
}

impl Drop for LaneConsumer {
    /// What is still queued counts as dropped (detached). A batch that the bus is writing at this
    /// very moment may stay in the ring; the account then says that it is queued, as it is.
    fn drop(&mut self) {
        if self.is_finished() {
            return;
        }
        self.shared.detach();
        while let Some(chunk) = ring::chunk(&mut self.ring, usize::MAX) {
            let count = chunk.records().len();
            self.shared.ledger.dropped_records(GateDrop::Detached, chunk.records());
            chunk.release(count);
        }
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use freshlane_quote::QuoteFlags;
    use std::mem::{align_of, offset_of};

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
    fn the_flags_share_no_pair_of_cache_lines_with_the_counters() {
        assert!(align_of::<LaneShared>() >= 128);
        let (ledger, signs) = (offset_of!(LaneShared, ledger), offset_of!(LaneShared, signs));
        assert!(signs - ledger >= size_of::<Ledger>());
        assert!(offset_of!(LaneShared, spec) - signs >= 128);
        assert_eq!(signs % 128, 0);
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
        let (mut producer, mut consumer, shared) =
            lane(spec(5, OverflowPolicy::DropNewest)).unwrap();
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
        let (mut producer, mut consumer, shared) =
            lane(spec(2, OverflowPolicy::DropNewest)).unwrap();
        let mixed = [quote(1), quote(2), quote(3), event(4), quote(5), event(6)];
        assert_eq!(producer.offer(&mixed, BatchShape::MIXED), 6);
        let events: Vec<_> = (0..EVENT_RESERVE as u64).map(|i| event(100 + i)).collect();
        assert_eq!(producer.offer(&events, BatchShape::MIXED), EVENT_RESERVE);
        let snapshot = shared.snapshot();
        assert_eq!(snapshot.total().dropped.lane_full, 2);
        assert_eq!(
            (snapshot.events.offered, snapshot.events.dropped),
            (2 + EVENT_RESERVE as u64, 2)
        );
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
}
