//! Where time comes from: a counter that is cheap to read, and the two OS clocks that judge it.

use std::time::{Instant, SystemTime};

use super::parameters::Rate;

/// One moment, read from all three clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sample {
    /// The raw counter, ticks.
    pub(crate) raw: u64,
    /// The OS's monotonic clock, ns since an arbitrary start.
    pub(crate) monotonic_ns: u64,
    /// The OS's wall clock, ns since the Unix epoch.
    pub(crate) realtime_ns: u64,
}

/// The clocks of this machine.
#[derive(Clone, Debug)]
pub(crate) enum TimeSource {
    /// The CPU's invariant counter.
    Tsc {
        /// Reads the counter.
        counter: quanta::Clock,
        /// Where the monotonic clock counts from.
        origin: Instant,
    },
    /// The OS's monotonic clock in place of a counter: one tick is a nanosecond.
    Os {
        /// Where both count from.
        origin: Instant,
    },
    /// Clocks that a test moves.
    #[cfg(not(loom))]
    #[cfg(test)]
    Simulated(std::sync::Arc<simulated::Clocks>),
}

/// Reads per sample; the one that was interrupted least counts.
const ATTEMPTS: usize = 5;

impl TimeSource {
    /// The raw counter now, ticks.
    #[inline]
    pub(crate) fn raw(&self) -> u64 {
        match self {
            Self::Tsc { counter, .. } => counter.raw(),
            Self::Os { origin } => since(*origin),
            #[cfg(not(loom))]
            #[cfg(test)]
            Self::Simulated(clocks) => clocks.raw(),
        }
    }

    fn monotonic_ns(&self) -> u64 {
        match self {
            Self::Tsc { origin, .. } | Self::Os { origin } => since(*origin),
            #[cfg(not(loom))]
            #[cfg(test)]
            Self::Simulated(clocks) => clocks.monotonic_ns(),
        }
    }

    fn realtime_ns(&self) -> u64 {
        match self {
            Self::Tsc { .. } | Self::Os { .. } => realtime_ns(),
            #[cfg(not(loom))]
            #[cfg(test)]
            Self::Simulated(clocks) => clocks.realtime_ns(),
        }
    }

    /// The three clocks at one moment, or `None` when no attempt got through within
    /// `width_ns_max` by `rate`: a sample that was interrupted half-way would look like a jump.
    pub(crate) fn sample(&self, rate: Rate, width_ns_max: i64) -> Option<Sample> {
        (0..ATTEMPTS)
            .map(|_| self.attempt())
            .filter_map(|(width, sample)| Some((u64::try_from(width).ok()?, sample)))
            .min_by_key(|(width, _)| *width)
            .filter(|(width, _)| rate.nanoseconds((*width).cast_signed()) <= width_ns_max)
            .map(|(_, sample)| sample)
    }

    /// The three clocks, however long it takes to read them.
    pub(crate) fn any_sample(&self) -> Sample {
        self.attempt().1
    }

    /// The width of the attempt in ticks (negative when the counter ran back), and its middle.
    fn attempt(&self) -> (i64, Sample) {
        let before = self.raw();
        let (monotonic_ns, realtime_ns) = (self.monotonic_ns(), self.realtime_ns());
        let width = self.raw().wrapping_sub(before).cast_signed();
        let raw = before.wrapping_add_signed(width / 2);
        (width, Sample { raw, monotonic_ns, realtime_ns })
    }
}

#[allow(clippy::disallowed_methods, reason = "this is the clock module")]
pub(crate) fn origin() -> Instant {
    Instant::now()
}

fn since(origin: Instant) -> u64 {
    u64::try_from(origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

#[allow(clippy::disallowed_methods, reason = "this is the clock module")]
fn realtime_ns() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since_epoch| u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(not(loom))]
#[cfg(test)]
pub(crate) mod simulated {
    //! A machine whose clocks a test moves: a counter of any rate, an OS that can be stepped.

    use std::sync::atomic::{AtomicU64, Ordering};

    /// The clocks of a simulated machine.
    #[derive(Debug, Default)]
    pub(crate) struct Clocks {
        raw: AtomicU64,
        monotonic_ns: AtomicU64,
        realtime_ns: AtomicU64,
        /// How much faster than 1 tick a nanosecond the counter runs, ppb.
        drift_ppb: AtomicU64,
    }

    impl Clocks {
        pub(crate) fn starting_at(realtime_ns: u64) -> Self {
            let clocks = Self::default();
            clocks.raw.store(1_000_000, Ordering::Relaxed);
            clocks.realtime_ns.store(realtime_ns, Ordering::Relaxed);
            clocks
        }

        pub(crate) fn set_drift_ppb(&self, ppb: i64) {
            self.drift_ppb.store(ppb.cast_unsigned(), Ordering::Relaxed);
        }

        /// Lets `ns` go by on all clocks, up to a second at a time.
        pub(crate) fn pass(&self, ns: u64) {
            let drift_ppb = self.drift_ppb.load(Ordering::Relaxed).cast_signed();
            let drift_ns = ns.cast_signed() * drift_ppb / 1_000_000_000;
            self.jump_raw(ns.cast_signed() + drift_ns);
            self.monotonic_ns.fetch_add(ns, Ordering::Relaxed);
            self.step_realtime(ns.cast_signed());
        }

        /// Moves the counter alone.
        pub(crate) fn jump_raw(&self, ticks: i64) {
            self.raw.fetch_add(ticks.cast_unsigned(), Ordering::Relaxed);
        }

        /// Moves the wall clock alone.
        pub(crate) fn step_realtime(&self, ns: i64) {
            self.realtime_ns.fetch_add(ns.cast_unsigned(), Ordering::Relaxed);
        }

        pub(crate) fn raw(&self) -> u64 {
            self.raw.load(Ordering::Relaxed)
        }

        pub(crate) fn monotonic_ns(&self) -> u64 {
            self.monotonic_ns.load(Ordering::Relaxed)
        }

        pub(crate) fn realtime_ns(&self) -> u64 {
            self.realtime_ns.load(Ordering::Relaxed)
        }
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_reads_one_moment_of_all_three_clocks() {
        let clocks = std::sync::Arc::new(simulated::Clocks::starting_at(7_000));
        clocks.pass(500);
        let source = TimeSource::Simulated(clocks);
        assert_eq!(
            source.sample(Rate::NANOSECOND, 0),
            Some(Sample { raw: 1_000_500, monotonic_ns: 500, realtime_ns: 7_500 })
        );
    }

    #[test]
    fn a_sample_that_was_interrupted_is_no_sample() {
        let source = TimeSource::Os { origin: origin() };
        assert_eq!(source.sample(Rate::NANOSECOND, -1), None);
        assert!(source.sample(Rate::NANOSECOND, i64::MAX).is_some());
    }
}
