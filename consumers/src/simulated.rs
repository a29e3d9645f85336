//! A lane in event time: the same gate and consumer, with a modelled pace.

use std::sync::Arc;

use freshlane_bus::LaneConsumer;
use freshlane_quote::{Clock, SimulatedClock};

use crate::consumer::Consumer;
use crate::handover::Handover;
use crate::telemetry::LaneTelemetry;

/// A consumer that works on each quote for a fixed time, on a clock of its own.
///
/// **The model.** The head of the lane is handed over as soon as it is there and the consumer is
/// free: at the later of its receive time and the end of the work before. The gate decides by
/// exactly that time. A delivered quote keeps the consumer busy for the service time; an expired
/// one, and an event, for none.
///
/// Nothing else enters, so one capture gives one sequence of deliveries, on any machine and
/// however the bus cuts its batches. The caller brings the lane up to the time of the next record
/// ([`SimulatedLane::run_until`]) before the bus writes that record.
#[derive(Debug)]
pub struct SimulatedLane<K> {
    lane: LaneConsumer,
    handover: Handover<K, SimulatedClock>,
    clock: SimulatedClock,
    service_time_ns: u64,
    free_at_ns: u64,
}

impl<K: Consumer> SimulatedLane<K> {
    /// A consumer on `lane` that works on each quote for `service_time_ns`.
    #[must_use]
    pub fn new(lane: LaneConsumer, consumer: K, service_time_ns: u64) -> Self {
        let clock = SimulatedClock::at(0);
        let handover = Handover::new(lane.shared(), consumer, clock.clone());
        Self { lane, handover, clock, service_time_ns, free_at_ns: 0 }
    }

    /// What the cold side sees.
    #[must_use]
    pub fn telemetry(&self) -> Arc<LaneTelemetry> {
        Arc::clone(self.handover.telemetry())
    }

    /// The consumer.
    #[must_use]
    pub fn consumer(&self) -> &K {
        self.handover.consumer()
    }

    /// Gives the consumer back. A lane that is not finished is detached by that.
    #[must_use]
    pub fn into_consumer(self) -> K {
        self.handover.into_consumer()
    }

    /// Hands over everything whose hand-over lies before `horizon_ns` (ns since the Unix epoch, not
    /// included), and returns how many records left the lane.
    ///
    /// Not included, because a record received at the horizon may still be on its way through the
    /// bus: running to the same horizon again between two batches of one receive time changes
    /// nothing.
    pub fn run_until(&mut self, horizon_ns: u64) -> usize {
        let mut records = 0;
        while let Some(handover_ns) = self.next_handover_ns() {
            if handover_ns >= horizon_ns {
                break;
            }
            records += self.serve_head(handover_ns);
        }
        records
    }

    /// Hands over everything that is in the lane, at its time, and returns how many records that
    /// were: for the end of the capture.
    pub fn drain(&mut self) -> usize {
        let mut records = 0;
        while let Some(handover_ns) = self.next_handover_ns() {
            records += self.serve_head(handover_ns);
        }
        self.lane.check();
        records
    }

    /// Whether the bus has closed the lane and it is empty.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.lane.is_finished()
    }

    fn next_handover_ns(&self) -> Option<u64> {
        self.lane.peek().map(|head| head.ts_recv.max(self.free_at_ns))
    }

    fn serve_head(&mut self, handover_ns: u64) -> usize {
        self.clock.advance_to(handover_ns);
        let Some(chunk) = self.lane.chunk(1) else { return 0 };
        let served = self.handover.serve(chunk.records());
        chunk.release(served.records);
        let busy_ns = if served.delivered > 0 { self.service_time_ns } else { 0 };
        // A consumer that moves the clock itself is busy for at least that long.
        self.free_at_ns = handover_ns.saturating_add(busy_ns).max(self.clock.now());
        served.records
    }
}
