//! What the black-box tests of this crate share.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]
#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use freshlane_bus::{
    BatchShape, LaneConsumer, LaneProducer, LaneShared, LaneSpec, OverflowPolicy, lane,
};
use freshlane_consumers::{Consumer, ConsumerAgent, Fresh, LaneTelemetry};
use freshlane_quote::event::EventOrigin;
use freshlane_quote::{Agent, ChannelId, Clock, FeedEvent, Quote, SimulatedClock, VenueId};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MS;
/// Some day in 2026, ns since the Unix epoch.
pub(crate) const T0: u64 = 1_767_364_200 * SECOND;

pub(crate) fn spec(ttl_ns: Option<u64>, margin_ns: u64) -> LaneSpec {
    let overflow = OverflowPolicy::DropNewest;
    LaneSpec { name: "test".into(), ttl_ns, margin_ns, capacity: 4_096, overflow }
}

/// A quote received at `ts_recv`, 1 µs after the venue sent it.
pub(crate) fn quote(wire_sequence: u64, ts_recv: u64) -> Quote {
    let ts_event = ts_recv.saturating_sub(1_000);
    Quote { wire_sequence, ts_recv, ts_event, ..Quote::EMPTY }
}

pub(crate) fn end_of_session(wire_sequence: u64, ts_recv: u64) -> Quote {
    FeedEvent::EndOfSession.to_record(EventOrigin {
        ts_event: ts_recv,
        ts_recv,
        wire_sequence,
        venue: VenueId(0),
        channel: ChannelId(0),
    })
}

/// One hand-over as the consumer saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) wire_sequence: u64,
    pub(crate) age_ns: u64,
    /// By the clock at the moment of the call, ns.
    pub(crate) true_age_ns: u64,
    pub(crate) remaining_ns: u64,
    pub(crate) still_fresh_after_work: bool,
}

/// Writes down what it is handed, and lets the clock run while it works.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) clock: SimulatedClock,
    pub(crate) service_time_ns: u64,
    pub(crate) seen: Vec<Seen>,
    pub(crate) events: Vec<(u64, FeedEvent)>,
    pub(crate) idle_calls: u64,
}

impl Recorder {
    pub(crate) fn new(clock: &SimulatedClock, service_time_ns: u64) -> Self {
        let (seen, events) = (Vec::new(), Vec::new());
        Self { clock: clock.clone(), service_time_ns, seen, events, idle_calls: 0 }
    }

    pub(crate) fn sequences(&self) -> Vec<u64> {
        self.seen.iter().map(|seen| seen.wire_sequence).collect()
    }
}

impl Consumer for Recorder {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        let true_age_ns = self.clock.now().saturating_sub(quote.ts_recv);
        self.clock.jump_to(self.clock.now().saturating_add(self.service_time_ns));
        self.seen.push(Seen {
            wire_sequence: quote.wire_sequence,
            age_ns: quote.age_ns(),
            true_age_ns,
            remaining_ns: quote.remaining_ns(),
            still_fresh_after_work: quote.still_fresh(),
        });
    }

    fn on_event(&mut self, event: FeedEvent, record: &Quote) {
        self.events.push((record.wire_sequence, event));
    }

    fn on_idle(&mut self) {
        self.idle_calls += 1;
    }
}

/// One lane with its agent, and the bus's end in the test's hand.
pub(crate) struct Rig<K: Consumer, C: Clock> {
    pub(crate) producer: Option<LaneProducer>,
    pub(crate) agent: ConsumerAgent<K, C>,
    pub(crate) telemetry: Arc<LaneTelemetry>,
}

pub(crate) fn ends(spec: LaneSpec) -> (LaneProducer, LaneConsumer, Arc<LaneShared>) {
    lane(spec).unwrap()
}

impl<K: Consumer, C: Clock> Rig<K, C> {
    pub(crate) fn new(spec: LaneSpec, consumer: K, clock: C) -> Self {
        let (producer, lane, _) = ends(spec);
        let agent = ConsumerAgent::new(lane, consumer, clock);
        Self { producer: Some(producer), telemetry: agent.telemetry(), agent }
    }

    pub(crate) fn offer(&mut self, records: &[Quote]) {
        let taken = self.producer.as_mut().unwrap().offer(records, BatchShape::MIXED);
        assert_eq!(taken, records.len());
    }

    pub(crate) fn poll_until_idle(&mut self) -> usize {
        std::iter::from_fn(|| Some(self.agent.do_work()).filter(|work| *work > 0)).sum()
    }

    /// Closes the lane, drains it, and looks at the account.
    pub(crate) fn finish(&mut self) {
        self.producer = None;
        self.poll_until_idle();
        assert!(self.agent.is_finished());
        self.agent.on_close();
        self.assert_balanced();
        let ledger = self.telemetry.ledger();
        assert_eq!(ledger.queued(), 0);
        let samples = [&self.telemetry.age_at_handover, &self.telemetry.age_at_drop]
            .map(|recorder| recorder.snapshot().count());
        assert_eq!(samples, [ledger.total().delivered, ledger.total().expired]);
    }

    pub(crate) fn assert_balanced(&self) {
        let ledger = self.telemetry.ledger();
        assert_eq!(ledger.imbalance(), 0);
        for venue in &ledger.venues {
            let settled = venue.delivered + venue.expired + venue.dropped.total();
            assert_eq!(venue.offered, settled + venue.queued());
        }
    }
}
