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

#[cfg(not(loom))]
#[cfg(test)]
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

/// Two items against one reader: exhaustive, no bound needed.
///
/// The producer runs on the model's main thread and the reader starts last. loom looks for another
/// order only from an access back to the last one of its kind, so a reader that came first would
/// stay hidden behind the load with which a counter adds; the negative models below notice.
#[cfg(loom)]
#[cfg(test)]
mod loom_models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const ITEMS: u64 = 2;

    /// A stage that counts what it puts in, one that counts what it takes out, and the ring between
    /// them, of which only the head matters here.
    #[derive(Default)]
    struct Lane {
        put: Counter,
        taken: Counter,
        head: AtomicU64,
    }

    impl Lane {
        fn put_all(&self) {
            for item in 1..=ITEMS {
                self.put.increment();
                self.head.store(item, Ordering::Release);
            }
        }

        fn take_all(&self) {
            for item in 1..=ITEMS {
                while self.head.load(Ordering::Acquire) < item {
                    thread::yield_now();
                }
                self.taken.increment();
            }
        }
    }

    fn model(read: fn(&Lane)) {
        loom::model(move || {
            let lane = Arc::new(Lane::default());
            let threads = [Lane::take_all, read].map(|run: fn(&Lane)| {
                let lane = Arc::clone(&lane);
                thread::spawn(move || run(&lane))
            });
            lane.put_all();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }

    #[test]
    fn loom_who_reads_taken_first_never_sees_more_taken_than_put() {
        model(|lane| {
            let taken = lane.taken.get();
            assert!(taken <= lane.put.get());
        });
    }

    /// The other order of reading, to show that it matters and that the model would notice.
    #[test]
    #[should_panic(expected = "more taken than put")]
    fn loom_who_reads_put_first_may_see_more_taken_than_put() {
        model(|lane| {
            let put = lane.put.get();
            assert!(lane.taken.get() <= put, "more taken than put");
        });
    }

    /// A count that is published without release loses the order, too.
    #[test]
    #[should_panic(expected = "more taken than put")]
    fn loom_without_release_and_acquire_more_is_taken_than_put() {
        fn relaxed(counter: &Counter) -> u64 {
            counter.0.load(Ordering::Relaxed)
        }
        model(|lane| {
            let taken = relaxed(&lane.taken);
            assert!(taken <= relaxed(&lane.put), "more taken than put");
        });
    }
}
