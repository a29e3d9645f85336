//! Live orders by reference: a hash table of cache lines.
//!
//! A bucket is one cache line with three orders. An order lies in its home bucket or, where that is
//! full, in the next one with room; each bucket counts the orders that had to pass it, so a search
//! stops at the first bucket that nobody passed. Nothing ever moves: a removal clears its slot and
//! takes its passings back, so it needs neither tombstones nor its neighbours, and a day of 300
//! million orders ends with as short searches as it began. Most operations touch one line.

use std::hint::select_unpredictable;

use super::Side;
use super::memory::{huge_vec, prefetch};

/// Orders of a bucket.
const SLOTS: usize = 3;
/// The table grows when more than this share of its slots is taken: 5 of 8.
const FULL_NUMERATOR: usize = 5;
const FULL_DENOMINATOR: usize = 8;

/// A live order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Order {
    /// Not 0.
    pub(crate) reference: u64,
    /// Venue ticks.
    pub(crate) price: u32,
    /// Remaining displayed shares; not 0.
    pub(crate) shares: u32,
    /// Index of its book.
    pub(crate) book: u16,
    pub(crate) side: Side,
}

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Bucket {
    /// 0 = empty slot.
    references: [u64; SLOTS],
    prices: [u32; SLOTS],
    shares: [u32; SLOTS],
    /// Orders that lie in a later bucket because this one was full.
    passed: u32,
    books: [u16; SLOTS],
    sides: [Side; SLOTS],
}

const EMPTY: Bucket = Bucket {
    references: [0; SLOTS],
    prices: [0; SLOTS],
    shares: [0; SLOTS],
    passed: 0,
    books: [0; SLOTS],
    sides: [Side::Bid; SLOTS],
};

impl Bucket {
    /// Bit `i` stands where slot `i` holds `reference`; 0 finds the empty ones.
    #[inline(always)]
    fn matches(&self, reference: u64) -> u32 {
        // All comparisons at once: which one holds is a coin toss to a branch predictor.
        (0..SLOTS).map(|slot| u32::from(self.references[slot] == reference) << slot).sum()
    }

    /// The first slot that holds `reference`; 0 finds an empty one.
    #[inline(always)]
    fn slot_of(&self, reference: u64) -> Option<usize> {
        let matches = self.matches(reference);
        (matches != 0).then(|| matches.trailing_zeros() as usize)
    }

    #[inline(always)]
    fn order(&self, slot: usize) -> Order {
        Order {
            reference: self.references[slot],
            price: self.prices[slot],
            shares: self.shares[slot],
            book: self.books[slot],
            side: self.sides[slot],
        }
    }

    #[inline(always)]
    fn put(&mut self, slot: usize, order: &Order) {
        self.references[slot] = order.reference;
        self.prices[slot] = order.price;
        self.shares[slot] = order.shares;
        self.books[slot] = order.book;
        self.sides[slot] = order.side;
    }
}

/// Where a live order lies; good until that order is removed or another is inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    bucket: usize,
    slot: usize,
}

/// The reference is live already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Duplicate;

/// The table of live orders.
#[derive(Debug)]
pub(crate) struct Orders {
    buckets: Vec<Bucket>,
    count: usize,
    count_max: usize,
    growths: u64,
}

