//! Which orders are young: most orders live briefly, a few for hours.

use super::random::Random;

/// How many of the youngest orders are remembered, as a power of two.
const DEPTH_LOG2: u32 = 14;
const DEPTH: usize = 1 << DEPTH_LOG2;

/// The slots and references of the latest orders.
#[derive(Debug)]
pub(super) struct Recent {
    entries: Box<[(u32, u64)]>,
    newest: usize,
}

impl Recent {
    pub(super) fn new() -> Self {
        // Reference 0 belongs to no order.
        Self { entries: vec![(0, 0); DEPTH].into_boxed_slice(), newest: 0 }
    }

    /// Remembers an order.
    pub(super) fn push(&mut self, slot: u32, reference: u64) {
        self.newest = (self.newest + 1) % DEPTH;
        self.entries[self.newest] = (slot, reference);
    }

    /// A young order, the younger the likelier: each doubling of the age is as likely as the last.
    ///
    /// The slot may hold another order by now; the caller compares the reference.
    pub(super) fn draw(&self, random: &mut Random) -> (u32, u64) {
        let span = 1 << random.below(DEPTH_LOG2 + 1);
        let age = random.below(span) as usize;
        self.entries[(self.newest + DEPTH - age) % DEPTH]
    }

    /// The youngest order.
    pub(super) fn newest(&self) -> (u32, u64) {
        self.entries[self.newest]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_favour_the_young() {
        let mut recent = Recent::new();
        let mut random = Random::new(1, 0);
        for number in 1..=20_000 {
            recent.push(number, u64::from(number));
        }
        assert_eq!(recent.newest(), (20_000, 20_000));
        let draws: Vec<u32> = (0..10_000).map(|_| recent.draw(&mut random).0).collect();
        let young = draws.iter().filter(|&&slot| slot > 19_900).count();
        assert!((4_000..6_500).contains(&young), "{young}");
        assert!(draws.iter().all(|&slot| slot > 20_000 - 16_384));
    }
}
