//! Price levels: sorted arrays in one pre-faulted arena.
//!
//! Each side of each book is a block of the arena, sorted so that the best level stands last: most
//! changes happen near the best price, so most searches are short and most moves are small. Prices
//! and sizes lie in arrays of their own: the 16 best prices are one or two cache lines, and one
//! comparison of all of them finds the level without a branch to mispredict. A full block moves to
//! one twice its size; blocks come from free lists, so nothing is allocated while the arena lasts.

use super::memory::{huge_vec, prefetch};

/// Levels that are searched and moved as a whole: as many prices as fit a cache line.
const NEAR: usize = NEAR_U32 as usize;
/// The same in the width of a side's numbers.
const NEAR_U32: u32 = 16;
/// Levels of the smallest block. Beyond the levels in use each block keeps `NEAR + 1` empty ones,
/// so that a move of `NEAR` levels by one never leaves it.
const BLOCK_MIN: usize = 32;
/// Size classes: 32 levels, 64, … 32 × 2^25.
const CLASSES: usize = 26;
/// No block.
const NOWHERE: u32 = u32::MAX;

/// One side of one book: where its levels lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LevelSide {
    offset: u32,
    len: u32,
    /// Levels that fit; 0 before the first block.
    capacity: u32,
}

impl LevelSide {
    /// A side without levels and without a block.
    pub(crate) const EMPTY: Self = Self { offset: 0, len: 0, capacity: 0 };

    #[inline(always)]
    fn start(self) -> usize {
        self.offset as usize
    }

    #[inline(always)]
    fn end(self) -> usize {
        (self.offset + self.len) as usize
    }

    /// Where the best `NEAR` levels begin, or the first level where there are fewer.
    #[inline(always)]
    fn near_start(self) -> usize {
        (self.offset + self.len.saturating_sub(NEAR_U32)) as usize
    }

    /// The size class of the block; only where there is one.
    #[inline(always)]
    fn class(self) -> usize {
        ((self.capacity as usize + NEAR + 1) / BLOCK_MIN).trailing_zeros() as usize
    }
}

/// The best level of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BestLevel {
    pub(crate) key: u32,
    pub(crate) shares: u64,
}

/// The memory of all levels of all books.
#[derive(Debug)]
pub(crate) struct LevelArena {
    /// The price on the bid side, its complement on the ask side: the best level is the greatest.
    /// 0 where a block has no level.
    keys: Vec<u32>,
    /// Shares of all orders at the level; not 0 in a level, anything elsewhere.
    shares: Vec<u64>,
    /// First level that was never given out.
    fresh: usize,
    /// Head of the list of free blocks by class, linked through `keys`.
    free: [u32; CLASSES],
    growths: u64,
}

impl LevelArena {
    /// An arena with room for `expected` levels.
    pub(crate) fn with_expected(expected: usize) -> Self {
        let len = expected.clamp(1024, 1 << 30);
        Self {
            keys: huge_vec(len, 0),
            shares: huge_vec(len, 0),
            fresh: 0,
            free: [NOWHERE; CLASSES],
            growths: 0,
        }
    }

    /// How often the arena had to double: each is an allocation and a pause.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    /// The best level of `side`.
    #[inline(always)]
    pub(crate) fn best(&self, side: LevelSide) -> Option<BestLevel> {
        let at = side.end().checked_sub(1).filter(|_| side.len != 0)?;
        Some(BestLevel { key: self.keys[at], shares: self.shares[at] })
    }

    /// Brings the best levels of `side` into the cache.
    #[inline(always)]
    pub(crate) fn prefetch_best(&self, side: LevelSide) {
        // The level after the best is in the block too, or is level 0 of a side without a block.
        prefetch(&self.keys[side.near_start()]);
        prefetch(&self.keys[side.end()]);
        prefetch(&self.shares[side.end()]);
        prefetch(&self.shares[side.near_start().max(side.end().saturating_sub(6))]);
    }

    /// Index after the last level with a key of at most `key`.
    #[inline(always)]
    fn rank(&self, side: LevelSide, key: u32) -> usize {
        if side.capacity == 0 {
            return side.start();
        }
        let near: &[u32; NEAR] =
            self.keys[side.near_start()..].first_chunk().expect("a block is longer than NEAR");
        // Places without a level hold 0, which is better than nothing.
        let better: u32 = near.iter().map(|&found| u32::from(found > key)).sum();
        if better == NEAR_U32 {
            return self.far_rank(side, key);
        }
        side.end() - better as usize
    }

