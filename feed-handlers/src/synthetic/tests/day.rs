//! A day, from one message to a million.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::naive_book::NaiveBook;
use crate::synthetic::{ItchMarket, ItchMarketSpec, SpecError};

const HOUR_NS: u64 = 3_600_000_000_000;

fn spec(symbols: u16, messages: u64) -> ItchMarketSpec {
    ItchMarketSpec { symbols, messages, seed: 7, live_orders: None }
}

fn followed(spec: &ItchMarketSpec) -> NaiveBook {
    let mut market = ItchMarket::new(spec).unwrap();
    let mut book = NaiveBook::default();
    while let Some(message) = market.next_message() {
        book.follow(message);
    }
    assert_eq!(market.live_orders() as usize, book.live());
    book
}

fn assert_whole_day(book: &NaiveBook) {
    let kinds: String = book.events.iter().map(|(event, _)| event).collect();
    assert_eq!(kinds, "OSQMEC");
    let hours: Vec<u64> = book.events.iter().map(|(_, ns)| ns / (HOUR_NS / 2)).collect();
    assert_eq!(hours, [6, 8, 19, 32, 40, 40], "half hours since midnight");
}

#[test]
fn a_day_of_a_million_messages_is_like_a_real_one() {
    let spec = spec(500, 1_000_000);
    let mut market = ItchMarket::new(&spec).unwrap();
    let mut book = NaiveBook::default();
    let mut opening_mids = Vec::new();
    while let Some(message) = market.next_message() {
        book.follow(message);
        let in_continuous = matches!(book.events.last(), Some(('Q', _)));
        if in_continuous {
            assert!(book.live().abs_diff(30_000) < 1_500, "{} live orders", book.live());
            if opening_mids.is_empty() {
                opening_mids = book.mids_e4();
            }
        }
        if book.messages == 900_000 {
            assert_prices_moved(&opening_mids, &book.mids_e4());
        }
    }
    assert_whole_day(&book);
    assert_eq!(book.messages, 1_000_000);
    assert!(book.live() < 1_000, "{} orders are left", book.live());
    assert_proportions(&book);
    assert_eq!(book.states.iter().collect::<String>(), "HPQT");
    let touched = book.touches * 100 / book.messages;
    assert!((10..=20).contains(&touched), "{touched} % touch the best bid or offer");
}

/// Parts of 10,000 by type, from and to.
fn assert_proportions(book: &NaiveBook) {
    let expected = [
        ('A', 4_100, 4_500),
        ('D', 3_900, 4_300),
        ('U', 650, 850),
        ('E', 250, 400),
        ('X', 150, 230),
        ('F', 80, 120),
        ('C', 5, 40),
        ('P', 50, 120),
        ('I', 10, 100),
        ('Q', 1, 30),
    ];
    for (kind, from, to) in expected {
        let share = book.share(kind);
        assert!((from..=to).contains(&share), "{kind}: {share} of 10,000");
    }
    for kind in "RHYLVJKNOBh".chars() {
        assert!(book.by_kind.contains_key(&kind), "no {kind}");
    }
    assert!(!book.by_kind.contains_key(&'W'));
}

fn assert_prices_moved(opening: &[u32], closing: &[u32]) {
    let pairs = || opening.iter().zip(closing).filter(|(open, close)| **open > 0 && **close > 0);
    let up = pairs().filter(|(open, close)| close > open).count();
    let down = pairs().filter(|(open, close)| close < open).count();
    assert!(up > 100 && down > 100, "{up} up, {down} down");
    for (open, close) in pairs() {
        assert!(*close > open / 2 && *close < open * 2, "{open} became {close}");
    }
}

#[test]
fn a_short_day_is_whole() {
    for messages in [1_000, 2_000] {
        let book = followed(&spec(20, messages));
        assert_whole_day(&book);
        assert_eq!(book.messages, messages);
        for kind in "ADEUXQLY".chars() {
            assert!(book.by_kind.contains_key(&kind), "no {kind} in {messages}");
        }
    }
}

#[test]
fn one_symbol_and_ten_messages_are_a_day() {
    let book = followed(&spec(1, 10));
    assert_whole_day(&book);
    assert_eq!((book.messages, book.by_kind[&'R'], book.by_kind[&'H']), (10, 1, 1));
    assert_whole_day(&followed(&spec(1, 8)));
}

#[test]
fn a_day_too_short_for_its_symbols_is_refused() {
    let error = ItchMarket::new(&spec(500, 1_005)).err();
    let expected = SpecError::TooFewMessages { messages: 1_005, symbols: 500, needed: 1_006 };
    assert_eq!(error, Some(expected));
}

#[test]
fn one_symbol_trades_all_day() {
    let book = followed(&spec(1, 50_000));
    assert_whole_day(&book);
    assert!(book.share('E') > 200 && book.share('A') > 4_000);
}

#[test]
fn half_of_the_messages_may_build_the_book() {
    let spec = ItchMarketSpec { live_orders: Some(9_000), ..spec(50, 20_000) };
    let book = followed(&spec);
    assert_whole_day(&book);
    assert!(book.live() > 5_000, "a short evening cannot delete them all: {}", book.live());
}

#[test]
fn symbols_are_unique_and_few_are_busy() {
    let spec = spec(2_000, 100_000);
    let book = followed(&spec);
    let symbols = book.symbols();
    assert_eq!(symbols.iter().collect::<BTreeSet<_>>().len(), 2_000);
    let mut by_locate = vec![0_u32; 2_001];
    let mut market = ItchMarket::new(&spec).unwrap();
    while let Some(message) = market.next_message() {
        by_locate[usize::from(u16::from_be_bytes([message.bytes[1], message.bytes[2]]))] += 1;
    }
    by_locate.sort_unstable_by(|a, b| b.cmp(a));
    let busiest: u32 = by_locate[..200].iter().sum();
    assert!((45_000..80_000).contains(&busiest), "a tenth of the symbols has {busiest} %o");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_day_holds_together(
        symbols in 1_u16..60,
        messages in 0_u64..6_000,
        seed: u64,
        live_orders in prop::option::of(0_u32..2_000),
    ) {
        let spec = ItchMarketSpec { symbols, messages, seed, live_orders };
        if ItchMarket::new(&spec).is_ok() {
            let book = followed(&spec);
            assert_whole_day(&book);
            prop_assert_eq!(book.messages, messages);
        } else {
            let short = messages < ItchMarketSpec::messages_min(symbols);
            let crowded = live_orders.is_some_and(|live| u64::from(live) * 2 + 200 > messages);
            prop_assert!(short || crowded);
        }
    }
}
