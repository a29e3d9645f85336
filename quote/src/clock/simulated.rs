//! Time that a test, a replay or a simulation moves by hand.

use std::sync::Arc;

use crate::clock::Clock;
use crate::sync::{AtomicU64, Ordering};

/// A clock that stands still until it is told to move. Clones share one time.
#[derive(Clone, Debug, Default)]
pub struct SimulatedClock {
    now_ns: Arc<AtomicU64>,
}

impl SimulatedClock {
    /// A clock that reads `now_ns`, ns since the Unix epoch.
    #[must_use]
    pub fn at(now_ns: u64) -> Self {
        Self { now_ns: Arc::new(AtomicU64::new(now_ns)) }
    }

    /// Moves to `now_ns`. Going back is ignored: event time runs one way.
    pub fn advance_to(&self, now_ns: u64) {
        self.now_ns.fetch_max(now_ns, Ordering::Release);
    }

    /// Moves on by `delta_ns`, saturating.
    pub fn advance_by(&self, delta_ns: u64) {
        self.advance_to(self.now().saturating_add(delta_ns));
    }

    /// Jumps anywhere, also back: for tests of what a broken clock does.
    pub fn jump_to(&self, now_ns: u64) {
        self.now_ns.store(now_ns, Ordering::Release);
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> u64 {
        self.now_ns.load(Ordering::Acquire)
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_time_that_never_goes_back() {
        let clock = SimulatedClock::at(5);
        let other = clock.clone();
        clock.advance_to(9);
        clock.advance_to(3);
        assert_eq!(other.now(), 9);
        other.advance_by(u64::MAX);
        assert_eq!(clock.now(), u64::MAX);
        clock.jump_to(1);
        assert_eq!(other.now(), 1);
    }
}