impl Orders {
    /// A table that holds `expected` orders without growing.
    pub(crate) fn with_expected(expected: usize) -> Self {
        let slots = expected.saturating_mul(FULL_DENOMINATOR) / FULL_NUMERATOR;
        let buckets = huge_vec((slots / SLOTS + 1).max(512), EMPTY);
        let count_max = buckets.len() * SLOTS * FULL_NUMERATOR / FULL_DENOMINATOR;
        Self { buckets, count: 0, count_max, growths: 0 }
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
    #[allow(clippy::cast_possible_truncation, reason = "the product's high half is an index")]
    fn home(&self, reference: u64) -> usize {
        // Fibonacci hashing spreads consecutive references more evenly than chance would; the high
        // half of a product scales it to a table of any length.
        let hash = reference.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize
    }

    #[inline(always)]
    fn after(&self, bucket: usize) -> usize {
        if bucket + 1 == self.buckets.len() { 0 } else { bucket + 1 }
    }

    /// Brings the home bucket of `reference` into the cache; returns which it is.
    #[inline(always)]
    pub(crate) fn prefetch(&self, reference: u64) -> usize {
        let home = self.home(reference);
        prefetch(&self.buckets[home]);
        home
    }

    /// Book and side of the order, if it lies in the bucket `home`, else `default`: a guess for
    /// prefetching.
    #[inline(always)]
    pub(crate) fn peek(&self, home: usize, reference: u64, default: (u16, Side)) -> (u16, Side) {
        let bucket = &self.buckets[home];
        let matches = bucket.matches(reference);
        let slot = (matches | 1 << (SLOTS - 1)).trailing_zeros() as usize;
        let found = (bucket.books[slot], bucket.sides[slot]);
        select_unpredictable(matches != 0, found, default)
    }

    /// Where `reference` lies. Reference 0 is never live.
    #[inline(always)]
    pub(crate) fn find(&self, reference: u64) -> Option<Place> {
        let mut at = self.home(reference);
        // Ends: the table is never full, so some bucket was never passed.
        loop {
            let bucket = &self.buckets[at];
            if let Some(slot) = bucket.slot_of(reference) {
                return (reference != 0).then_some(Place { bucket: at, slot });
            }
            if bucket.passed == 0 {
                return None;
            }
            at = self.after(at);
        }
    }

    /// The order at `place`.
    #[inline(always)]
    pub(crate) fn get(&self, place: Place) -> Order {
        self.buckets[place.bucket].order(place.slot)
    }

    /// Sets the remaining shares of the order at `place`; not to 0.
    #[inline(always)]
    pub(crate) fn set_shares(&mut self, place: Place, shares: u32) {
        debug_assert!(shares != 0);
        self.buckets[place.bucket].shares[place.slot] = shares;
    }

    /// Adds an order with a reference that is not 0.
    #[inline(always)]
    pub(crate) fn insert(&mut self, order: Order) -> Result<(), Duplicate> {
        debug_assert!(order.reference != 0);
        if self.find(order.reference).is_some() {
            return Err(Duplicate);
        }
        if self.count == self.count_max {
            self.grow();
        }
        self.place(&order);
        self.count += 1;
        Ok(())
    }

    #[inline(always)]
    fn place(&mut self, order: &Order) {
        let mut at = self.home(order.reference);
        loop {
            let bucket = &mut self.buckets[at];
            if let Some(slot) = bucket.slot_of(0) {
                return bucket.put(slot, order);
            }
            bucket.passed += 1;
            at = self.after(at);
        }
    }

    /// Takes the order at `place` out.
    #[inline(always)]
    pub(crate) fn remove(&mut self, place: Place) {
        let reference = &mut self.buckets[place.bucket].references[place.slot];
        let removed = std::mem::take(reference);
        let mut at = self.home(removed);
        while at != place.bucket {
            self.buckets[at].passed -= 1;
            at = self.after(at);
        }
        self.count -= 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = Self::with_expected(self.count_max * 2);
        for bucket in &self.buckets {
            for slot in (0..SLOTS).filter(|&slot| bucket.references[slot] != 0) {
                larger.place(&bucket.order(slot));
            }
        }
        larger.count = self.count;
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
    fn a_bucket_is_one_cache_line() {
        assert_eq!((size_of::<Bucket>(), align_of::<Bucket>()), (64, 64));
    }

    #[test]
    fn reference_zero_is_never_live() {
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

    #[test]
    fn an_emptied_table_has_no_passings_left() {
        let mut orders = Orders::with_expected(1);
        for round in 0..20_u64 {
            let references = round * 1000 + 1..round * 1000 + 900;
            for reference in references.clone() {
                orders.insert(order(reference << 3, 1)).unwrap();
            }
            for reference in references {
                let place = orders.find(reference << 3).unwrap();
                orders.remove(place);
            }
        }
        assert!(orders.buckets.iter().all(|bucket| bucket.passed == 0));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u64),
        Remove(u64),
    }

    /// References whose homes all lie in a few buckets at the end of a table of 512, so that
    /// passings are the rule and wrap around.
    fn crowded_reference() -> impl Strategy<Value = u64> {
        let table = Orders::with_expected(1);
        let crowded: Vec<u64> =
            (1..200_000).filter(|&reference| table.home(reference) >= 505).take(900).collect();
        proptest::sample::select(crowded)
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let reference = prop_oneof![crowded_reference(), 1..200_u64, Just(u64::MAX)];
        proptest::collection::vec(
            prop_oneof![reference.clone().prop_map(Step::Insert), reference.prop_map(Step::Remove)],
            0..2500,
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
                        let place = orders.find(reference);
                        prop_assert_eq!(place.is_some(), model.remove(&reference).is_some());
                        if let Some(place) = place { orders.remove(place); }
                    }
                }
                prop_assert_eq!(orders.len(), model.len());
            }
            for (reference, shares) in model {
                let place = orders.find(reference);
                prop_assert_eq!(place.map(|place| orders.get(place).shares), Some(shares));
            }
        }
    }
}
