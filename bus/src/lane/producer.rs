//! The bus's end of a lane.

use std::sync::Arc;

use freshlane_quote::{Counter, Quote, VenueId};
use rtrb::Producer;

use super::{EVENT_RESERVE, LaneShared};
use crate::ledger::PublisherRow;
use crate::router::BatchShape;

/// The bus's end of a lane. Dropping it closes the lane.
#[derive(Debug)]
pub struct LaneProducer {
    ring: Producer<Quote>,
    shared: Arc<LaneShared>,
    blocks: bool,
}

impl LaneProducer {
    pub(super) fn new(ring: Producer<Quote>, shared: Arc<LaneShared>, blocks: bool) -> Self {
        Self { ring, shared, blocks }
    }

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
        self.shared.close();
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
        let publisher = &self.shared.ledger().publisher;
        publisher.begun.add(refused.len() as u64);
        self.book(refused, venue, |row| &row.offered);
        self.book(refused, venue, |row| &row.lane_full);
        publisher.finished.add(refused.len() as u64);
        quotes.len()
    }

    /// Books and writes quotes for which there is room.
    #[inline]
    fn accept(&mut self, quotes: &[Quote], venue: Option<VenueId>) {
        self.shared.ledger().publisher.begun.add(quotes.len() as u64);
        self.book(quotes, venue, |row| &row.offered);
        self.push(quotes);
        self.shared.ledger().publisher.finished.add(quotes.len() as u64);
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
        let publisher = &self.shared.ledger().publisher;
        publisher.begun.add(taken as u64);
        publisher.events_offered.add(taken as u64);
        publisher.events_dropped.add((taken - fitting) as u64);
        self.push(&events[..fitting]);
        self.shared.ledger().publisher.finished.add(taken as u64);
        taken
    }

    /// Books `records` as dropped because the lane is detached.
    #[cold]
    fn refuse(&mut self, records: &[Quote]) -> usize {
        let publisher = &self.shared.ledger().publisher;
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
        let publisher = &self.shared.ledger().publisher;
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
