//! What became of every record of a lane, counted by reason and by venue.
//!
//! The bus writes the publisher's half, the gate its own; each half is single-writer and lies in
//! cache lines of its own. The identity is `offered = delivered + expired + dropped + queued`.

use crossbeam_utils::CachePadded;
use freshlane_quote::{Counter, Quote, VenueId};

/// Rows of the tables by venue. A venue beyond the last row is counted in the last one.
pub(crate) const VENUE_ROWS: usize = if cfg!(loom) { 2 } else { VenueId::COUNT_MAX };

const fn row_of(venue: VenueId) -> usize {
    if venue.index() < VENUE_ROWS { venue.index() } else { VENUE_ROWS - 1 }
}

/// Both halves of a lane's account.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Ledger {
    pub(crate) publisher: CachePadded<PublisherHalf>,
    pub(crate) gate: CachePadded<GateHalf>,
}

/// Written by the bus.
///
/// `begun` rises before an offer is booked, `finished` after its records lie in the ring; both
/// count records. A reader that finds `finished` (read first) equal to `begun` (read last) has read
/// everything between from a moment in which no offer was under way.
#[derive(Debug)]
pub(crate) struct PublisherHalf {
    pub(crate) begun: Counter,
    pub(crate) finished: Counter,
    pub(crate) events_offered: Counter,
    pub(crate) events_dropped: Counter,
    pub(crate) venues: [PublisherRow; VENUE_ROWS],
}

#[derive(Debug, Default)]
pub(crate) struct PublisherRow {
    pub(crate) offered: Counter,
    pub(crate) lane_full: Counter,
    pub(crate) detached: Counter,
}

/// Written by the gate.
#[derive(Debug)]
pub(crate) struct GateHalf {
    pub(crate) imbalance: Counter,
    pub(crate) events_delivered: Counter,
    pub(crate) events_dropped: Counter,
    pub(crate) venues: [GateRow; VENUE_ROWS],
}

#[derive(Debug, Default)]
pub(crate) struct GateRow {
    pub(crate) delivered: Counter,
    pub(crate) expired: Counter,
    pub(crate) detached: Counter,
    pub(crate) shutdown: Counter,
}

impl Default for PublisherHalf {
    fn default() -> Self {
        Self {
            begun: Counter::new(),
            finished: Counter::new(),
            events_offered: Counter::new(),
            events_dropped: Counter::new(),
            venues: std::array::from_fn(|_| PublisherRow::default()),
        }
    }
}

impl Default for GateHalf {
    fn default() -> Self {
        Self {
            imbalance: Counter::new(),
            events_delivered: Counter::new(),
            events_dropped: Counter::new(),
            venues: std::array::from_fn(|_| GateRow::default()),
        }
    }
}

/// Why the gate's side drops a quote that lay in the lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GateDrop {
    /// The lane is detached: its consumer panicked, or was taken off.
    Detached,
    /// The lane was stopped before its queue was empty.
    Shutdown,
}

impl PublisherHalf {
    pub(crate) fn row(&self, venue: VenueId) -> &PublisherRow {
        &self.venues[row_of(venue)]
    }

    /// Records that were accepted, from the rows: offered − dropped. What is dropped is read
    /// first, so that an offer under way makes the result larger, never smaller.
    pub(crate) fn accepted(&self) -> u64 {
        let dropped: u64 =
            self.venues.iter().map(|row| row.lane_full.get() + row.detached.get()).sum();
        let dropped = dropped + self.events_dropped.get();
        self.offered().wrapping_sub(dropped)
    }

    /// Records that were offered, from the rows.
    pub(crate) fn offered(&self) -> u64 {
        self.venues.iter().map(|row| row.offered.get()).sum::<u64>() + self.events_offered.get()
    }
}

impl GateHalf {
    /// Records that the gate's side took out of the ring.
    fn taken_out(&self) -> u64 {
        let quotes: u64 = self
            .venues
            .iter()
            .map(|row| {
                row.delivered.get() + row.expired.get() + row.detached.get() + row.shutdown.get()
            })
            .sum();
        quotes + self.events_delivered.get() + self.events_dropped.get()
    }
}

/// The gate's side: called by the one thread that polls the lane.
impl Ledger {
    /// Counts quotes handed to the consumer.
    #[inline]
    pub fn delivered(&self, venue: VenueId, count: u64) {
        self.gate.venues[row_of(venue)].delivered.add(count);
    }

