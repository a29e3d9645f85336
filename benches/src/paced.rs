//! Latency of lone quotes: sent at a steady pace that leaves every stage idle in between.
//!
//! The sender stamps each quote right before it sends it, the receiver reads the time when it has
//! the quote in hand. Both readings are of the OS's monotonic clock: it waits for the loads before
//! it, while the bare counter of the CPU may be read before the quote has arrived, and then shows
//! times that are too good by a hop. The readings (some 20 ns each) are part of every figure, so a
//! bare cache line is paced in the same way to compare with ([`bare_line`]). Gaps in the machine's
//! time spoil the tail: judge by the median.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use hdrhistogram::Histogram;

use crate::pair::Pair;
use crate::stopwatch::Stopwatch;

/// How many quotes, and how far apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// How many.
    pub quotes: u64,
    /// From one to the next, ns.
    pub period_ns: u64,
}

impl Pace {
    /// `quotes` at 100,000 a second.
    #[must_use]
    pub const fn of(quotes: u64) -> Self {
        Self { quotes, period_ns: 10_000 }
    }
}

/// Takes in what arrives.
pub struct Receiver {
    clock: Stopwatch,
    lanes: Vec<Histogram<u64>>,
    received: u64,
}

impl Receiver {
    fn new(clock: Stopwatch, lanes: usize) -> Self {
        let histogram = || Histogram::new_with_bounds(1, 1_000_000_000, 3);
        let lanes = (0..lanes).map(|_| histogram().expect("1 ns to 1 s are bounds")).collect();
        Self { clock, lanes, received: 0 }
    }

    /// Lane `lane` has a quote in hand that was stamped with `stamp`.
    #[inline]
    pub fn got(&mut self, lane: usize, stamp: u64) {
        let latency_ns = self.clock.elapsed_ns().saturating_sub(stamp);
        self.lanes[lane].saturating_record(latency_ns);
        self.received += 1;
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").field("received", &self.received).finish_non_exhaustive()
    }
}

/// The latencies of each lane, ns.
#[derive(Clone, Debug)]
pub struct Latencies(Vec<Histogram<u64>>);

impl Latencies {
    /// The latency of `lane` that a share `quantile` does not exceed, ns.
    #[must_use]
    pub fn of_lane(&self, lane: usize, quantile: f64) -> f64 {
        self.0[lane].value_at_quantile(quantile) as f64
    }
}

/// Polls without a quote, after the last one was sent, until the receiver believes that it is over.
const POLLS_AFTER_END: u32 = 1_000;

/// Sends stamps at `pace` from here by `send`; the other core takes them in by `poll`, which is
/// called again and again until each of `lanes` lanes had every quote, or the sender has ended and
/// nothing comes any more: what holds one quote only loses those that come during a gap.
pub fn paced(
    pair: &Pair,
    pace: Pace,
    lanes: usize,
    mut send: impl FnMut(u64),
    mut poll: impl FnMut(&mut Receiver) + Send,
) -> Latencies {
    let clock = Stopwatch::start();
    let expected = pace.quotes * lanes as u64;
    let is_sent = AtomicBool::new(false);
    let run = pair.run(
        || {
            let start_ns = clock.elapsed_ns();
            for number in 1..=pace.quotes {
                let due_ns = start_ns + number * pace.period_ns;
                while clock.elapsed_ns() < due_ns {}
                send(clock.elapsed_ns());
            }
            is_sent.store(true, Ordering::Release);
        },
        || {
            let mut receiver = Receiver::new(clock, lanes);
            let mut polls_after_end = 0;
            while receiver.received < expected && polls_after_end < POLLS_AFTER_END {
                let (was_sent, before) = (is_sent.load(Ordering::Acquire), receiver.received);
                poll(&mut receiver);
                let is_idle = was_sent && receiver.received == before;
                polls_after_end = if is_idle { polls_after_end + 1 } else { 0 };
            }
            receiver.lanes
        },
    );
    Latencies(run.consumed)
}

/// The median latency of a bare cache line at `pace`, ns: what the hardware and the two readings of
/// the clock take.
pub fn bare_line(pair: &Pair, pace: Pace) -> f64 {
    let line = CachePadded::new(AtomicU64::new(0));
    let mut seen = 0;
    let latencies = paced(
        pair,
        pace,
        1,
        |stamp| line.store(stamp, Ordering::Release),
        |receiver| {
            let stamp = line.load(Ordering::Acquire);
            if stamp != seen {
                receiver.got(0, stamp);
                seen = stamp;
            }
        },
    );
    latencies.of_lane(0, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::Cores;

    #[test]
    fn quotes_arrive_on_every_lane_and_take_time() {
        let Some(pair) = Pair::on(Cores::of_process()) else { return };
        let lines = [const { CachePadded::new(AtomicU64::new(0)) }; 2];
        let (mut sent, mut seen) = (0, [0; 2]);
        let latencies = paced(
            &pair,
            Pace { quotes: 20, period_ns: 1_000 },
            2,
            |stamp| {
                sent += 1;
                lines.iter().for_each(|line| line.store(stamp, Ordering::Release));
            },
            |receiver| {
                for (lane, line) in lines.iter().enumerate() {
                    let stamp = line.load(Ordering::Acquire);
                    if stamp != seen[lane] {
                        receiver.got(lane, stamp);
                        seen[lane] = stamp;
                    }
                }
            },
        );
        assert_eq!(sent, 20);
        assert!((0..2).all(|lane| latencies.of_lane(lane, 0.5) >= 1.0));
    }
}
