//! A table of orders and a store of levels, put together as books.

use freshlane_feed_handlers::book::{Best, NewOrder, Replacement, Side, Top};

use super::Layout;
use super::operations::{Operation, Operations, Replayed};

/// A live order in a table of losers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Order {
    pub(super) reference: u64,
    pub(super) price: u32,
    pub(super) shares: u32,
    pub(super) book: u16,
    pub(super) side: Side,
}

/// Orders by reference.
pub(super) trait OrderTable {
    fn insert(&mut self, order: Order);
    fn find(&mut self, reference: u64) -> Option<&mut Order>;
    fn remove(&mut self, reference: u64) -> Option<Order>;
}

/// Levels by book, side and price.
pub(super) trait LevelStore {
    /// Returns whether the level is the best one.
    fn add(&mut self, book: u16, side: Side, price: u32, shares: u32) -> bool;
    /// Returns whether the level was the best one.
    fn reduce(&mut self, book: u16, side: Side, price: u32, shares: u32) -> bool;
    fn best(&self, book: u16, side: Side) -> Best;
}

/// The price on the bid side, its complement on the ask side: the best level is the greatest.
#[inline(always)]
pub(super) fn key(side: Side, price: u32) -> u32 {
    price ^ (side as u32).wrapping_neg()
}

/// Books of a table and a store.
#[derive(Debug)]
pub(super) struct BookPair<O, L> {
    orders: O,
    levels: L,
}

impl<O: OrderTable, L: LevelStore> BookPair<O, L> {
    pub(super) fn new(orders: O, levels: L) -> Self {
        Self { orders, levels }
    }

    #[inline(always)]
    fn apply(&mut self, operation: &Operation) -> Option<Top> {
        let (book, touched) = match *operation {
            Operation::Add(new) => self.add(new),
            Operation::Reduce { reference, shares, .. } => self.reduce(reference, shares)?,
            Operation::Delete { reference, .. } => self.delete(reference)?,
            Operation::Replace { reference, new, .. } => self.replace(reference, new)?,
        };
        let best = |side| self.levels.best(book, side);
        touched.then(|| Top { bid: best(Side::Bid), ask: best(Side::Ask) })
    }

    #[inline(always)]
    fn add(&mut self, new: NewOrder) -> (u16, bool) {
        let NewOrder { reference, book, side, price, shares } = new;
        self.orders.insert(Order { reference, price, shares, book, side });
        (book, self.levels.add(book, side, price, shares))
    }

    #[inline(always)]
    fn reduce(&mut self, reference: u64, shares: u32) -> Option<(u16, bool)> {
        let order = self.orders.find(reference)?;
        let (found, taken) = (*order, shares.min(order.shares));
        order.shares -= taken;
        if order.shares == 0 {
            self.orders.remove(reference);
        }
        Some((found.book, self.levels.reduce(found.book, found.side, found.price, taken)))
    }

    #[inline(always)]
    fn delete(&mut self, reference: u64) -> Option<(u16, bool)> {
        let order = self.orders.remove(reference)?;
        Some((order.book, self.levels.reduce(order.book, order.side, order.price, order.shares)))
    }

    #[inline(always)]
    fn replace(&mut self, reference: u64, new: Replacement) -> Option<(u16, bool)> {
        let old = self.orders.remove(reference)?;
        let left = self.levels.reduce(old.book, old.side, old.price, old.shares);
        let (_, came) = self.add(NewOrder {
            reference: new.reference,
            book: old.book,
            side: old.side,
            price: new.price,
            shares: new.shares,
        });
        Some((old.book, left | came))
    }
}

impl<O: OrderTable, L: LevelStore> Layout for BookPair<O, L> {
    fn replay(&mut self, operations: &Operations, slice: usize) -> Replayed {
        let mut replayed = Replayed::default();
        for operation in operations.of_slice(slice) {
            replayed.see(self.apply(operation));
        }
        replayed
    }
}
