//! The agent that polls one lane on a core.

use std::sync::Arc;

use freshlane_bus::LaneConsumer;
use freshlane_quote::{Agent, Clock};

use crate::consumer::Consumer;
use crate::handover::Handover;
use crate::telemetry::LaneTelemetry;

/// A consumer on its lane, behind its gate.
///
/// A turn takes at most [`ConsumerAgent::CHUNK_MAX`] records. After a panic of the consumer, or
/// when the lane is detached or stopped, the agent goes on to drain the lane and accounts for what
/// it throws away, until the bus closes the lane.
#[derive(Debug)]
pub struct ConsumerAgent<K, C> {
    lane: LaneConsumer,
    handover: Handover<K, C>,
    /// Whether anything happened since the account was last compared with the ring.
    audit_due: bool,
    audited_at_ns: u64,
    head_is_shown: bool,
}

impl<K: Consumer, C: Clock> ConsumerAgent<K, C> {
    /// The most records of a turn, and of one precise reading of the clock.
    pub const CHUNK_MAX: usize = 64;
    /// How often the account is compared with the ring while there is work, ns.
    const AUDIT_PERIOD_NS: u64 = 100_000_000;

    /// An agent that hands what is fresh on `lane` to `consumer`, by `clock`.
    #[must_use]
    pub fn new(lane: LaneConsumer, consumer: K, clock: C) -> Self {
        let handover = Handover::new(lane.shared(), consumer, clock);
        Self { lane, handover, audit_due: false, audited_at_ns: 0, head_is_shown: false }
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

    fn idle(&mut self) {
        if self.head_is_shown {
            self.handover.telemetry().head_ts_recv.set(0);
            self.head_is_shown = false;
        }
        self.audit_by_period();
        self.handover.idle();
    }

    #[inline]
    fn audit_by_period(&mut self) {
        if !self.audit_due {
            return;
        }
        let tick_ns = self.handover.gate().clock().tick();
        // A tick that went back is as good a reason as one that went on.
        if tick_ns.wrapping_sub(self.audited_at_ns) >= Self::AUDIT_PERIOD_NS {
            self.audited_at_ns = tick_ns;
            self.audit();
        }
    }

    #[cold]
    fn audit(&mut self) {
        self.audit_due = false;
        // The result stands in the ledger, as the imbalance of its snapshots.
        self.lane.check();
    }
}

impl<K: Consumer, C: Clock> Agent for ConsumerAgent<K, C> {
    fn name(&self) -> &str {
        &self.handover.telemetry().lane().spec().name
    }

    fn do_work(&mut self) -> usize {
        let Some(chunk) = self.lane.chunk(Self::CHUNK_MAX) else {
            self.idle();
            return 0;
        };
        self.handover.telemetry().head_ts_recv.set(chunk.records()[0].ts_recv);
        let served = self.handover.serve(chunk.records());
        chunk.release(served.records);
        self.head_is_shown = true;
        self.audit_due = true;
        self.audit_by_period();
        served.records
    }

    fn is_finished(&self) -> bool {
        self.lane.is_finished()
    }

    fn on_close(&mut self) {
        self.handover.telemetry().head_ts_recv.set(0);
        self.audit();
    }
}
