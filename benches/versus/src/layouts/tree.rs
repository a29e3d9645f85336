//! Levels in a `BTreeMap` a side. Against it: the best level is a pointer chase.

use std::collections::BTreeMap;

use freshlane_feed_handlers::book::{Best, Side};

use super::pair::{LevelStore, key};

/// Levels by key in trees.
#[derive(Debug)]
pub(super) struct TreeLevels(Vec<[BTreeMap<u32, u64>; 2]>);

impl TreeLevels {
    /// For `books` books.
    pub(super) fn new(books: usize) -> Self {
        Self((0..books).map(|_| Default::default()).collect())
    }

    #[inline(always)]
    fn side(&mut self, book: u16, side: Side) -> &mut BTreeMap<u32, u64> {
        &mut self.0[usize::from(book)][side as usize]
    }
}

fn is_best(levels: &BTreeMap<u32, u64>, key: u32) -> bool {
    levels.last_key_value().is_some_and(|(best, _)| *best == key)
}

impl LevelStore for TreeLevels {
    #[inline(always)]
    fn add(&mut self, book: u16, side: Side, price: u32, shares: u32) -> bool {
        let levels = self.side(book, side);
        *levels.entry(key(side, price)).or_default() += u64::from(shares);
        is_best(levels, key(side, price))
    }

    #[inline(always)]
    fn reduce(&mut self, book: u16, side: Side, price: u32, shares: u32) -> bool {
        let levels = self.side(book, side);
        let was_best = is_best(levels, key(side, price));
        if let Some(level) = levels.get_mut(&key(side, price)) {
            *level -= u64::from(shares);
            if *level == 0 {
                levels.remove(&key(side, price));
            }
        }
        was_best
    }

    #[inline(always)]
    fn best(&self, book: u16, side: Side) -> Best {
        let best = self.0[usize::from(book)][side as usize].last_key_value();
        best.map_or(Best::default(), |(found, shares)| Best {
            price: key(side, *found),
            shares: *shares,
        })
    }
}
