//! Live orders by reference: open addressing over one pre-faulted table.
//!
//! References are handed out in ascending order and most orders die young, so neighbours in
//! reference are neighbours in time. The hash keeps groups of [`GROUP`] consecutive references
//! together (two cache lines) and spreads the groups; deletion shifts back instead of leaving
//! tombstones, so a day of 300 million orders ends with as short probes as it began.

use super::Side;
use super::memory::{huge_vec, prefetch};

/// Consecutive references that stay together.
const GROUP: u64 = 1 << GROUP_BITS;
const GROUP_BITS: u32 = 2;

/// A live order: 32 bytes, two to a cache line. Reference 0 marks an empty slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub(crate) struct Order {
    pub(crate) reference: u64,
    /// Venue ticks.
    pub(crate) price: u32,
    /// Remaining displayed shares; never 0 in the table.
    pub(crate) shares: u32,
    /// Index of its book.
    pub(crate) book: u16,
    pub(crate) side: Side,
}

const EMPTY: Order = Order { reference: 0, price: 0, shares: 0, book: 0, side: Side::Bid };

/// A slot of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(usize);

/// The reference is live already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Duplicate;

/// The table of live orders.
#[derive(Debug)]
pub(crate) struct Orders {
    slots: Vec<Order>,
    /// `slots.len() - 1`; the length is a power of two.
    mask: usize,
    /// 64 minus the bits of a group number.
    shift: u32,
    count: usize,
    growths: u64,
}

impl Orders {
    /// A table that holds `expected` orders without growing.
    pub(crate) fn with_expected(expected: usize) -> Self {
        let len = (expected.saturating_mul(8) / 5 + 1).next_power_of_two().max(1024);
        let group_count_bits = len.trailing_zeros() - GROUP_BITS;
        Self {
            slots: huge_vec(len, EMPTY),
            mask: len - 1,
            shift: u64::BITS - group_count_bits,
            count: 0,
            growths: 0,
        }
    }

    /// How many orders live.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// How often the table had to double: each is an allocation and a pause.
    pub(crate) fn growths(&self) -> u64 {
        self.growths
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "shifted down to the table's size")]
    fn home(&self, reference: u64) -> usize {
        // Fibonacci hashing of the group number; the place inside the group stays.
        let group = (reference / GROUP).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        (group << GROUP_BITS | reference % GROUP) as usize
    }

    /// Brings the slot where `reference` most likely lies into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, reference: u64) {
        prefetch(&self.slots[self.home(reference) & self.mask]);
    }

    /// The order, if it lies in its home slot: a guess for prefetching.
    #[inline(always)]
    pub(crate) fn peek_home(&self, reference: u64) -> Option<&Order> {
        Some(&self.slots[self.home(reference) & self.mask])
            .filter(|order| order.reference == reference)
    }

    /// Where `reference` lies. Reference 0 never does.
    #[inline(always)]
    pub(crate) fn find(&self, reference: u64) -> Option<Slot> {
        let mut at = self.home(reference);
        // Ends: the table is never full.
        loop {
            at &= self.mask;
            let found = self.slots[at].reference;
            if found == reference {
                return (reference != 0).then_some(Slot(at));
            }
            if found == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// The order in `slot`.
    #[inline(always)]
    pub(crate) fn get(&self, slot: Slot) -> &Order {
        &self.slots[slot.0 & self.mask]
    }

    /// Sets the remaining shares of the order in `slot`; not to 0.
    #[inline(always)]
    pub(crate) fn set_shares(&mut self, slot: Slot, shares: u32) {
        debug_assert!(shares != 0);
        self.slots[slot.0 & self.mask].shares = shares;
    }

    /// Adds an order with a reference that is not 0.
    #[inline(always)]
    pub(crate) fn insert(&mut self, order: Order) -> Result<(), Duplicate> {
        debug_assert!(order.reference != 0);
        if self.count >= self.slots.len() / 8 * 5 {
            self.grow();
        }
        let mut at = self.home(order.reference);
        loop {
            at &= self.mask;
            let slot = &mut self.slots[at];
            if slot.reference == 0 {
                *slot = order;
                self.count += 1;
                return Ok(());
            }
            if slot.reference == order.reference {
                return Err(Duplicate);
            }
            at += 1;
        }
    }

    /// Takes the order out of `slot` and closes the hole.
    #[inline(always)]
    pub(crate) fn remove(&mut self, slot: Slot) {
        let mut hole = slot.0 & self.mask;
        let mut at = hole;
        self.count -= 1;
        loop {
            at = (at + 1) & self.mask;
            let next = self.slots[at];
            if next.reference == 0 {
                break;
            }
            // An order may move back to the hole unless its home lies after it.
            let from_home = at.wrapping_sub(self.home(next.reference)) & self.mask;
            let from_hole = at.wrapping_sub(hole) & self.mask;
            if from_home >= from_hole {
                self.slots[hole] = next;
                hole = at;
            }
        }
        self.slots[hole] = EMPTY;
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = Self::with_expected(self.slots.len() / 8 * 5 + 1);
        for order in self.slots.iter().filter(|order| order.reference != 0) {
            let inserted = larger.insert(*order);
            debug_assert!(inserted.is_ok(), "references are unique");
        }
        larger.growths = self.growths + 1;
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    fn order(reference: u64, shares: u32) -> Order {
        Order { reference, price: 1, shares, book: 3, side: Side::Ask }
    }

    #[test]
    fn an_order_is_two_to_a_cache_line() {
        assert_eq!(size_of::<Order>(), 32);
    }

    #[test]
    fn reference_zero_is_never_found() {
        let mut orders = Orders::with_expected(8);
        assert_eq!(orders.find(0), None);
        orders.insert(order(1, 1)).unwrap();
        assert_eq!(orders.find(0), None);
    }

    #[test]
    fn growing_keeps_every_order() {
        let mut orders = Orders::with_expected(1);
        for reference in 1..=50_000 {
            orders.insert(order(reference * 7, 1)).unwrap();
        }
        assert!(orders.growths() > 0);
        assert_eq!(orders.len(), 50_000);
        assert!((1..=50_000).all(|reference| orders.find(reference * 7).is_some()));
        assert!((1..=50_000).all(|reference| orders.find(reference * 7 + 1).is_none()));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u64),
        Remove(u64),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        // Few references, some far apart: many collisions, wraps and shifted holes.
        let reference = prop_oneof![1..200_u64, (1..200_u64).prop_map(|r| r << 40)];
        proptest::collection::vec(
            prop_oneof![reference.clone().prop_map(Step::Insert), reference.prop_map(Step::Remove)],
            0..1500,
        )
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in steps()) {
            let mut orders = Orders::with_expected(1);
            let mut model = BTreeMap::new();
            for (i, step) in (1_u32..).zip(steps) {
                match step {
                    Step::Insert(reference) => {
                        let fresh = !model.contains_key(&reference);
                        prop_assert_eq!(orders.insert(order(reference, i)).is_ok(), fresh);
                        model.entry(reference).or_insert(i);
                    }
                    Step::Remove(reference) => {
                        let slot = orders.find(reference);
                        prop_assert_eq!(slot.is_some(), model.remove(&reference).is_some());
                        if let Some(slot) = slot { orders.remove(slot); }
                    }
                }
                prop_assert_eq!(orders.len(), model.len());
            }
            for (reference, shares) in model {
                let slot = orders.find(reference);
                prop_assert_eq!(slot.map(|slot| orders.get(slot).shares), Some(shares));
            }
        }
    }
}
