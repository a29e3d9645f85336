//! The generator's own random numbers: splitmix64.
//!
//! Written out so that a seed gives the same bytes for good, on any machine: integers only. It is
//! fast here because the next state waits for one addition only.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// Stream number `stream` of `seed`.
    pub(super) const fn new(seed: u64, stream: u64) -> Self {
        Self { state: mixed(seed ^ mixed(stream)) }
    }

    /// 64 random bits.
    #[inline]
    pub(super) const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed(self.state)
    }

    /// Uniform below `bound`; 0 for a bound of 0.
    #[inline]
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        scale(self.bits(), bound)
    }

    /// Uniform below `bound`; 0 for a bound of 0.
    #[inline]
    pub(super) fn below_u64(&mut self, bound: u64) -> u64 {
        #[allow(clippy::cast_possible_truncation, reason = "the product's high half is < bound")]
        let high = ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64;
        high
    }

    /// True once in `odds` times.
    #[inline]
    pub(super) fn one_in(&mut self, odds: u32) -> bool {
        self.below(odds) == 0
    }

    /// True `parts` times in 64.
    #[inline]
    pub(super) fn in_64(&mut self, parts: u32) -> bool {
        self.below(64) < parts
    }

    /// How often a coin falls on its head before its tail, at most `limit` times.
    #[inline]
    pub(super) fn halvings(&mut self, limit: u32) -> u32 {
        self.bits().trailing_zeros().min(limit)
    }

    /// One of `choices`.
    #[inline]
    pub(super) fn choice<T: Copy, const N: usize>(&mut self, choices: &[T; N]) -> T {
        const { assert!(N > 0 && N <= u32::MAX as usize) };
        #[allow(clippy::cast_possible_truncation, reason = "asserted above")]
        let bound = N as u32;
        choices[self.below(bound) as usize]
    }
}

/// The high 32 bits of `bits`, scaled to a number below `bound`.
#[inline]
pub(super) const fn scale(bits: u64, bound: u32) -> u32 {
    #[allow(clippy::cast_possible_truncation, reason = "the product's high half is < bound")]
    let high = (((bits >> 32) * bound as u64) >> 32) as u32;
    high
}

/// Each bit of the result depends on every bit of `bits`.
const fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_published_algorithm() {
        let mut random = Random { state: 1_234_567 };
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn bounds_hold_at_their_edges() {
        let mut random = Random::new(1, 2);
        for _ in 0..1_000 {
            assert_eq!(random.below(0), 0);
            assert_eq!(random.below(1), 0);
            assert!(random.below(3) < 3);
            assert_eq!(random.below_u64(0), 0);
            assert!(random.below_u64(5) < 5);
            assert!(random.halvings(4) <= 4);
        }
        assert_eq!(scale(u64::MAX, u32::MAX), u32::MAX - 1);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        assert_ne!(Random::new(7, 0).bits(), Random::new(7, 1).bits());
        assert_ne!(Random::new(7, 0).bits(), Random::new(8, 0).bits());
    }
}
