//! What the clock tells about itself, readable from any thread.

use std::sync::Arc;

use super::engine::Shared;
use super::start::ClockSource;
use crate::counter::Counter;
use crate::sync::{AtomicU64, Ordering};

/// The numbers that the clock publishes. The timekeeper writes the counters, any handle the rest.
#[derive(Debug, Default)]
pub(crate) struct Published {
    pub(crate) offset_ns: Counter,
    pub(crate) drift_ppb: Counter,
    pub(crate) slew_ppb: Counter,
    pub(crate) tsc_jumps: Counter,
    pub(crate) clock_backwards: AtomicU64,
    /// The furthest reading at which a handle had to stand still, ns since the Unix epoch.
    pub(crate) held_ns: AtomicU64,
}

/// A view of the clock's health. Cheap to clone, readable from any thread.
#[derive(Clone, Debug)]
pub struct ClockMetrics {
    pub(crate) shared: Arc<Shared>,
}

impl ClockMetrics {
    /// Engine time minus wall clock at the last sample, ns: positive when the engine is ahead.
    #[must_use]
    pub fn offset_ns(&self) -> i64 {
        self.shared.published.offset_ns.get().cast_signed()
    }

    /// How much faster the counter runs than it was calibrated, parts per billion.
    #[must_use]
    pub fn drift_ppb(&self) -> i64 {
        self.shared.published.drift_ppb.get().cast_signed()
    }

    /// How much faster than real time the engine clock is made to run to lose its offset, parts per
    /// billion, within ±500,000.
    #[must_use]
    pub fn slew_ppb(&self) -> i64 {
        self.shared.published.slew_ppb.get().cast_signed()
    }

    /// How often the counter left the monotonic clock: a jump, a rate that is wrong by more than
    /// 1,000 ppm, or a core's counter that was ahead of the others.
    #[must_use]
    pub fn tsc_jumps(&self) -> u64 {
        self.shared.published.tsc_jumps.get()
    }

    /// How often a handle would have read less than before, and stood still instead.
    #[must_use]
    pub fn clock_backwards(&self) -> u64 {
        // Relaxed: a count that orders nothing.
        self.shared.published.clock_backwards.load(Ordering::Relaxed)
    }

    /// What the clock counts by.
    #[must_use]
    pub fn source(&self) -> ClockSource {
        self.shared.kind
    }
}
