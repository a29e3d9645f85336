//! The ledger as the cold side reads it.

use freshlane_quote::VenueId;

use crate::ledger::{GateHalf, Ledger, PublisherHalf, VENUE_ROWS};

/// Quotes that were dropped, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dropped {
    /// The lane was full.
    pub lane_full: u64,
    /// The lane was detached: its consumer panicked, or was taken off.
    pub detached: u64,
    /// The lane was stopped before its queue was empty.
    pub shutdown: u64,
}

impl Dropped {
    /// All reasons together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.lane_full + self.detached + self.shutdown
    }

    /// The reasons with their names in metrics and reports.
    #[must_use]
    pub const fn by_reason(&self) -> [(&'static str, u64); 3] {
        [("lane_full", self.lane_full), ("detached", self.detached), ("shutdown", self.shutdown)]
    }
}

/// The account of one venue's quotes on one lane.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct VenueLedger {
    /// Quotes that the bus had for the lane.
    pub offered: u64,
    /// Quotes handed to the consumer.
    pub delivered: u64,
    /// Quotes beyond their time to live when their turn came.
    pub expired: u64,
    /// Quotes thrown away.
    pub dropped: Dropped,
}

impl VenueLedger {
    /// Quotes that are still in the lane.
    #[must_use]
    pub const fn queued(&self) -> u64 {
        self.offered.saturating_sub(self.settled())
    }

    const fn settled(&self) -> u64 {
        self.delivered + self.expired + self.dropped.total()
    }

    /// More settled than offered: always 0, or a fault.
    const fn overdrawn(&self) -> u64 {
        self.settled().saturating_sub(self.offered)
    }

    fn add(&mut self, other: &Self) {
        self.offered += other.offered;
        self.delivered += other.delivered;
        self.expired += other.expired;
        self.dropped.lane_full += other.dropped.lane_full;
        self.dropped.detached += other.dropped.detached;
        self.dropped.shutdown += other.dropped.shutdown;
    }
}

/// The account of a lane's feed events.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EventLedger {
    /// Events that the bus had for the lane.
    pub offered: u64,
    /// Events handed to the consumer.
    pub delivered: u64,
    /// Events thrown away: the event reserve was full too, or the lane was detached or stopped.
    pub dropped: u64,
}

impl EventLedger {
    /// Events that are still in the lane.
    #[must_use]
    pub const fn queued(&self) -> u64 {
        self.offered.saturating_sub(self.delivered + self.dropped)
    }

    const fn overdrawn(&self) -> u64 {
        (self.delivered + self.dropped).saturating_sub(self.offered)
    }
}

/// A lane's account at one moment.
///
/// The gate's counters are read first and the publisher's afterwards, so what is still queued never
/// comes out negative, however busy both are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerSnapshot {
    /// By venue, indexed by [`VenueId`].
    pub venues: [VenueLedger; VENUE_ROWS],
    /// Feed events, which belong to no venue's row.
    pub events: EventLedger,
    /// What the gate found when it last compared the counters with the ring: 0, or a fault.
    pub audited_imbalance: i64,
}

impl LedgerSnapshot {
    pub(crate) fn of(ledger: &Ledger) -> Self {
        let mut snapshot = Self {
            venues: [VenueLedger::default(); VENUE_ROWS],
            events: EventLedger::default(),
            audited_imbalance: 0,
        };
        snapshot.read_gate(&ledger.gate);
        snapshot.read_publisher(&ledger.publisher);
        snapshot
    }

    fn read_gate(&mut self, gate: &GateHalf) {
        for (venue, row) in self.venues.iter_mut().zip(&gate.venues) {
            venue.delivered = row.delivered.get();
            venue.expired = row.expired.get();
            venue.dropped.detached = row.detached.get();
            venue.dropped.shutdown = row.shutdown.get();
        }
        self.events.delivered = gate.events_delivered.get();
        self.events.dropped = gate.events_dropped.get();
        self.audited_imbalance = gate.imbalance.get().cast_signed();
    }

    /// The publisher counts what it drops after what it was offered, so the drops are read first.
    fn read_publisher(&mut self, publisher: &PublisherHalf) {
        for (venue, row) in self.venues.iter_mut().zip(&publisher.venues) {
            venue.dropped.lane_full = row.lane_full.get();
            venue.dropped.detached += row.detached.get();
            venue.offered = row.offered.get();
        }
        self.events.dropped += publisher.events_dropped.get();
        self.events.offered = publisher.events_offered.get();
    }

    /// The account of `venue`.
    #[must_use]
    pub fn venue(&self, venue: VenueId) -> &VenueLedger {
        &self.venues[venue.index().min(VENUE_ROWS - 1)]
    }

    /// All venues together.
    #[must_use]
    pub fn total(&self) -> VenueLedger {
        let mut total = VenueLedger::default();
        self.venues.iter().for_each(|venue| total.add(venue));
        total
    }

    /// Quotes that are still in the lane.
    #[must_use]
    pub fn queued(&self) -> u64 {
        self.venues.iter().map(VenueLedger::queued).sum()
    }

    /// By how many records the account is wrong: 0 at every moment, or a fault of the engine.
    ///
    /// It is what the gate found last when it compared the counters with the ring, and any venue of
    /// which more was settled than offered.
    #[must_use]
    pub fn imbalance(&self) -> u64 {
        let overdrawn: u64 = self.venues.iter().map(VenueLedger::overdrawn).sum();
        overdrawn + self.events.overdrawn() + self.audited_imbalance.unsigned_abs()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn more_delivered_than_offered_is_an_imbalance() {
        let ledger = Ledger::default();
        assert_eq!(LedgerSnapshot::of(&ledger).imbalance(), 0);
        ledger.delivered(VenueId(3), 2);
        let snapshot = LedgerSnapshot::of(&ledger);
        assert_eq!(snapshot.imbalance(), 2);
        assert_eq!(snapshot.queued(), 0);
    }

    #[test]
    fn one_venue_does_not_hide_the_fault_of_another() {
        let ledger = Ledger::default();
        ledger.publisher.row(VenueId(1)).offered.add(5);
        ledger.delivered(VenueId(2), 5);
        let snapshot = LedgerSnapshot::of(&ledger);
        assert_eq!(snapshot.total().offered, snapshot.total().delivered);
        assert_eq!(snapshot.imbalance(), 5);
        assert_eq!(snapshot.venue(VenueId(1)).queued(), 5);
    }

    #[test]
    fn what_the_audit_found_is_an_imbalance() {
        let ledger = Ledger::default();
        assert_eq!(ledger.audit(|| 7), -7);
        assert_eq!(LedgerSnapshot::of(&ledger).imbalance(), 7);
        assert_eq!(ledger.audit(|| 0), 0);
        assert_eq!(LedgerSnapshot::of(&ledger).imbalance(), 0);
    }
}
