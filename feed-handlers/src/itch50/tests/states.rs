//! Halts, pauses and the end of the session.

use freshlane_quote::{FeedEvent, InstrumentId, TradingState};

use super::rig::{Rig, flags};
use super::wire::{
    OPEN_NS, STOCK, action, add, at, delete, directory, executed, operational, system,
};
use crate::ledger::Outcome;

const NO_REASON: [u8; 4] = *b"    ";

fn change(state: TradingState, reason: [u8; 4]) -> FeedEvent {
    FeedEvent::TradingStateChanged { instrument: InstrumentId(0), state, reason }
}

/// A rig whose stock is listed.
fn listed(authenticity: u8) -> Rig {
    let mut rig = Rig::new();
    rig.silent(directory(STOCK, authenticity));
    rig
}

#[test]
fn each_trading_action_is_an_event_with_its_reason() {
    let mut rig = listed(b'P');
    for (code, reason, state) in [
        (b'H', *b"T1  ", TradingState::Halted),
        (b'Q', *b"T3  ", TradingState::QuotationOnly),
        (b'P', *b"LUDP", TradingState::Paused),
        (b'T', NO_REASON, TradingState::Trading),
    ] {
        assert_eq!(rig.event(action(code, reason)), change(state, reason));
    }
    assert_eq!((rig.handler.ledger().events.get(), rig.outcome(Outcome::Administrative)), (4, 5));
}

#[test]
fn an_event_keeps_its_place_and_time() {
    let mut rig = listed(b'P');
    let message = at(OPEN_NS - 7, action(b'H', NO_REASON));
    let [record] = rig.batch(&[message])[..] else { panic!("one record") };
    assert_eq!((record.wire_sequence, record.ts_event), (2, rig.utc(OPEN_NS - 7)));
    assert_eq!(record.ts_recv, rig.utc(OPEN_NS));
    assert_eq!((record.venue.0, record.channel.0), (3, 5));
    assert_eq!(flags(&record), ["halted", "feed_event"]);
}

#[test]
fn quotes_are_flagged_in_every_state_but_trading() {
    let mut rig = listed(b'P');
    rig.quote(add(1, b'B', 100, 100_000));
    for code in *b"HPQ" {
        rig.event(action(code, NO_REASON));
        assert_eq!(flags(&rig.quote(executed(1, 1))), ["one_sided", "halted"]);
    }
    rig.event(action(b'T', NO_REASON));
    assert_eq!(flags(&rig.quote(executed(1, 1))), ["one_sided"]);
}

#[test]
fn a_halt_keeps_the_book() {
    let mut rig = listed(b'P');
    rig.quote(add(1, b'B', 100, 100_000));
    rig.event(action(b'H', NO_REASON));
    assert_eq!(rig.live_orders(), 1);
    assert_eq!(rig.quote(executed(1, 40)).bid_size, 60);
}

#[test]
fn a_state_that_is_repeated_or_unknown_is_no_event() {
    let mut rig = listed(b'P');
    rig.silent(action(b'T', NO_REASON));
    rig.event(action(b'H', NO_REASON));
    rig.silent(action(b'H', *b"T2  "));
    rig.silent(action(b'?', NO_REASON));
    rig.quote(add(1, b'B', 100, 100_000));
    assert_eq!(flags(&rig.quote(delete(1))), ["one_sided", "halted"]);
}

#[test]
fn a_stock_may_be_halted_before_it_is_listed() {
    let mut rig = Rig::new();
    assert_eq!(rig.event(action(b'H', *b"IPO1")), change(TradingState::Halted, *b"IPO1"));
    rig.silent(directory(STOCK, b'P'));
    assert_eq!(flags(&rig.quote(add(1, b'B', 1, 1))), ["one_sided", "halted"]);
}

