//! Price levels of all symbols: a ring of queues per side, with a bit per occupied level.
//!
//! A side of a symbol spans `width` levels from its best key on, so a key modulo `width` names its
//! level, and the next best one is a bit scan away.

use super::listing::{Key, Side, Symbol};
use super::orders::NONE;

/// A queue of orders: slots in the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) head: u32,
    pub(super) tail: u32,
}

const EMPTY: Level = Level { head: NONE, tail: NONE };

/// Levels in a word of the bit map.
const WORD: u32 = u64::BITS;

/// The levels of all symbols.
#[derive(Debug)]
pub(super) struct Ladders {
    levels: Box<[Level]>,
    occupied: Box<[u64]>,
}

impl Ladders {
    /// Gives each symbol its ladder; `width` is set, `ladder_base` is filled in.
    ///
    /// The ladders lie in the order of `by_rank`, so that those of active symbols share pages.
    pub(super) fn new(symbols: &mut [Symbol], by_rank: impl Iterator<Item = u32>) -> Self {
        let mut base = 0;
        for symbol in by_rank {
            let symbol = &mut symbols[symbol as usize];
            debug_assert!(symbol.width.is_power_of_two() && symbol.width >= WORD);
            symbol.ladder_base = base;
            base += 2 * symbol.width;
        }
        Self {
            levels: vec![EMPTY; base as usize].into_boxed_slice(),
            occupied: vec![0; (base / WORD) as usize].into_boxed_slice(),
        }
    }

    #[inline]
    pub(super) fn level(&self, symbol: &Symbol, side: Side, key: Key) -> Level {
        self.levels[index(symbol, side, key) as usize]
    }

    /// Appends an order to a level and returns the one before it, or [`NONE`].
    #[inline]
    pub(super) fn push_back(&mut self, symbol: &Symbol, side: Side, key: Key, slot: u32) -> u32 {
        let index = index(symbol, side, key);
        let level = &mut self.levels[index as usize];
        let previous = std::mem::replace(&mut level.tail, slot);
        if previous == NONE {
            level.head = slot;
            self.occupied[(index / WORD) as usize] |= 1 << (index % WORD);
        }
        previous
    }

    /// Tells a level that an order leaves that stands at one of its ends, between `previous` and
    /// `next`. Returns whether the level is empty now.
    #[inline]
    pub(super) fn cut_end(
        &mut self,
        symbol: &Symbol,
        side: Side,
        key: Key,
        (previous, next): (u32, u32),
    ) -> bool {
        let index = index(symbol, side, key);
        let level = &mut self.levels[index as usize];
        if previous == NONE {
            level.head = next;
        }
        if next == NONE {
            level.tail = previous;
        }
        let is_empty = level.head == NONE;
        if is_empty {
            self.occupied[(index / WORD) as usize] &= !(1 << (index % WORD));
        }
        is_empty
    }

    /// The first occupied key after `key`, all occupied ones being within `width` of it.
    pub(super) fn next_key(&self, symbol: &Symbol, side: Side, key: Key) -> Option<Key> {
        let start = key.wrapping_add(1) & (symbol.width - 1);
        let mut distance = 1;
        while distance < symbol.width {
            let at = (start + distance - 1) & (symbol.width - 1);
            let bits = self.word(symbol, side, at) >> (at % WORD);
            let step = bits.trailing_zeros();
            if step < WORD {
                let found = distance + step;
                return (found < symbol.width).then_some(key + found);
            }
            distance += WORD - at % WORD;
        }
        None
    }

    /// The last occupied key at or after `best`, all being within `width` of it.
    pub(super) fn last_key(&self, symbol: &Symbol, side: Side, best: Key) -> Key {
        let mut ahead = symbol.width - 1;
        loop {
            let at = (best + ahead) & (symbol.width - 1);
            let bits = self.word(symbol, side, at) << (WORD - 1 - at % WORD);
            let step = bits.leading_zeros();
            if step < WORD {
                return best + ahead.saturating_sub(step);
            }
            match ahead.checked_sub(at % WORD + 1) {
                Some(less) => ahead = less,
                None => return best,
            }
        }
    }

    fn word(&self, symbol: &Symbol, side: Side, at: u32) -> u64 {
        self.occupied[((symbol.ladder_base + side as u32 * symbol.width + at) / WORD) as usize]
    }
}

fn index(symbol: &Symbol, side: Side, key: Key) -> u32 {
    symbol.ladder_base + side as u32 * symbol.width + (key & (symbol.width - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn scans_agree_with_a_sorted_list(
            width in prop::sample::select(vec![64_u32, 128, 512]),
            best in 1_u32..5_000,
            depths in prop::collection::btree_set(1_u32..512, 0..20),
        ) {
            let mut symbol = Symbol::new([b' '; 8], &mut Random::new(1, 0));
            symbol.width = width;
            let symbols = &mut [symbol.clone(), symbol];
            let mut ladders = Ladders::new(symbols, 0..2);
            let symbol = &symbols[1];
            let mut keys = vec![best];
            keys.extend(depths.into_iter().filter(|depth| *depth < width).map(|d| best + d));
            for &key in &keys {
                ladders.push_back(symbol, Side::Ask, key, 7);
            }
            prop_assert_eq!(ladders.last_key(symbol, Side::Ask, best), *keys.last().unwrap());
            for pair in keys.windows(2) {
                let found = ladders.next_key(symbol, Side::Ask, pair[0]);
                prop_assert_eq!(found, Some(pair[1]));
                ladders.cut_end(symbol, Side::Ask, pair[0], (NONE, NONE));
            }
            let last = *keys.last().unwrap();
            ladders.cut_end(symbol, Side::Ask, last, (NONE, NONE));
            prop_assert_eq!(ladders.next_key(symbol, Side::Ask, last), None);
            prop_assert_eq!(ladders.next_key(&symbols[0], Side::Bid, last), None);
        }
    }
}
