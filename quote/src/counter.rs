//! Single-writer counters: the hot path counts with a plain load, add and store.

use std::fmt;

use crate::sync::{AtomicU64, Ordering};

/// A counter with one writer and any number of readers.
///
/// [`Counter::add`] is a relaxed load and a release store, not a read-modify-write: several times
/// cheaper, and right only while one thread writes. Two writers lose counts, never soundness.
///
/// The store releases and [`Counter::get`] acquires, so a reader who sees a count also sees what
/// was counted before it: reading a consumer's counters first and its lane's afterwards never shows
/// more taken out than put in.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// A counter at zero.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Adds `count`. Single writer.
    #[inline]
    pub fn add(&self, count: u64) {
        // Relaxed: the one writer reads its own last store. Release pairs with `get`.
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(count), Ordering::Release);
    }

    /// Adds one. Single writer.
    #[inline]
    pub fn increment(&self) {
        self.add(1);
    }

    /// Sets the value, for gauges. Single writer.
    #[inline]
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Release);
    }

    /// The count as last stored. Any thread.
    #[inline]
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.get())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let counter = Counter::new();
        counter.add(41);
        counter.increment();
        assert_eq!(counter.get(), 42);
        counter.set(7);
        assert_eq!(counter.get(), 7);
    }
}