    /// The same below the best `NEAR` levels: leaps of twice the distance, then bisection.
    #[inline(never)]
    fn far_rank(&self, side: LevelSide, key: u32) -> usize {
        let levels = &self.keys[side.start()..side.near_start()];
        let (mut high, mut leap) = (levels.len(), NEAR);
        loop {
            let low = high.saturating_sub(leap);
            if low == 0 || levels[low] <= key {
                let within = levels[low..high].partition_point(|&found| found <= key);
                return side.start() + low + within;
            }
            (high, leap) = (low, leap * 2);
        }
    }

    /// Puts `shares` at `key`. Returns whether the best level changed.
    #[inline(always)]
    pub(crate) fn add(&mut self, side: &mut LevelSide, key: u32, shares: u32) -> bool {
        let rank = self.rank(*side, key);
        if rank > side.start() && self.keys[rank - 1] == key {
            self.shares[rank - 1] += u64::from(shares);
            return rank == side.end();
        }
        self.insert(side, rank, key, u64::from(shares))
    }

    /// Inserts a level at index `rank`. Returns whether it is the best.
    #[inline(always)]
    fn insert(&mut self, side: &mut LevelSide, rank: usize, key: u32, shares: u64) -> bool {
        let rank = if side.len == side.capacity { self.enlarge(side, rank) } else { rank };
        let end = side.end();
        if end - rank <= NEAR {
            shift_near_up(&mut self.keys, rank);
            shift_near_up(&mut self.shares, rank);
        } else {
            self.keys.copy_within(rank..end, rank + 1);
            self.shares.copy_within(rank..end, rank + 1);
        }
        self.keys[rank] = key;
        self.shares[rank] = shares;
        side.len += 1;
        rank == end
    }

    /// Takes `shares` off the level at `key`; at 0 the level goes. Returns whether the best level
    /// changed. The level exists and has as many: the orders there add up to it.
    #[inline(always)]
    pub(crate) fn reduce(&mut self, side: &mut LevelSide, key: u32, shares: u32) -> bool {
        let rank = self.rank(*side, key);
        let end = side.end();
        debug_assert!(rank > side.start() && self.keys[rank - 1] == key, "an order has a level");
        let level = &mut self.shares[rank - 1];
        *level -= u64::from(shares);
        if *level == 0 {
            self.remove(side, rank);
        }
        rank == end
    }

    /// Removes the level before index `rank`.
    #[inline(always)]
    fn remove(&mut self, side: &mut LevelSide, rank: usize) {
        let end = side.end();
        if end - rank <= NEAR {
            shift_near_down(&mut self.keys, rank);
            shift_near_down(&mut self.shares, rank);
        } else {
            self.keys.copy_within(rank..end, rank - 1);
            self.shares.copy_within(rank..end, rank - 1);
        }
        self.keys[end - 1] = 0;
        side.len -= 1;
    }

    /// Moves `side` to a block of twice the size; returns where `rank` is then.
    #[cold]
    fn enlarge(&mut self, side: &mut LevelSide, rank: usize) -> usize {
        let class = if side.capacity == 0 { 0 } else { side.class() + 1 };
        let start = self.take_block(class);
        let old = side.start()..side.end();
        self.keys.copy_within(old.clone(), start);
        self.shares.copy_within(old, start);
        let moved_rank = rank - side.start() + start;
        self.release(*side);
        *side = LevelSide {
            offset: index_u32(start),
            len: side.len,
            capacity: index_u32((BLOCK_MIN << class) - NEAR - 1),
        };
        moved_rank
    }

    fn release(&mut self, side: LevelSide) {
        if side.capacity != 0 {
            let class = side.class();
            self.keys[side.start()..side.end()].fill(0);
            self.keys[side.start()] = self.free[class];
            self.free[class] = side.offset;
        }
    }

    fn take_block(&mut self, class: usize) -> usize {
        let head = self.free[class];
        if head != NOWHERE {
            let start = head as usize;
            self.free[class] = std::mem::take(&mut self.keys[start]);
            return start;
        }
        let start = self.fresh;
        self.fresh += BLOCK_MIN << class;
        // One level more than the blocks, so that the place after the last block exists.
        if self.fresh >= self.keys.len() {
            self.grow();
        }
        start
    }

    fn grow(&mut self) {
        let len = (self.fresh + 1).max(self.keys.len() * 2);
        let mut keys = huge_vec(len, 0);
        keys[..self.keys.len()].copy_from_slice(&self.keys);
        let mut shares = huge_vec(len, 0);
        shares[..self.shares.len()].copy_from_slice(&self.shares);
        (self.keys, self.shares) = (keys, shares);
        self.growths += 1;
    }
}

