//! What the cold side sees of a lane.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use freshlane_bus::{LaneShared, LedgerSnapshot};
use freshlane_quote::Counter;

use crate::latency::LatencyRecorder;

/// A lane's account and latencies, written by the thread that polls it, read by any.
///
/// Everything is there from the start, at zero. Aligned so that no neighbour shares a pair of cache
/// lines with what the hot thread writes.
#[derive(Debug)]
#[repr(align(128))]
pub struct LaneTelemetry {
    lane: Arc<LaneShared>,
    /// Hand-over − `ts_recv` of delivered quotes, ns.
    pub age_at_handover: LatencyRecorder,
    /// Hand-over − `ts_event` of delivered quotes whose venue time is plausible, ns; 0 where the
    /// venue's clock is ahead.
    pub end_to_end: LatencyRecorder,
    /// Decision − `ts_recv` of expired quotes, ns.
    pub age_at_drop: LatencyRecorder,
    /// `ts_recv` of the oldest record that is in the consumer's hands or was queued when the lane
    /// was last polled, ns since the Unix epoch; 0 where there is none.
    pub head_ts_recv: Counter,
    panic: OnceLock<Box<str>>,
}

impl LaneTelemetry {
    pub(crate) fn new(lane: Arc<LaneShared>) -> Self {
        Self {
            lane,
            age_at_handover: LatencyRecorder::new(),
            end_to_end: LatencyRecorder::new(),
            age_at_drop: LatencyRecorder::new(),
            head_ts_recv: Counter::new(),
            panic: OnceLock::new(),
        }
    }

    /// The lane: its name and specification, and the means to stop or detach it.
    #[must_use]
    pub fn lane(&self) -> &Arc<LaneShared> {
        &self.lane
    }

    /// The account at this moment.
    #[must_use]
    pub fn ledger(&self) -> LedgerSnapshot {
        self.lane.snapshot()
    }

    /// What the consumer said when it panicked; `None` while it has not.
    #[must_use]
    pub fn panic_message(&self) -> Option<&str> {
        self.panic.get().map(|message| &**message)
    }

    /// Detaches the lane of a consumer that panicked. The one place here that allocates.
    #[cold]
    pub(crate) fn consumer_panicked(&self, payload: Box<dyn Any + Send>) {
        self.lane.detach();
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| Box::from(*text))
            .or_else(|| payload.downcast_ref::<String>().map(|text| Box::from(text.as_str())));
        let _ = self.panic.set(message.unwrap_or_else(|| Box::from("panic without a message")));
        // A payload of an unknown type might panic again when it is dropped.
        std::mem::forget(payload);
    }
}
