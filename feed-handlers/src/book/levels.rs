//! Price levels: sorted arrays in one pre-faulted arena.
//!
//! Each side of each book is a block of the arena, sorted so that the best level stands last: most
//! changes happen near the best price, so most searches are short and most moves are small. A full
//! block moves to one twice its size; blocks come from free lists, so nothing is allocated while
//! the arena lasts.

use super::memory::{huge_vec, prefetch};

/// One price with everything that rests there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(16))]
pub(crate) struct Level {
    /// The price on the bid side, its complement on the ask side: the best level is the greatest.
    pub(crate) key: u32,
    /// Orders that rest here; never 0 in a side.
    pub(crate) orders: u32,
    /// Their shares together.
    pub(crate) shares: u64,
}

const EMPTY: Level = Level { key: 0, orders: 0, shares: 0 };

/// Levels of the smallest block.
const BLOCK_MIN: u32 = 8;
/// Size classes: 8 levels, 16, … 8 × 2^27.
const CLASSES: usize = 28;
/// No block.
const NOWHERE: u32 = u32::MAX;
/// Steps of the search from the best level before it turns to bisection.
const NEAR_STEPS: usize = 12;

/// One side of one book: where its levels lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LevelSide {
    offset: u32,
    len: u32,
    class: u8,
}

impl LevelSide {
    /// A side without levels and without a block.
    pub(crate) const EMPTY: Self = Self { offset: 0, len: 0, class: u8::MAX };

    #[inline(always)]
    fn capacity(self) -> u32 {
        if self.class == u8::MAX { 0 } else { BLOCK_MIN << self.class }
    }
}

/// The memory of all levels of all books.
#[derive(Debug)]
pub(crate) struct LevelArena {
    levels: Vec<Level>,
    /// First level that was never given out.
    fresh: u32,
    /// Head of the list of free blocks by class, linked through `Level::key`.
    free: [u32; CLASSES],
    growths: u64,
}

impl LevelArena {
    /// An arena with room for `expected` levels.
    pub(crate) fn with_expected(expected: usize) -> Self {
        let len = expected.clamp(1024, 1 << 30);
        Self { levels: huge_vec(len, EMPTY), fresh: 0, free: [NOWHERE; CLASSES], growths: 0 }
    }

    /// How often the arena had to double: each is an allocation and a pause.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    #[inline(always)]
    fn slice(&self, side: LevelSide) -> &[Level] {
        let start = side.offset as usize;
        &self.levels[start..start + side.len as usize]
    }

    /// The best level of `side`.
    #[inline(always)]
    pub(crate) fn best(&self, side: LevelSide) -> Option<&Level> {
        self.slice(side).last()
    }

    /// Brings the best levels of `side` into the cache.
    #[inline(always)]
    pub(crate) fn prefetch_best(&self, side: LevelSide) {
        if let Some(best) = self.slice(side).last() {
            prefetch(best);
        }
        if let Some(near) = self.slice(side).iter().nth_back(4) {
            prefetch(near);
        }
    }

    /// How many levels of `side` have a key of at most `key`, counted from the worst.
    #[inline(always)]
    fn rank(levels: &[Level], key: u32) -> usize {
        let mut rank = levels.len();
        let near_end = rank.saturating_sub(NEAR_STEPS);
        while rank > near_end {
            if levels[rank - 1].key <= key {
                return rank;
            }
            rank -= 1;
        }
        levels[..rank].partition_point(|level| level.key <= key)
    }

    /// Puts an order of `shares` at `key`. Returns whether the best level changed.
    #[inline(always)]
    pub(crate) fn add(&mut self, side: &mut LevelSide, key: u32, shares: u32) -> bool {
        let start = side.offset as usize;
        let levels = &mut self.levels[start..start + side.len as usize];
        let rank = Self::rank(levels, key);
        if let Some(level) = levels[..rank].last_mut().filter(|level| level.key == key) {
            level.orders += 1;
            level.shares += u64::from(shares);
            return rank == levels.len();
        }
        self.insert(side, rank, Level { key, orders: 1, shares: u64::from(shares) })
    }

