//! A market without an end, on the caller's clock.

use super::naive_book::NaiveBook;
use crate::synthetic::{LiveItchMarket, LiveItchMarketSpec, SpecError};

const SECOND_NS: u64 = 1_000_000_000;
const NOON_NS: u64 = 12 * 3_600 * SECOND_NS;

fn spec(symbols: u16) -> LiveItchMarketSpec {
    LiveItchMarketSpec { symbols, seed: 7, live_orders: None }
}

#[test]
fn the_opening_ends_with_an_open_market_and_its_population() {
    let mut market = LiveItchMarket::new(&spec(100)).unwrap();
    let mut book = NaiveBook::default();
    for _ in 0..market.opening_messages() - 1 {
        book.follow(market.next_message_at(NOON_NS));
        assert!(book.events.iter().all(|(event, _)| *event != 'Q'));
    }
    book.follow(market.next_message_at(NOON_NS));
    assert_eq!(book.events.last(), Some(&('Q', NOON_NS)));
    assert!((5_900..=6_000).contains(&book.live()), "{}", book.live());
}

#[test]
fn trading_goes_on_at_the_times_that_the_caller_says() {
    let mut market = LiveItchMarket::new(&spec(200)).unwrap();
    let mut book = NaiveBook::default();
    let opening = market.opening_messages();
    for number in 0..opening + 300_000 {
        // 10,000 messages a second.
        let at = NOON_NS + number.saturating_sub(opening) * 100_000;
        let message = market.next_message_at(at);
        assert_eq!(message.ns_since_midnight, at);
        book.follow(message);
        if number > opening {
            assert!(book.live().abs_diff(12_000) < 800, "{}", book.live());
        }
    }
    assert_eq!(book.states.iter().collect::<String>(), "HPQT", "halts within half a minute");
    assert_eq!(market.live_orders() as usize, book.live());
}

#[test]
fn midnight_stops_nothing() {
    const DAY_NS: u64 = 24 * 3_600 * SECOND_NS;
    let mut market = LiveItchMarket::new(&spec(50)).unwrap();
    let mut halts_after_midnight = 0;
    for number in 0..100_000 {
        let at = (DAY_NS - 30 * SECOND_NS + number * 1_000_000) % DAY_NS;
        let message = market.next_message_at(at);
        if at < DAY_NS / 2 && message.bytes[0] == b'H' {
            halts_after_midnight += 1;
        }
    }
    assert!(halts_after_midnight > 5, "{halts_after_midnight}");
}

#[test]
fn the_smallest_live_market_keeps_talking() {
    let small = LiveItchMarketSpec { live_orders: Some(0), ..spec(1) };
    let mut market = LiveItchMarket::new(&small).unwrap();
    let mut book = NaiveBook::default();
    for number in 0..20_000 {
        book.follow(market.next_message_at(NOON_NS + number * 1_000_000));
    }
    assert!(book.live() < 300);
}

#[test]
fn a_market_without_symbols_is_refused() {
    assert_eq!(LiveItchMarket::new(&spec(0)).err(), Some(SpecError::Symbols { symbols: 0 }));
}
