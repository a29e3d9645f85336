//! Records that find no room downstream.

use super::rig::{Rig, flags, top};
use super::wire::{action, add, add_of, delete, of};
use crate::ledger::Outcome;

#[test]
fn a_refused_quote_is_counted_and_its_top_follows_with_the_next_message() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.handler.refuse_records_from(0);
    assert_eq!((rig.outcome(Outcome::Quoted), rig.outcome(Outcome::IngressFull)), (0, 1));
    // The next message does not touch the best bid; the top is quoted all the same, once.
    let again = rig.quote(add(2, b'B', 7, 90_000));
    assert_eq!((top(&again).as_str(), again.wire_sequence), ("10 x 100 / - x 0", 2));
    rig.silent(add(3, b'B', 7, 90_000));
}

#[test]
fn a_top_that_is_refused_again_and_again_is_owed_until_it_gets_through() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    for reference in 2..10 {
        rig.handler.refuse_records_from(0);
        assert_eq!(top(&rig.quote(add(reference, b'B', 1, 1))), "10 x 100 / - x 0");
    }
    rig.silent(add(10, b'B', 1, 1));
    assert_eq!((rig.outcome(Outcome::Quoted), rig.outcome(Outcome::IngressFull)), (1, 8));
}

#[test]
fn only_the_records_behind_the_accepted_ones_are_refused() {
    let mut rig = Rig::new();
    let other = |reference, price_e4| of(2, add_of(*b"OTHER   ", reference, b'B', 5, price_e4));
    rig.batch(&[add(1, b'B', 1, 100), add(2, b'B', 1, 200), other(3, 100), other(4, 200)]);
    rig.handler.refuse_records_from(2);
    assert_eq!((rig.outcome(Outcome::Quoted), rig.outcome(Outcome::IngressFull)), (2, 2));
    rig.silent(add(5, b'B', 1, 1));
    assert_eq!(top(&rig.quote(other(6, 1))), "0.02 x 5 / - x 0");
}

#[test]
fn nothing_is_refused_where_everything_was_accepted() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.handler.refuse_records_from(1);
    assert_eq!((rig.outcome(Outcome::Quoted), rig.outcome(Outcome::IngressFull)), (1, 0));
    rig.silent(add(2, b'B', 1, 1));
}

#[test]
fn a_refused_event_is_counted_apart_and_the_state_stays_on_the_quotes() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.event(action(b'H', *b"T1  "));
    rig.handler.refuse_records_from(0);
    let ledger = rig.handler.ledger();
    assert_eq!((ledger.events.get(), ledger.events_refused.get()), (1, 1));
    assert_eq!((rig.outcome(Outcome::Quoted), rig.outcome(Outcome::IngressFull)), (1, 0));
    assert_eq!(flags(&rig.quote(delete(1))), ["one_sided", "halted"]);
}