    /// Inserts a level at `rank`. Returns whether it is the best.
    #[inline]
    fn insert(&mut self, side: &mut LevelSide, rank: usize, level: Level) -> bool {
        if side.len == side.capacity() {
            self.enlarge(side);
        }
        let (start, len) = (side.offset as usize, side.len as usize);
        let levels = &mut self.levels[start..=start + len];
        levels.copy_within(rank..len, rank + 1);
        levels[rank] = level;
        side.len += 1;
        rank == len
    }

    /// Takes `shares` off the level at `key`, and one order with them where `order_ends`. Returns
    /// whether the best level changed. The level exists: an order rests there.
    #[inline(always)]
    pub(crate) fn reduce(
        &mut self,
        side: &mut LevelSide,
        key: u32,
        shares: u32,
        order_ends: bool,
    ) -> bool {
        let start = side.offset as usize;
        let levels = &mut self.levels[start..start + side.len as usize];
        let len = levels.len();
        let rank = Self::rank(levels, key);
        let Some(level) = levels[..rank].last_mut().filter(|level| level.key == key) else {
            debug_assert!(false, "an order without its level");
            return false;
        };
        level.shares -= u64::from(shares);
        level.orders -= u32::from(order_ends);
        if level.orders == 0 {
            debug_assert!(level.shares == 0);
            levels.copy_within(rank..len, rank - 1);
            side.len -= 1;
        }
        rank == len
    }

    #[cold]
    fn enlarge(&mut self, side: &mut LevelSide) {
        let class = side.class.wrapping_add(1);
        let offset = self.take_block(class);
        let start = side.offset as usize;
        self.levels.copy_within(start..start + side.len as usize, offset as usize);
        self.release(*side);
        *side = LevelSide { offset, len: side.len, class };
    }

    fn release(&mut self, side: LevelSide) {
        if side.class != u8::MAX {
            let head = &mut self.free[usize::from(side.class)];
            self.levels[side.offset as usize].key = *head;
            *head = side.offset;
        }
    }

    fn take_block(&mut self, class: u8) -> u32 {
        let head = self.free[usize::from(class)];
        if head != NOWHERE {
            self.free[usize::from(class)] = self.levels[head as usize].key;
            return head;
        }
        let offset = self.fresh;
        // 2^32 levels are 64 GiB: a feed reaches the end of memory before the end of the offsets.
        self.fresh = offset.checked_add(BLOCK_MIN << class).expect("fewer than 2^32 levels");
        if self.fresh as usize > self.levels.len() {
            self.grow();
        }
        offset
    }

    fn grow(&mut self) {
        let mut larger = huge_vec((self.fresh as usize).max(self.levels.len() * 2), EMPTY);
        larger[..self.levels.len()].copy_from_slice(&self.levels);
        self.levels = larger;
        self.growths += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(arena: &LevelArena, side: LevelSide) -> Vec<u32> {
        arena.slice(side).iter().rev().map(|level| level.key).collect()
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
        assert!(shown.is_sorted_by(|a, b| a > b));
        assert!(arena.growths() > 0);
    }

    #[test]
    fn blocks_that_a_side_outgrew_are_used_again() {
        let mut arena = LevelArena::with_expected(1024);
        // Each side passes through blocks of 8, 16, … 256 levels and keeps the last one only.
        for _ in 0..3 {
            let mut side = LevelSide::EMPTY;
            for key in 0..256 {
                arena.add(&mut side, key, 1);
            }
        }
        assert_eq!(arena.fresh, 248 + 3 * 256);
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
        assert!(!arena.reduce(&mut side, 100, 10, true));
        assert!(arena.reduce(&mut side, 101, 10, true));
        assert!(arena.reduce(&mut side, 101, 1, true));
        assert_eq!(keys(&arena, side), [100]);
        assert_eq!(arena.best(side).map(|level| level.shares), Some(10));
    }
}