#[test]
fn an_operational_halt_of_this_market_stops_it() {
    let mut rig = listed(b'P');
    assert_eq!(rig.event(operational(b'Q', b'H')), change(TradingState::Halted, NO_REASON));
    assert_eq!(flags(&rig.quote(add(1, b'B', 100, 100_000))), ["one_sided", "halted"]);
    assert_eq!(rig.event(operational(b'Q', b'T')), change(TradingState::Trading, NO_REASON));
    assert_eq!(flags(&rig.quote(delete(1))), ["one_sided"]);
}

#[test]
fn an_operational_halt_of_another_market_concerns_nobody_here() {
    let mut rig = listed(b'P');
    rig.silent(operational(b'B', b'H'));
    rig.silent(operational(b'X', b'H'));
    assert_eq!(flags(&rig.quote(add(1, b'B', 100, 100_000))), ["one_sided"]);
    let mut bx = Rig::with(|spec| spec.market_code = b'B');
    bx.silent(operational(b'Q', b'H'));
    assert_eq!(bx.event(operational(b'B', b'H')), change(TradingState::Halted, NO_REASON));
}

#[test]
fn an_operational_halt_and_a_regulatory_one_end_apart() {
    let mut rig = listed(b'P');
    rig.event(action(b'H', NO_REASON));
    rig.silent(operational(b'Q', b'H'));
    // The regulator lets go, the market does not.
    rig.silent(action(b'T', NO_REASON));
    assert_eq!(flags(&rig.quote(add(1, b'B', 1, 1))), ["one_sided", "halted"]);
    assert_eq!(rig.event(operational(b'Q', b'T')), change(TradingState::Trading, NO_REASON));
    // The market lets go, the regulator does not.
    rig.event(operational(b'Q', b'H'));
    rig.silent(action(b'P', NO_REASON));
    assert_eq!(rig.event(operational(b'Q', b'T')), change(TradingState::Paused, NO_REASON));
}

#[test]
fn an_unknown_operational_action_neither_halts_nor_resumes() {
    let mut rig = listed(b'P');
    rig.silent(operational(b'Q', b'?'));
    rig.event(operational(b'Q', b'H'));
    rig.silent(operational(b'Q', b'?'));
    assert_eq!(flags(&rig.quote(add(1, b'B', 1, 1))), ["one_sided", "halted"]);
}

#[test]
fn test_symbols_are_held_back_with_their_events() {
    let mut rig = listed(b'T');
    rig.silent(add(1, b'B', 100, 100_000));
    rig.silent(action(b'H', NO_REASON));
    rig.silent(operational(b'Q', b'H'));
    rig.silent(delete(1));
    assert_eq!((rig.outcome(Outcome::TestSymbol), rig.live_orders()), (2, 0));
    assert_eq!(rig.handler.ledger().events.get(), 0);
}

#[test]
fn a_test_symbol_whose_top_stays_is_unchanged_like_any_other() {
    let mut rig = Rig::new();
    let ahead = at(OPEN_NS + 1_000_000_000, add(1, b'B', 100, 100_000));
    rig.silent(ahead);
    rig.silent(directory(STOCK, b'T'));
    rig.silent(add(2, b'B', 100, 90_000));
    rig.silent(add(3, b'B', 100, 90_000));
    assert_eq!((rig.outcome(Outcome::Future), rig.outcome(Outcome::TestSymbol)), (1, 1));
    assert_eq!(rig.outcome(Outcome::Unchanged), 1);
}

#[test]
fn test_symbols_are_quoted_where_they_are_asked_for() {
    let mut rig = Rig::with(|spec| spec.exclude_test_symbols = false);
    rig.silent(directory(STOCK, b'T'));
    rig.quote(add(1, b'B', 100, 100_000));
    assert_eq!(rig.event(action(b'H', NO_REASON)), change(TradingState::Halted, NO_REASON));
}

#[test]
fn only_the_end_of_messages_ends_the_session() {
    let mut rig = Rig::new();
    for event in *b"OSQME" {
        rig.silent(system(event));
    }
    assert_eq!(rig.event(system(b'C')), FeedEvent::EndOfSession);
    assert_eq!((rig.handler.ledger().events.get(), rig.outcome(Outcome::Administrative)), (1, 6));
}