    /// Counts quotes beyond their time to live.
    #[inline]
    pub fn expired(&self, venue: VenueId, count: u64) {
        self.gate.venues[row_of(venue)].expired.add(count);
    }

    /// Counts quotes that lay in the lane and were thrown away.
    pub fn dropped(&self, venue: VenueId, reason: GateDrop, count: u64) {
        let row = &self.gate.venues[row_of(venue)];
        match reason {
            GateDrop::Detached => row.detached.add(count),
            GateDrop::Shutdown => row.shutdown.add(count),
        }
    }

    /// Counts feed events handed to the consumer.
    pub fn events_delivered(&self, count: u64) {
        self.gate.events_delivered.add(count);
    }

    /// Counts feed events that lay in the lane and were thrown away.
    pub fn events_dropped(&self, count: u64) {
        self.gate.events_dropped.add(count);
    }

    /// Counts `records` as thrown away out of the lane, each by its kind and venue.
    pub fn dropped_records(&self, reason: GateDrop, records: &[Quote]) {
        for run in records.chunk_by(same_account) {
            match (run.len() as u64, &run[0]) {
                (count, event) if event.is_event() => self.events_dropped(count),
                (count, quote) => self.dropped(quote.venue, reason, count),
            }
        }
    }

    /// Compares the counters with what lies in the ring; 0 where they agree.
    ///
    /// Only the thread that polls the lane may call it, between two chunks: its own counters must
    /// match its own index. The bus may be writing meanwhile; then the account is read again, and
    /// after a few tries left for the next time. While the bus is at rest the answer is exact.
    pub(crate) fn audit(&self, in_ring: impl Fn() -> u64) -> i64 {
        const TRIES: usize = 3;
        for _ in 0..TRIES {
            let finished = self.publisher.finished.get();
            let in_ring = in_ring();
            let (accepted, offered) = (self.publisher.accepted(), self.publisher.offered());
            if self.publisher.begun.get() != finished {
                continue;
            }
            let missing = accepted.wrapping_sub(self.gate.taken_out()).wrapping_sub(in_ring);
            let unbooked = finished.wrapping_sub(offered);
            let missing = if missing == 0 { unbooked } else { missing };
            self.gate.imbalance.set(missing);
            return missing.cast_signed();
        }
        0
    }
}

/// Whether two records count in one place: both events, or both quotes of one venue.
pub(crate) fn same_account(a: &Quote, b: &Quote) -> bool {
    a.is_event() == b.is_event() && (a.is_event() || a.venue == b.venue)
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::mem::{align_of, offset_of, size_of};

    #[test]
    fn the_two_writers_share_no_pair_of_cache_lines() {
        assert!(align_of::<Ledger>() >= 128);
        let gap = offset_of!(Ledger, gate) - offset_of!(Ledger, publisher);
        assert!(gap >= 128 && gap >= size_of::<PublisherHalf>());
        assert_eq!(size_of::<Ledger>() % 128, 0);
    }

    fn offer(ledger: &Ledger, venue: VenueId, count: u64) {
        ledger.publisher.begun.add(count);
        ledger.publisher.row(venue).offered.add(count);
        ledger.publisher.finished.add(count);
    }

    #[test]
    fn the_audit_finds_what_was_not_booked() {
        let ledger = Ledger::default();
        offer(&ledger, VenueId(0), 10);
        assert_eq!(ledger.audit(|| 10), 0);
        assert_eq!(ledger.audit(|| 9), 1, "a record that left the ring without a reason");
        assert_eq!(ledger.audit(|| 11), -1, "a record in the ring that nobody offered");
        ledger.delivered(VenueId(0), 4);
        ledger.expired(VenueId(0), 3);
        ledger.dropped(VenueId(0), GateDrop::Shutdown, 1);
        assert_eq!(ledger.audit(|| 2), 0);
        ledger.publisher.begun.add(5);
        assert_eq!(ledger.audit(|| 1_000), 0, "not judged while an offer is under way");
        ledger.publisher.finished.add(5);
        assert_eq!(ledger.audit(|| 2), 5, "an offer in no venue's row");
    }

    #[test]
    fn a_venue_beyond_the_table_counts_in_the_last_row() {
        let ledger = Ledger::default();
        offer(&ledger, VenueId(u16::MAX), 2);
        ledger.delivered(VenueId(64), 2);
        assert_eq!(ledger.publisher.venues[63].offered.get(), 2);
        assert_eq!(ledger.gate.venues[63].delivered.get(), 2);
    }
}
