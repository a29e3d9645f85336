//! A producer and a consumer on two pinned cores.

use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use core_affinity::CoreId;

use crate::cores::{Cores, pin};
use crate::stopwatch::Stopwatch;

/// Two cores: the calling thread's, and one for a thread that is started for each run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    consumer: CoreId,
}

/// What a run gave.
#[derive(Clone, Copy, Debug)]
pub struct PairRun<P, C> {
    /// Of the producing side.
    pub produced: P,
    /// Of the consuming side.
    pub consumed: C,
    /// From the moment at which both were ready to the consumer's end, ns.
    pub ns: u64,
}

impl Pair {
    /// Pins the calling thread to the main core; `None` where there is no second one.
    #[must_use]
    pub fn on(cores: &Cores) -> Option<Self> {
        let (producer, consumer) = (cores.main()?, cores.other()?);
        pin(producer);
        Some(Self { consumer })
    }

    /// Runs `produce` here and `consume` on the other core, both from the same moment on.
    ///
    /// # Panics
    /// When `consume` does.
    pub fn run<P, C: Send>(
        &self,
        produce: impl FnOnce() -> P,
        consume: impl FnOnce() -> C + Send,
    ) -> PairRun<P, C> {
        let ready = AtomicU32::new(0);
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                pin(self.consumer);
                meet(&ready);
                let consumed = consume();
                (consumed, Stopwatch::start())
            });
            meet(&ready);
            let watch = Stopwatch::start();
            let produced = produce();
            let (consumed, end) = other.join().expect("the consuming side does not panic");
            PairRun { produced, consumed, ns: watch.ns_until(&end) }
        })
    }
}

/// Returns once both sides have come here.
fn meet(ready: &AtomicU32) {
    ready.fetch_add(1, Ordering::AcqRel);
    while ready.load(Ordering::Acquire) < 2 {
        hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_run_and_give_back_what_they_have() {
        let Some(pair) = Pair::on(Cores::of_process()) else { return };
        let line = AtomicU32::new(0);
        let run = pair.run(
            || line.store(7, Ordering::Release),
            || {
                while line.load(Ordering::Acquire) == 0 {}
                line.load(Ordering::Acquire)
            },
        );
        assert_eq!(run.consumed, 7);
        assert!(run.ns > 0);
    }
}
