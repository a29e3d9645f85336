//! The books against a naive model, operation by operation.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Every live order in one map; the top is found by looking at all of them.
#[derive(Default)]
struct NaiveBooks {
    orders: BTreeMap<u64, (u16, Side, u32, u32)>,
}

impl NaiveBooks {
    fn top(&self, book: u16) -> Top {
        let best = |side: Side| {
            let mut at_best = Best::default();
            for &(_, _, price, shares) in
                self.orders.values().filter(|order| order.0 == book && order.1 == side)
            {
                let better = at_best.price == 0
                    || (side == Side::Bid && price > at_best.price)
                    || (side == Side::Ask && price < at_best.price);
                if better {
                    at_best = Best { price, shares: 0 };
                }
                if price == at_best.price {
                    at_best.shares += u64::from(shares);
                }
            }
            at_best
        };
        Top { bid: best(Side::Bid), ask: best(Side::Ask) }
    }

    fn add(&mut self, new: NewOrder) -> bool {
        let valid = new.reference != 0 && new.price != 0 && new.shares != 0;
        if !valid || self.orders.contains_key(&new.reference) {
            return false;
        }
        self.orders.insert(new.reference, (new.book, new.side, new.price, new.shares));
        true
    }

    fn reduce(&mut self, reference: u64, shares: u32) -> bool {
        let Some(order) = self.orders.get_mut(&reference) else { return false };
        order.3 = order.3.saturating_sub(shares);
        if order.3 == 0 {
            self.orders.remove(&reference);
        }
        true
    }

    fn replace(&mut self, reference: u64, new: Replacement) -> bool {
        let Some((book, side, ..)) = self.orders.remove(&reference) else { return false };
        self.add(NewOrder {
            reference: new.reference,
            book,
            side,
            price: new.price,
            shares: new.shares,
        })
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Add(NewOrder),
    Reduce(u64, u32),
    Delete(u64),
    Replace(u64, Replacement),
}

const REFERENCES: u64 = 400;
const BOOKS: u16 = 3;

fn step() -> impl Strategy<Value = Step> {
    let reference = 0..REFERENCES;
    let price = prop_oneof![Just(0_u32), 90..110_u32, 1..2000_u32, Just(u32::MAX)];
    let shares = prop_oneof![Just(0_u32), 1..50_u32, Just(u32::MAX)];
    let side = prop_oneof![Just(Side::Bid), Just(Side::Ask)];
    prop_oneof![
        5 => (reference.clone(), 0..BOOKS, side, price.clone(), shares.clone()).prop_map(
            |(reference, book, side, price, shares)| {
                Step::Add(NewOrder { reference, book, side, price, shares })
            }
        ),
        2 => (reference.clone(), shares.clone()).prop_map(|(r, s)| Step::Reduce(r, s)),
        2 => reference.clone().prop_map(Step::Delete),
        1 => (reference.clone(), reference, price, shares).prop_map(
            |(old, reference, price, shares)| {
                Step::Replace(old, Replacement { reference, price, shares })
            }
        ),
    ]
}

/// Applies the step to both; returns whether each accepted it.
fn apply(step: Step, books: &mut OrderBooks<()>, model: &mut NaiveBooks) -> (bool, bool) {
    match step {
        Step::Add(new) => (books.add(new).is_ok(), model.add(new)),
        Step::Reduce(reference, shares) => {
            (books.reduce(reference, shares).is_ok(), model.reduce(reference, shares))
        }
        Step::Delete(reference) => {
            (books.delete(reference).is_ok(), model.orders.remove(&reference).is_some())
        }
        Step::Replace(old, new) => (books.replace(old, new).is_ok(), model.replace(old, new)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn ten_thousand_operations_give_the_same_tops_as_the_naive_model(
        steps in proptest::collection::vec(step(), 10_000)
    ) {
        let mut books = OrderBooks::with_expected(16, ());
        let mut model = NaiveBooks::default();
        for step in steps {
            let (accepted, expected) = apply(step, &mut books, &mut model);
            prop_assert_eq!(accepted, expected, "{:?}", step);
            for book in 0..BOOKS {
                prop_assert_eq!(books.top(book), model.top(book), "{:?}", step);
            }
            prop_assert_eq!(books.live_orders(), model.orders.len());
        }
    }

    #[test]
    fn an_untouched_best_means_an_unchanged_top(
        steps in proptest::collection::vec(step(), 2_000)
    ) {
        let mut books = OrderBooks::with_expected(16, ());
        for step in steps {
            let before: Vec<_> = (0..BOOKS).map(|book| books.top(book)).collect();
            let applied = match step {
                Step::Add(new) => books.add(new).ok(),
                Step::Reduce(reference, shares) => books.reduce(reference, shares).ok(),
                Step::Delete(reference) => books.delete(reference).ok(),
                Step::Replace(old, new) => match books.replace(old, new) {
                    Ok(applied) => Some(applied),
                    Err((_, ended)) => ended,
                },
            };
            for book in 0..BOOKS {
                let touched = applied.is_some_and(|a| a.book() == book && a.touched_best());
                let unchanged = books.top(book) == before[usize::from(book)];
                prop_assert!(touched || unchanged, "{step:?}");
            }
        }
    }
}

fn order(reference: u64, side: Side, price: u32, shares: u32) -> NewOrder {
    NewOrder { reference, book: 1, side, price, shares }
}

#[test]
fn unknown_references_leave_no_trace() {
    let mut books = OrderBooks::with_expected(16, ());
    assert_eq!(books.delete(1), Err(Refused::UnknownReference));
    assert_eq!(books.reduce(1, 5), Err(Refused::UnknownReference));
    let new = Replacement { reference: 2, price: 10, shares: 5 };
    assert_eq!(books.replace(1, new), Err((Refused::UnknownReference, None)));
    assert_eq!((books.live_orders(), books.top(1)), (0, Top::default()));
}

#[test]
fn over_reduction_ends_the_order_and_says_so() {
    let mut books = OrderBooks::with_expected(16, ());
    books.add(order(1, Side::Bid, 100, 10)).unwrap();
    assert!(!books.reduce(1, 4).unwrap().clamped());
    assert!(books.reduce(1, 7).unwrap().clamped());
    assert_eq!((books.live_orders(), books.top(1)), (0, Top::default()));
}

#[test]
fn the_first_of_two_orders_with_one_reference_stays() {
    let mut books = OrderBooks::with_expected(16, ());
    books.add(order(1, Side::Bid, 100, 10)).unwrap();
    assert_eq!(books.add(order(1, Side::Bid, 101, 10)), Err(Refused::DuplicateReference));
    assert_eq!(books.top(1).bid, Best { price: 100, shares: 10 });
}

#[test]
fn a_replace_by_a_duplicate_ends_the_old_order_only() {
    let mut books = OrderBooks::with_expected(16, ());
    books.add(order(1, Side::Ask, 100, 10)).unwrap();
    books.add(order(2, Side::Ask, 105, 10)).unwrap();
    let new = Replacement { reference: 2, price: 99, shares: 1 };
    let (refused, ended) = books.replace(1, new).unwrap_err();
    assert_eq!(refused, Refused::DuplicateReference);
    assert!(ended.unwrap().touched_best());
    assert_eq!(books.top(1).ask, Best { price: 105, shares: 10 });
}

#[test]
fn level_sizes_beyond_32_bits_are_exact() {
    let mut books = OrderBooks::with_expected(16, ());
    for reference in 1..=3 {
        books.add(order(reference, Side::Bid, 100, u32::MAX)).unwrap();
    }
    assert_eq!(books.top(1).bid.shares, 3 * u64::from(u32::MAX));
}
