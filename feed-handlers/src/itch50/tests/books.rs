//! What orders do to a book, and what they cannot do.

use super::rig::{Rig, flags, top};
use super::wire::{add, cancel, delete, executed, replace};
use crate::ledger::Outcome;

#[test]
fn only_a_change_of_the_top_is_quoted() {
    let mut rig = Rig::new();
    assert_eq!(top(&rig.quote(add(1, b'B', 100, 100_000))), "10 x 100 / - x 0");
    rig.silent(add(2, b'B', 500, 99_900));
    assert_eq!(top(&rig.quote(add(3, b'S', 200, 100_100))), "10 x 100 / 10.01 x 200");
    rig.silent(add(4, b'S', 200, 100_200));
    rig.silent(cancel(4, 50));
    rig.silent(delete(2));
    assert_eq!(top(&rig.quote(add(5, b'B', 50, 100_000))), "10 x 150 / 10.01 x 200");
    assert_eq!(top(&rig.quote(executed(3, 200))), "10 x 150 / 10.02 x 150");
    assert_eq!((rig.outcome(Outcome::Quoted), rig.outcome(Outcome::Unchanged)), (4, 4));
}

#[test]
fn a_replace_that_ends_in_the_same_top_is_not_quoted() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(replace(1, 2, 100, 100_000));
    rig.silent(replace(2, 2, 100, 100_000));
    assert_eq!((rig.outcome(Outcome::Unchanged), rig.live_orders()), (2, 1));
}

#[test]
fn a_replace_keeps_side_and_stock_and_chains() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'S', 100, 100_000));
    assert_eq!(top(&rig.quote(replace(1, 2, 70, 99_000))), "- x 0 / 9.9 x 70");
    assert_eq!(top(&rig.quote(replace(2, 3, 60, 101_000))), "- x 0 / 10.1 x 60");
    rig.silent(delete(1));
    rig.silent(delete(2));
    assert_eq!(top(&rig.quote(delete(3))), "- x 0 / - x 0");
    assert_eq!(rig.outcome(Outcome::UnknownReference), 2);
}

#[test]
fn the_first_of_two_adds_with_one_reference_stays() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(add(1, b'B', 900, 100_500));
    rig.silent(add(1, b'S', 900, 100_500));
    assert_eq!((rig.outcome(Outcome::DuplicateReference), rig.live_orders()), (2, 1));
    assert_eq!(top(&rig.quote(executed(1, 1))), "10 x 99 / - x 0");
}

#[test]
fn a_replace_by_a_live_reference_ends_the_old_order_only() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_500));
    rig.silent(add(2, b'B', 50, 100_000));
    assert_eq!(top(&rig.quote(replace(1, 2, 100, 100_900))), "10 x 50 / - x 0");
    assert_eq!(rig.handler.ledger().refused_replacements.get(), 1);
    assert_eq!((rig.live_orders(), rig.outcome(Outcome::Quoted)), (1, 2));
}

#[test]
fn a_replace_by_an_impossible_order_ends_the_old_one() {
    for (reference, shares, price_e4) in [(0, 1, 1), (9, 0, 1), (9, 1, 0)] {
        let mut rig = Rig::new();
        rig.quote(add(1, b'B', 100, 100_000));
        let ended = rig.quote(replace(1, reference, shares, price_e4));
        assert_eq!((top(&ended), flags(&ended)), ("- x 0 / - x 0".into(), vec!["one_sided"]));
        assert_eq!(rig.handler.ledger().refused_replacements.get(), 1);
        assert_eq!(rig.live_orders(), 0);
    }
}

#[test]
fn orders_without_reference_shares_or_price_are_refused() {
    let mut rig = Rig::new();
    rig.silent(add(0, b'B', 100, 100_000));
    rig.silent(add(1, b'B', 0, 100_000));
    rig.silent(add(1, b'B', 100, 0));
    assert_eq!((rig.outcome(Outcome::InvalidOrder), rig.live_orders()), (3, 0));
    assert_eq!(top(&rig.quote(add(1, b'B', 7, 1))), "0.0001 x 7 / - x 0");
}

#[test]
fn an_order_on_no_side_is_refused() {
    let mut rig = Rig::new();
    for side in (0..=u8::MAX).filter(|side| !b"BS".contains(side)) {
        rig.silent(add(1, side, 100, 100_000));
    }
    assert_eq!((rig.outcome(Outcome::InvalidOrder), rig.live_orders()), (254, 0));
}

#[test]
fn a_reference_of_zero_names_no_order() {
    let mut rig = Rig::new();
    rig.silent(add(0, b'B', 100, 100_000));
    for message in [executed(0, 1), cancel(0, 1), delete(0), replace(0, 1, 1, 1)] {
        rig.silent(message);
    }
    assert_eq!(rig.outcome(Outcome::UnknownReference), 4);
}

#[test]
fn taking_more_shares_than_are_left_ends_the_order_and_is_counted() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(add(2, b'B', 30, 99_000));
    assert_eq!(top(&rig.quote(executed(1, 101))), "9.9 x 30 / - x 0");
    assert_eq!(top(&rig.quote(cancel(2, u32::MAX))), "- x 0 / - x 0");
    let ledger = rig.handler.ledger();
    assert_eq!((ledger.clamped.get(), rig.live_orders()), (2, 0));
}

#[test]
fn taking_no_shares_changes_nothing() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(executed(1, 0));
    rig.silent(cancel(1, 0));
    assert_eq!((rig.outcome(Outcome::Unchanged), rig.live_orders()), (2, 1));
}

#[test]
fn memory_for_more_orders_than_expected_is_counted() {
    let mut rig = Rig::with(|spec| spec.orders_expected = 0);
    for reference in 1..=2_000 {
        rig.batch(&[add(reference, b'B', 1, 100_000)]);
    }
    assert_eq!(rig.live_orders(), 2_000);
    assert!(rig.handler.ledger().book_growths.get() > 0);
    assert_eq!(top(&rig.quote(delete(1))), "10 x 1999 / - x 0");
}

#[test]
#[should_panic(expected = "at most 32 messages")]
fn a_batch_beyond_the_limit_is_a_bug_of_the_caller() {
    Rig::new().batch(&vec![delete(1); 33]);
}
