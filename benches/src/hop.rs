//! How far two cores are apart: the time that a cache line takes from one to the other.
//!
//! On shared machines two virtual cores are now neighbours and now on other sides of the chip, and
//! change within seconds. Every figure of two cores is worth only as much as the distance at which
//! it was taken is known.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use serde::{Deserialize, Serialize};

use crate::pair::Pair;
use crate::series::Series;
use crate::stopwatch::Stopwatch;

/// How far two cores are apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoreDistance {
    /// A hop takes less than [`CoreDistance::NEAR_NS_BELOW`].
    Near,
    /// A hop takes longer.
    Far,
}

impl CoreDistance {
    /// Hops shorter than this are near, ns one way. It lies between what such machines show: 45 to
    /// 65 and 195 to 255 (Zen 3), 24 and 115 to 185 (Sapphire Rapids).
    pub const NEAR_NS_BELOW: f64 = 90.0;

    /// Both, the near one first.
    pub const ALL: [Self; 2] = [Self::Near, Self::Far];

    /// The distance of a hop of `hop_ns`.
    #[must_use]
    pub fn of(hop_ns: f64) -> Self {
        if hop_ns < Self::NEAR_NS_BELOW { Self::Near } else { Self::Far }
    }

    /// The word in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
        }
    }
}

/// Round trips of a block. A gap in the machine's time spoils one block, and the median drops it.
const BLOCK_TRIPS: u64 = 300;
const BLOCKS: u64 = 21;

/// One hop, ns: half of a round trip of one cache line, the median of 21 blocks of 300.
#[must_use]
pub fn hop_ns(pair: &Pair) -> f64 {
    let [there, back] = [const { CachePadded::new(AtomicU64::new(0)) }; 2];
    let run = pair.run(
        || (0..BLOCKS).map(|block| serve(block, &there, &back)).collect(),
        || (1..=BLOCKS * BLOCK_TRIPS).for_each(|trip| back.store(wait(&there, trip), ACROSS)),
    );
    Series::new(run.produced).median()
}

const ACROSS: Ordering = Ordering::Release;

fn wait(line: &AtomicU64, trip: u64) -> u64 {
    while line.load(Ordering::Acquire) < trip {}
    trip
}

fn serve(block: u64, there: &AtomicU64, back: &AtomicU64) -> f64 {
    let watch = Stopwatch::start();
    for trip in 1..=BLOCK_TRIPS {
        let trip = block * BLOCK_TRIPS + trip;
        there.store(trip, ACROSS);
        wait(back, trip);
    }
    watch.elapsed_ns() as f64 / (2 * BLOCK_TRIPS) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::Cores;

    #[test]
    fn the_classes_meet_at_their_bound() {
        assert_eq!(CoreDistance::of(89.9), CoreDistance::Near);
        assert_eq!(CoreDistance::of(90.0), CoreDistance::Far);
    }

    #[test]
    fn a_probe_takes_time_and_ends() {
        let Some(pair) = Pair::on(Cores::of_process()) else { return };
        assert!(hop_ns(&pair) > 1.0);
    }
}
