//! Levels as an array of structures a side, sorted so that the best stands last, searched by
//! bisection. Against it: bisection is a row of coin tosses to the branch predictor.

use freshlane_feed_handlers::book::{Best, Side};

use super::pair::{LevelStore, key};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Level {
    key: u32,
    shares: u64,
}

/// Levels in sorted vectors.
#[derive(Debug)]
pub(super) struct BisectedLevels(Vec<[Vec<Level>; 2]>);

impl BisectedLevels {
    /// For `books` books.
    pub(super) fn new(books: usize) -> Self {
        Self((0..books).map(|_| Default::default()).collect())
    }

    #[inline(always)]
    fn side(&mut self, book: u16, side: Side) -> &mut Vec<Level> {
        &mut self.0[usize::from(book)][side as usize]
    }
}

#[inline(always)]
fn search(levels: &[Level], key: u32) -> Result<usize, usize> {
    levels.binary_search_by_key(&key, |level| level.key)
}

impl LevelStore for BisectedLevels {
    #[inline(always)]
    fn add(&mut self, book: u16, side: Side, price: u32, shares: u32) -> bool {
        let levels = self.side(book, side);
        let (key, shares) = (key(side, price), u64::from(shares));
        let at = match search(levels, key) {
            Ok(at) => {
                levels[at].shares += shares;
                at
            }
            Err(at) => {
                levels.insert(at, Level { key, shares });
                at
            }
        };
        at + 1 == levels.len()
    }

    #[inline(always)]
    fn reduce(&mut self, book: u16, side: Side, price: u32, shares: u32) -> bool {
        let levels = self.side(book, side);
        let Ok(at) = search(levels, key(side, price)) else { return false };
        let was_best = at + 1 == levels.len();
        levels[at].shares -= u64::from(shares);
        if levels[at].shares == 0 {
            levels.remove(at);
        }
        was_best
    }

    #[inline(always)]
    fn best(&self, book: u16, side: Side) -> Best {
        let best = self.0[usize::from(book)][side as usize].last();
        best.map_or(Best::default(), |level| Best {
            price: key(side, level.key),
            shares: level.shares,
        })
    }
}
