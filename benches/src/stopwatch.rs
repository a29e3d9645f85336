//! Wall time of a piece of work, and its cost an operation.

use std::time::Instant;

/// A moment from which time is measured. Reading it costs about 30 ns: once a slice, never an
/// operation.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Now.
    #[must_use]
    #[allow(
        clippy::disallowed_methods,
        reason = "a bench measures wall time, it does not act on it"
    )]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start, ns.
    #[must_use]
    pub fn elapsed_ns(&self) -> u64 {
        self.ns_until(&Self::start())
    }

    /// Time from here to `later`, ns; 0 where that lies before. Two threads may each hold one end.
    #[must_use]
    pub fn ns_until(&self, later: &Self) -> u64 {
        let elapsed = later.0.saturating_duration_since(self.0);
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// So many operations took so long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Wall time, ns.
    pub ns: u64,
    /// What was done in it.
    pub operations: u64,
}

impl Cost {
    /// Runs `work`, which returns how many operations it did.
    pub fn of(work: impl FnOnce() -> u64) -> Self {
        let watch = Stopwatch::start();
        let operations = work();
        Self { ns: watch.elapsed_ns(), operations }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { ns: self.ns + other.ns, operations: self.operations + other.operations }
    }

    /// ns an operation; of nothing, 0.
    #[must_use]
    pub fn each_ns(self) -> f64 {
        self.ns as f64 / self.operations.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_one_way() {
        let earlier = Stopwatch::start();
        let later = Stopwatch::start();
        assert_eq!(later.ns_until(&earlier), 0);
    }

    #[test]
    fn costs_add_up() {
        let cost = Cost { ns: 300, operations: 2 }.plus(Cost { ns: 100, operations: 2 });
        assert_eq!((cost, cost.each_ns()), (Cost { ns: 400, operations: 4 }, 100.0));
        assert_eq!(Cost::of(|| 7).operations, 7);
        assert_eq!(Cost::default().each_ns(), 0.0);
    }
}