/// An index of the arena as it is stored.
fn index_u32(index: usize) -> u32 {
    // 2^32 levels are 48 GiB: memory ends before the indices do.
    u32::try_from(index).expect("fewer than 2^32 levels")
}

/// Moves the `NEAR` values from `at` on up by one.
#[inline(always)]
fn shift_near_up<T: Copy>(values: &mut [T], at: usize) {
    let moved: [T; NEAR] = *values[at..].first_chunk().expect("a block keeps empty levels");
    values[at + 1..=at + NEAR].copy_from_slice(&moved);
}

/// Moves the `NEAR` values from `at` on down by one.
#[inline(always)]
fn shift_near_down<T: Copy>(values: &mut [T], at: usize) {
    let moved: [T; NEAR] = *values[at..].first_chunk().expect("a block keeps empty levels");
    values[at - 1..at - 1 + NEAR].copy_from_slice(&moved);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    fn keys(arena: &LevelArena, side: LevelSide) -> &[u32] {
        &arena.keys[side.start()..side.end()]
    }

    #[test]
    fn levels_stay_sorted_through_every_block_size() {
        let mut arena = LevelArena::with_expected(1);
        let mut side = LevelSide::EMPTY;
        for i in 0..3000_u32 {
            arena.add(&mut side, i.wrapping_mul(7919) % 3001, 5);
        }
        let shown = keys(&arena, side);
        assert_eq!(shown.len(), 3000);
        assert!(shown.is_sorted_by(|a, b| a < b));
        assert!(arena.growths() > 0);
    }

    #[test]
    fn blocks_that_a_side_outgrew_are_used_again() {
        let mut arena = LevelArena::with_expected(8192);
        // Each side passes through blocks of 32, 64, … 512 levels and keeps the last one only.
        for _ in 0..3 {
            let mut side = LevelSide::EMPTY;
            for key in 1..=300 {
                arena.add(&mut side, key, 1);
            }
        }
        assert_eq!(arena.fresh, 32 + 64 + 128 + 256 + 3 * 512);
        assert_eq!(arena.growths(), 0);
    }

    #[test]
    fn only_changes_of_the_best_level_count_as_such() {
        let mut arena = LevelArena::with_expected(1);
        let mut side = LevelSide::EMPTY;
        assert!(arena.add(&mut side, 100, 10));
        assert!(arena.add(&mut side, 101, 10));
        assert!(!arena.add(&mut side, 100, 10));
        assert!(arena.add(&mut side, 101, 1));
        assert!(!arena.reduce(&mut side, 100, 10));
        assert!(arena.reduce(&mut side, 101, 10));
        assert!(arena.reduce(&mut side, 101, 1));
        assert_eq!(keys(&arena, side), [100]);
        assert_eq!(arena.best(side), Some(BestLevel { key: 100, shares: 10 }));
    }

    proptest! {
        #[test]
        fn many_sides_agree_with_maps(
            steps in proptest::collection::vec((0..3_usize, 1..400_u32, any::<bool>()), 0..4000)
        ) {
            let mut arena = LevelArena::with_expected(1);
            let mut sides = [LevelSide::EMPTY; 3];
            let mut models: [BTreeMap<u32, u64>; 3] = Default::default();
            for (which, key, adds) in steps {
                let (side, model) = (&mut sides[which], &mut models[which]);
                let present = model.get(&key).copied();
                if adds {
                    arena.add(side, key, 7);
                    *model.entry(key).or_default() += 7;
                } else if let Some(shares) = present {
                    arena.reduce(side, key, 7);
                    if shares == 7 { model.remove(&key); } else { model.insert(key, shares - 7); }
                }
                let best = model.last_key_value().map(|(&key, &shares)| BestLevel { key, shares });
                prop_assert_eq!(arena.best(*side), best);
            }
            for (side, model) in sides.into_iter().zip(&models) {
                let shown: Vec<_> = keys(&arena, side).to_vec();
                prop_assert_eq!(shown, model.keys().copied().collect::<Vec<_>>());
                let shares: Vec<_> = arena.shares[side.start()..side.end()].to_vec();
                prop_assert_eq!(shares, model.values().copied().collect::<Vec<_>>());
                // A side without a block has no place of its own after its last level.
                prop_assert!(side.capacity == 0 || arena.keys[side.end()] == 0);
            }
        }
    }
}
