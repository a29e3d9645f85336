//! The books of all symbols: orders in the queues of their levels, first come first served.

use super::ladder::{Ladders, Level};
use super::listing::{Key, NO_KEY, Side, Symbol};
use super::orders::{NONE, Order, Orders, Place};

/// All symbols with their live orders.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) symbols: Box<[Symbol]>,
    pub(super) orders: Orders,
    ladders: Ladders,
}

impl Book {
    /// Books without orders; the width of each symbol's ladder is set. `by_rank` names the symbols
    /// from the most active on.
    pub(super) fn new(
        mut symbols: Box<[Symbol]>,
        by_rank: impl Iterator<Item = u32>,
        orders_max: u32,
    ) -> Self {
        let ladders = Ladders::new(&mut symbols, by_rank);
        Self { symbols, orders: Orders::with_capacity(orders_max), ladders }
    }

    #[inline]
    pub(super) fn symbol(&self, symbol: u32) -> &Symbol {
        &self.symbols[symbol as usize]
    }

    #[inline]
    pub(super) fn symbol_mut(&mut self, symbol: u32) -> &mut Symbol {
        &mut self.symbols[symbol as usize]
    }

    /// The price of an order, Price(4).
    pub(super) fn price_e4(&self, slot: u32) -> u32 {
        let order = self.orders.get(slot);
        match order.place {
            Place::Ladder => self.symbol(u32::from(order.symbol)).price_e4(order.side, order.key),
            Place::Stub => order.key,
        }
    }

    /// The first order of the best level.
    pub(super) fn front(&self, symbol: u32, side: Side) -> Option<u32> {
        self.best_level(symbol, side).map(|level| level.head)
    }

    /// The last order of the best level.
    pub(super) fn back(&self, symbol: u32, side: Side) -> Option<u32> {
        self.best_level(symbol, side).map(|level| level.tail)
    }

    fn best_level(&self, symbol: u32, side: Side) -> Option<Level> {
        let symbol = self.symbol(symbol);
        symbol.best(side).map(|best| self.ladders.level(symbol, side, best))
    }

    /// An order that stands in the way of `key`: the last of the worst level, where the ladder
    /// could not span both.
    pub(super) fn in_the_way(&self, symbol: u32, side: Side, key: Key) -> Option<u32> {
        let symbol = self.symbol(symbol);
        let best = symbol.best(side).filter(|&best| key < best)?;
        let worst = self.ladders.last_key(symbol, side, best);
        let fits = worst - key < symbol.width;
        (!fits).then(|| self.ladders.level(symbol, side, worst).tail)
    }

    /// Whether this is the last order on its side of the ladder.
    pub(super) fn is_last(&self, slot: u32) -> bool {
        let order = self.orders.get(slot);
        let count = self.symbol(u32::from(order.symbol)).count[order.side as usize];
        order.place == Place::Ladder && count <= 1
    }

    /// Adds an order; the pool must not be full and the ladder must span its key.
    pub(super) fn add(&mut self, order: Order) -> u32 {
        let slot = self.orders.insert(order);
        if order.place == Place::Ladder {
            self.enqueue(slot);
        }
        slot
    }

    /// Takes an order out.
    pub(super) fn remove(&mut self, slot: u32) {
        if self.orders.get(slot).place == Place::Ladder {
            self.dequeue(slot);
        }
        self.orders.remove(slot);
    }

    /// Takes shares off an order, and the order out when none are left.
    pub(super) fn reduce(&mut self, slot: u32, shares: u32) {
        let order = self.orders.get_mut(slot);
        debug_assert!(shares <= order.shares);
        if order.shares > shares { order.shares -= shares } else { self.remove(slot) }
    }

    /// Makes an order another one, at the end of its queue; the ladder must span the key.
    pub(super) fn replace(&mut self, slot: u32, reference: u64, shares: u32, key: Key) {
        let on_ladder = self.orders.get(slot).place == Place::Ladder;
        if on_ladder {
            self.dequeue(slot);
        }
        let order = self.orders.get_mut(slot);
        (order.reference, order.shares, order.key) = (reference, shares, key);
        if on_ladder {
            self.enqueue(slot);
        }
    }

