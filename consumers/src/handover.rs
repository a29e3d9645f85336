//! From a lane's records to the consumer's calls: what live and simulated lanes have in common.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use freshlane_bus::{GateDrop, LaneShared};
use freshlane_quote::{Clock, FeedEvent, Quote, VenueId};

use crate::consumer::{Consumer, Fresh};
use crate::gate::Gate;
use crate::tally::Tally;
use crate::telemetry::LaneTelemetry;

/// A consumer behind its gate.
#[derive(Debug)]
pub(crate) struct Handover<K, C> {
    gate: Gate<C>,
    consumer: K,
    telemetry: Arc<LaneTelemetry>,
}

/// What one call of [`Handover::serve`] did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Served {
    /// Records that are done with, whatever became of them.
    pub(crate) records: usize,
    /// Quotes among them that were handed to the consumer.
    pub(crate) delivered: usize,
}

impl<K: Consumer, C: Clock> Handover<K, C> {
    pub(crate) fn new(lane: &Arc<LaneShared>, consumer: K, clock: C) -> Self {
        Self {
            gate: Gate::new(lane.spec(), clock),
            consumer,
            telemetry: Arc::new(LaneTelemetry::new(Arc::clone(lane))),
        }
    }

    pub(crate) fn telemetry(&self) -> &Arc<LaneTelemetry> {
        &self.telemetry
    }

    pub(crate) fn gate(&self) -> &Gate<C> {
        &self.gate
    }

    pub(crate) fn consumer(&self) -> &K {
        &self.consumer
    }

    pub(crate) fn into_consumer(self) -> K {
        self.consumer
    }

    /// Serves the first of `records`, at least one where there is any, and books what became of
    /// them. It ends early where the clock's tick moves: a consumer that works long gets the next
    /// quote by a new reading, and its counters and its slots in the ring are not held back.
    ///
    /// A consumer that panics is detached; the quote in its hands counts as delivered. A lane that
    /// is detached or stopped throws its records away.
    #[inline]
    pub(crate) fn serve(&mut self, records: &[Quote]) -> Served {
        if let Some(reason) = self.closed_by() {
            self.telemetry.lane().ledger().dropped_records(reason, records);
            return Served { records: records.len(), delivered: 0 };
        }
        let mut served = Served::default();
        self.guarded(|this| match this.gate.has_lane_ttl() {
            true => this.hand_over::<true>(records, &mut served),
            false => this.hand_over::<false>(records, &mut served),
        });
        served
    }

    /// Tells the consumer that there is nothing to do.
    pub(crate) fn idle(&mut self) {
        if self.closed_by().is_none() {
            self.guarded(|this| this.consumer.on_idle());
        }
    }

    fn closed_by(&self) -> Option<GateDrop> {
        let lane = self.telemetry.lane();
        if lane.is_detached() {
            Some(GateDrop::Detached)
        } else {
            lane.is_stopped().then_some(GateDrop::Shutdown)
        }
    }

    /// Runs the consumer's code. After a panic the consumer is never called again, and the tally
    /// has booked itself, so nothing half-done is ever looked at.
    #[inline]
    fn guarded(&mut self, run: impl FnOnce(&mut Self)) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| run(self))) {
            self.telemetry.consumer_panicked(payload);
        }
    }

    #[inline]
    fn hand_over<const LANE_TTL: bool>(&mut self, records: &[Quote], served: &mut Served) {
        self.gate.refresh();
        if self.gate.are_all_ordinary::<LANE_TTL>(records) {
            self.hand_over_ordinary(records, served);
        } else {
            self.hand_over_each::<LANE_TTL>(records, served);
        }
    }

    /// The common case, with little left to do for each quote.
    #[inline]
    fn hand_over_ordinary(&mut self, quotes: &[Quote], served: &mut Served) {
        let Self { gate, consumer, telemetry } = self;
        let mut tally = Tally::new(telemetry, served);
        tally.turn_to(quotes.first().map_or(VenueId(0), |first| first.venue));
        let now_ns = gate.now_ns();
        for quote in quotes {
            let verdict = gate.verdict_on_ordinary(quote);
            tally.delivered_ordinary(quote, now_ns, verdict.age_ns);
            consumer.on_quote(Fresh { quote, verdict, clock: gate.clock() });
            if gate.tick_moved() {
                break;
            }
        }
    }

    /// Anything may be among `records`.
    #[inline(never)]
    fn hand_over_each<const LANE_TTL: bool>(&mut self, records: &[Quote], served: &mut Served) {
        let Self { gate, consumer, telemetry } = self;
        let mut tally = Tally::new(telemetry, served);
        for record in records {
            if record.is_event() {
                tally.event();
                hand_over_event(record, consumer, telemetry);
            } else {
                let verdict = gate.judge::<LANE_TTL>(record);
                if verdict.is_fresh() {
                    tally.delivered(record, gate.now_ns(), verdict.age_ns);
                    consumer.on_quote(Fresh { quote: record, verdict, clock: gate.clock() });
                } else {
                    tally.expired(record, verdict.age_ns);
                }
            }
            if gate.tick_moved() {
                break;
            }
        }
    }
}

#[cold]
fn hand_over_event(record: &Quote, consumer: &mut impl Consumer, telemetry: &LaneTelemetry) {
    let ledger = telemetry.lane().ledger();
    // An event that this version does not know has no callback; it counts as dropped.
    match FeedEvent::from_record(record) {
        Some(event) => {
            ledger.events_delivered(1);
            consumer.on_event(event, record);
        }
        None => ledger.events_dropped(1),
    }
}
