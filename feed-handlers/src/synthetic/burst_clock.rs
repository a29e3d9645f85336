//! The clock of a synthetic day: arrivals in bursts, never backwards, on time at the end.

use super::random::Random;

/// Stamps for the messages of one segment after the other. Times are ns since midnight.
#[derive(Debug)]
pub(super) struct BurstClock {
    random: Random,
    now_ns: u64,
    end_ns: u64,
    /// Messages of the segment still to come.
    left: u64,
    /// Messages of the burst still to come.
    burst_left: u64,
    /// Bound of the gaps within the burst.
    gap_max_ns: u64,
}

/// Longest gap within a burst.
const BURST_GAP_NS_MAX: u64 = 20_000;
/// A burst has at most twice to this power as many messages.
const BURST_DOUBLINGS: u32 = 5;

impl BurstClock {
    pub(super) const fn new(random: Random) -> Self {
        Self { random, now_ns: 0, end_ns: 0, left: 0, burst_left: 0, gap_max_ns: 0 }
    }

    /// A segment begins.
    pub(super) fn enter(&mut self, start_ns: u64, end_ns: u64, messages: u64) {
        self.now_ns = self.now_ns.max(start_ns);
        self.end_ns = end_ns;
        self.left = messages;
        self.burst_left = 0;
    }

    /// The time of the next message.
    pub(super) fn next_ns(&mut self) -> u64 {
        let gap_ns = if self.burst_left == 0 {
            self.begin_burst()
        } else {
            self.random.below_u64(self.gap_max_ns)
        };
        self.left = self.left.saturating_sub(1);
        self.burst_left = self.burst_left.saturating_sub(1);
        self.now_ns += gap_ns.min(self.end_ns.saturating_sub(self.now_ns));
        self.now_ns
    }

    /// Settles the length of the next burst and returns the gap before it.
    ///
    /// The mean gap comes from what is left of the segment, so any drift corrects itself.
    fn begin_burst(&mut self) -> u64 {
        let left_ns = self.end_ns.saturating_sub(self.now_ns);
        let mean_ns = left_ns / self.left.max(1);
        let span = 2 << self.random.halvings(BURST_DOUBLINGS);
        self.burst_left = 1 + self.random.below_u64(span);
        self.gap_max_ns = (mean_ns / 8).min(BURST_GAP_NS_MAX);
        let gap_max_ns = mean_ns.saturating_mul(2 * self.burst_left);
        self.random.below_u64(gap_max_ns).min(left_ns / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stamps_ascend_within_their_segment(
            seed: u64,
            segments in prop::collection::vec((0_u64..1_000_000, 1_u64..200), 1..10),
        ) {
            let mut clock = BurstClock::new(Random::new(seed, 1));
            let (mut start, mut last) = (0, 0);
            for (length, messages) in segments {
                clock.enter(start, start + length, messages);
                for _ in 0..messages {
                    let now = clock.next_ns();
                    prop_assert!(now >= last && (start..=start + length).contains(&now));
                    last = now;
                }
                start += length;
            }
        }
    }

    #[test]
    fn a_segment_is_filled_and_bursty() {
        let mut clock = BurstClock::new(Random::new(1, 1));
        clock.enter(0, 1_000_000_000, 10_000);
        let stamps: Vec<u64> = (0..10_000).map(|_| clock.next_ns()).collect();
        assert!(*stamps.last().unwrap() > 900_000_000);
        let close = stamps.windows(2).filter(|pair| pair[1] - pair[0] < 12_500).count();
        assert!((5_000..9_500).contains(&close), "{close} of 10,000 gaps are short");
        let half = stamps[5_000];
        assert!((400_000_000..600_000_000).contains(&half), "half of them by {half}");
    }
}