    fn enqueue(&mut self, slot: u32) {
        let order = self.orders.get_mut(slot);
        let (side, key) = (order.side, order.key);
        let symbol = &mut self.symbols[usize::from(order.symbol)];
        let previous = self.ladders.push_back(symbol, side, key, slot);
        (order.previous, order.next) = (previous, NONE);
        if previous != NONE {
            self.orders.get_mut(previous).next = slot;
        }
        symbol.count[side as usize] += 1;
        let best = &mut symbol.best[side as usize];
        *best = key.min(*best);
    }

    fn dequeue(&mut self, slot: u32) {
        let Order { side, key, previous, next, symbol, .. } = *self.orders.get(slot);
        let symbol = &mut self.symbols[usize::from(symbol)];
        symbol.count[side as usize] -= 1;
        if previous != NONE {
            self.orders.get_mut(previous).next = next;
        }
        if next != NONE {
            self.orders.get_mut(next).previous = previous;
        }
        if previous != NONE && next != NONE {
            return;
        }
        let is_empty = self.ladders.cut_end(symbol, side, key, (previous, next));
        if is_empty && symbol.best[side as usize] == key {
            let next_key = self.ladders.next_key(symbol, side, key);
            symbol.best[side as usize] = next_key.unwrap_or(NO_KEY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::random::Random;

    fn book() -> Book {
        let mut symbol = Symbol::new(*b"TEST    ", &mut Random::new(1, 0));
        symbol.width = 64;
        Book::new(Box::new([symbol]), 0..1, 16)
    }

    fn order(reference: u64, key: Key) -> Order {
        Order {
            reference,
            shares: 100,
            key,
            next: NONE,
            previous: NONE,
            symbol: 0,
            side: Side::Ask,
            place: Place::Ladder,
        }
    }

    #[test]
    fn the_best_level_serves_first_come_first() {
        let mut book = book();
        let slots = [(1, 50), (2, 40), (3, 40), (4, 90)].map(|(id, key)| book.add(order(id, key)));
        assert_eq!(book.front(0, Side::Ask), Some(slots[1]));
        assert_eq!(book.back(0, Side::Ask), Some(slots[2]));
        book.reduce(slots[1], 99);
        assert_eq!(book.orders.get(slots[1]).shares, 1);
        book.reduce(slots[1], 1);
        assert_eq!(book.front(0, Side::Ask), Some(slots[2]));
        book.replace(slots[2], 5, 10, 91);
        assert_eq!(book.symbol(0).best(Side::Ask), Some(50));
        book.remove(slots[0]);
        assert_eq!(book.front(0, Side::Ask), Some(slots[3]));
        book.remove(slots[3]);
        assert!(book.is_last(slots[2]));
        book.remove(slots[2]);
        assert_eq!(book.symbol(0).best(Side::Ask), None);
        assert_eq!((book.orders.live(), book.front(0, Side::Ask)), (0, None));
    }

    #[test]
    fn a_key_beyond_the_ladder_names_the_order_in_its_way() {
        let mut book = book();
        book.add(order(1, 100));
        let worst = book.add(order(2, 150));
        assert_eq!(book.in_the_way(0, Side::Ask, 87), None);
        assert_eq!(book.in_the_way(0, Side::Ask, 86), Some(worst));
        assert_eq!(book.in_the_way(0, Side::Ask, 120), None);
    }

    #[test]
    fn a_stub_order_is_in_no_queue() {
        let mut book = book();
        let stub = book.add(Order { place: Place::Stub, ..order(1, 1_999_999_900) });
        assert_eq!((book.front(0, Side::Ask), book.price_e4(stub)), (None, 1_999_999_900));
        assert!(!book.is_last(stub));
        book.replace(stub, 2, 5, 1_999_999_900);
        book.remove(stub);
        assert_eq!(book.orders.live(), 0);
    }
}
