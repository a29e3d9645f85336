//! The live orders: one fixed pool of 32-byte records, linked into the queues of their levels.

use super::listing::{Key, Side};
use super::random::Random;

/// No order: the end of a queue.
pub(super) const NONE: u32 = u32::MAX;

/// Where an order stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Place {
    /// In the queue of a level.
    Ladder,
    /// So far from the market that it never trades; its key is its price in Price(4).
    Stub,
}

/// One live order, or a free slot (no shares; `next` is the next free one).
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) reference: u64,
    pub(super) shares: u32,
    pub(super) key: Key,
    pub(super) next: u32,
    pub(super) previous: u32,
    pub(super) symbol: u16,
    pub(super) side: Side,
    pub(super) place: Place,
}

const _: () = assert!(size_of::<Order>() == 32);

const FREE: Order = Order {
    reference: 0,
    shares: 0,
    key: 0,
    next: NONE,
    previous: NONE,
    symbol: 0,
    side: Side::Bid,
    place: Place::Ladder,
};

/// A pool of orders that never grows.
#[derive(Debug)]
pub(super) struct Orders {
    slots: Box<[Order]>,
    free: u32,
    /// Slots from here on were never used.
    used: u32,
    live: u32,
}

impl Orders {
    /// Room for `capacity` orders, at least one.
    pub(super) fn with_capacity(capacity: u32) -> Self {
        let slots = vec![FREE; capacity.max(1) as usize].into_boxed_slice();
        Self { slots, free: NONE, used: 0, live: 0 }
    }

    /// How many are live.
    pub(super) const fn live(&self) -> u32 {
        self.live
    }

    /// Whether there is no room.
    pub(super) const fn is_full(&self) -> bool {
        self.live as usize == self.slots.len()
    }

    /// Stores an order that has shares; the pool must not be full.
    pub(super) fn insert(&mut self, order: Order) -> u32 {
        debug_assert!(order.shares > 0 && !self.is_full());
        let slot = if self.free == NONE {
            self.used += 1;
            self.used - 1
        } else {
            self.free
        };
        let stored = &mut self.slots[slot as usize];
        if slot == self.free {
            self.free = stored.next;
        }
        *stored = order;
        self.live += 1;
        slot
    }

    /// Frees a slot.
    pub(super) fn remove(&mut self, slot: u32) {
        self.slots[slot as usize] = Order { next: self.free, ..FREE };
        self.free = slot;
        self.live -= 1;
    }

    /// The order in a slot.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Order {
        &self.slots[slot as usize]
    }

    /// The order in a slot.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Order {
        &mut self.slots[slot as usize]
    }

    /// A live order at random.
    ///
    /// Nearly all used slots are live while the population is held, so the walk is short.
    pub(super) fn draw(&self, random: &mut Random) -> Option<u32> {
        let start = random.below(self.used);
        self.first_live(start).or_else(|| self.first_live(0))
    }

    /// The first live order in this slot or a later one.
    pub(super) fn first_live(&self, from: u32) -> Option<u32> {
        (from..self.used).find(|&slot| self.get(slot).shares > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(reference: u64) -> Order {
        Order { reference, shares: 1, ..FREE }
    }

    #[test]
    fn slots_are_used_again() {
        let mut orders = Orders::with_capacity(2);
        let (first, second) = (orders.insert(order(1)), orders.insert(order(2)));
        assert!(orders.is_full());
        orders.remove(first);
        assert_eq!(orders.insert(order(3)), first);
        orders.remove(second);
        orders.remove(first);
        assert_eq!((orders.live(), orders.insert(order(4)), orders.insert(order(5))), (0, 0, 1));
        assert_eq!((orders.get(0).reference, orders.get(1).reference), (4, 5));
    }

    #[test]
    fn a_draw_finds_the_only_live_order() {
        let mut orders = Orders::with_capacity(100);
        let mut random = Random::new(1, 0);
        assert_eq!(orders.draw(&mut random), None);
        for reference in 0..100 {
            orders.insert(order(reference));
        }
        for slot in (0..100).filter(|&slot| slot != 42) {
            orders.remove(slot);
        }
        assert!((0..50).all(|_| orders.draw(&mut random) == Some(42)));
        orders.remove(42);
        assert_eq!(orders.draw(&mut random), None);
    }
}
