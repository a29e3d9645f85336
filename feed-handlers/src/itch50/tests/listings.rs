//! Which instrument a stock locate is.

use freshlane_quote::{SymbolDirectory, VenueId};
use std::sync::Arc;

use super::rig::{Rig, top};
use super::wire::{LOCATE, STOCK, add, add_of, at, delete, directory, executed, hex, of};
use crate::ledger::Outcome;

fn full_after(symbols: &[&str]) -> Rig {
    let directory = SymbolDirectory::with_capacity(symbols.len());
    for symbol in symbols {
        directory.intern(VenueId(3), symbol).unwrap();
    }
    Rig::with(|spec| spec.directory = Arc::new(directory))
}

#[test]
fn an_add_lists_a_stock_whose_directory_message_was_missed() {
    let mut rig = Rig::new();
    let quote = rig.quote(add(1, b'B', 100, 100_000));
    assert_eq!(rig.directory.symbol(quote.instrument), "TEST");
    rig.silent(directory(STOCK, b'P'));
    assert_eq!(rig.directory.len(), 1);
}

#[test]
fn a_directory_message_alone_defines_the_instrument() {
    let mut rig = Rig::new();
    rig.silent(directory(*b"FIRST   ", b'P'));
    let quote = rig.quote(add_of(*b"OTHER   ", 1, b'B', 100, 100_000));
    assert_eq!(rig.directory.symbol(quote.instrument), "FIRST");
    assert_eq!(rig.directory.len(), 1);
}

#[test]
fn every_message_that_names_a_stock_lists_it() {
    let prefix = "0001 0000 1f1aced9f000";
    for (message_type, before, after_len) in [
        ("59", "", 1),
        ("4c", "4d4d4944", 3),
        ("4b", "", 9),
        ("4a", "", 16),
        ("68", "", 2),
        ("48", "", 6),
        ("50", "0000000000000000 42 00000064", 12),
        ("51", "0000000000000000", 13),
        ("49", "0000000000000000 0000000000000000 4e", 14),
        ("4e", "", 1),
        ("4f", "", 29),
    ] {
        let mut rig = Rig::new();
        let stock = "4c49535445442e41";
        let message = hex(&format!("{message_type} {prefix} {before} {stock}"));
        rig.silent([message, vec![b' '; after_len]].concat());
        assert_eq!(rig.outcome(Outcome::Administrative), 1, "{message_type}");
        assert!(rig.directory.find(VenueId(3), "LISTED.A").is_some(), "{message_type}");
    }
}

#[test]
fn quotes_of_a_stock_without_room_in_the_directory_are_counted() {
    let mut rig = full_after(&["OTHER"]);
    rig.silent(add(1, b'B', 100, 100_000));
    rig.silent(add(2, b'B', 100, 90_000));
    rig.silent(delete(1));
    assert_eq!((rig.outcome(Outcome::DirectoryFull), rig.outcome(Outcome::Unchanged)), (2, 1));
    let known = rig.quote(of(2, add_of(*b"OTHER   ", 3, b'B', 5, 100)));
    assert_eq!(rig.directory.symbol(known.instrument), "OTHER");
}

#[test]
fn locate_zero_and_an_empty_symbol_are_no_instrument() {
    let mut rig = Rig::new();
    rig.silent(of(0, add(1, b'B', 100, 100_000)));
    rig.silent(add_of(*b"        ", 2, b'B', 100, 100_000));
    rig.silent(of(0, directory(STOCK, b'P')));
    assert_eq!(rig.outcome(Outcome::DirectoryFull), 2);
    assert!(rig.directory.is_empty());
}

#[test]
fn a_stock_that_is_listed_late_is_quoted_with_the_next_message() {
    let mut rig = Rig::new();
    rig.silent(add_of(*b"        ", 1, b'B', 100, 100_000));
    rig.silent(directory(STOCK, b'P'));
    // This message does not touch the best bid, but nobody has seen the top yet.
    assert_eq!(top(&rig.quote(add(2, b'B', 7, 90_000))), "10 x 100 / - x 0");
    rig.silent(add(3, b'B', 7, 90_000));
}

#[test]
fn a_locate_that_changes_its_stock_is_quoted_anew() {
    let mut rig = Rig::new();
    let old = rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(directory(*b"RENAMED ", b'P'));
    let new = rig.quote(add(2, b'B', 7, 90_000));
    assert_eq!(rig.directory.symbol(new.instrument), "RENAMED");
    assert_eq!((top(&new), new.instrument != old.instrument), (top(&old), true));
}

#[test]
fn listing_a_stock_again_quotes_nothing_anew() {
    let mut rig = Rig::new();
    rig.quote(add(1, b'B', 100, 100_000));
    rig.silent(directory(STOCK, b'P'));
    rig.silent(add(2, b'B', 7, 90_000));
    assert_eq!(rig.quote(executed(1, 1)).bid_size, 99);
}

#[test]
fn a_message_about_no_known_locate_is_harmless() {
    let mut rig = Rig::new();
    for message in [delete(1), executed(1, 1), at(0, delete(2))] {
        rig.silent(of(u16::MAX, message.clone()));
        rig.silent(of(0, message.clone()));
        rig.silent(of(LOCATE, message));
    }
    assert_eq!(rig.outcome(Outcome::UnknownReference), 9);
}
