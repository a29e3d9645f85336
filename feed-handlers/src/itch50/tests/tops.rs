//! What a quote says: prices, sizes, flags, ids.

use freshlane_quote::{ChannelId, InstrumentId, Quote, VenueId};

use super::rig::{Rig, flags, top};
use super::wire::{LOCATE, OPEN_NS, add, add_of, cancel, delete, executed, of};
use crate::ledger::Outcome;

#[test]
fn a_quote_carries_where_it_comes_from() {
    let mut rig = Rig::new();
    rig.next_sequence = 77;
    let quote = rig.quote(add(1, b'B', 100, 100_001));
    let expected = Quote {
        ts_event: rig.utc(OPEN_NS),
        ts_recv: rig.utc(OPEN_NS),
        wire_sequence: 77,
        bid: "10.0001".parse().unwrap(),
        bid_size: 100,
        instrument: InstrumentId(0),
        venue: VenueId(3),
        channel: ChannelId(5),
        ..Quote::EMPTY
    };
    assert_eq!(quote, expected);
    assert_eq!(rig.directory.symbol(quote.instrument), "TEST");
}

#[test]
fn one_sided_locked_and_crossed_books_say_so() {
    let mut rig = Rig::new();
    assert_eq!(flags(&rig.quote(add(1, b'B', 100, 100_000))), ["one_sided"]);
    assert_eq!(flags(&rig.quote(add(2, b'S', 100, 100_001))), [""; 0]);
    let locked = rig.quote(add(3, b'S', 100, 100_000));
    assert_eq!((flags(&locked), top(&locked)), (vec!["locked"], "10 x 100 / 10 x 100".into()));
    let crossed = rig.quote(add(4, b'S', 100, 99_999));
    assert_eq!(
        (flags(&crossed), top(&crossed)),
        (vec!["crossed"], "10 x 100 / 9.9999 x 100".into())
    );
    assert_eq!(flags(&rig.quote(delete(1))), ["one_sided"]);
    rig.silent(delete(2));
    rig.silent(delete(3));
    let empty = rig.quote(delete(4));
    assert_eq!((flags(&empty), top(&empty)), (vec!["one_sided"], "- x 0 / - x 0".into()));
}

#[test]
fn a_size_beyond_32_bits_is_clamped_and_flagged_until_it_fits() {
    let mut rig = Rig::new();
    assert_eq!(flags(&rig.quote(add(1, b'S', u32::MAX, 100_000))), ["one_sided"]);
    let clamped = rig.quote(add(2, b'S', 1, 100_000));
    assert_eq!((clamped.ask_size, flags(&clamped)), (u32::MAX, vec!["one_sided", "size_clamped"]));
    // The book knows the true size: 2^32 - 1 shares are exact again.
    let exact = rig.quote(executed(1, 1));
    assert_eq!((exact.ask_size, flags(&exact)), (u32::MAX, vec!["one_sided"]));
    assert_eq!(rig.quote(cancel(1, 1)).ask_size, u32::MAX - 1);
}

#[test]
fn the_highest_and_the_lowest_price_are_exact() {
    let mut rig = Rig::new();
    let stub = rig.quote(add(1, b'B', 1, 1));
    assert_eq!(stub.bid.to_string(), "0.0001");
    let market = rig.quote(add(2, b'S', 1, 0x7735_9400));
    assert_eq!(market.ask.to_string(), "200000");
    assert_eq!(rig.quote(add(3, b'B', 1, u32::MAX)).bid.to_string(), "429496.7295");
}

#[test]
fn each_locate_has_its_own_book_and_instrument() {
    let mut rig = Rig::new();
    let here = rig.quote(add(1, b'B', 100, 100_000));
    let there = rig.quote(of(u16::MAX, add_of(*b"BRK.A   ", 2, b'B', 200, 90_000)));
    assert_eq!(top(&there), "9 x 200 / - x 0");
    assert_eq!((here.instrument, there.instrument), (InstrumentId(0), InstrumentId(1)));
    assert_eq!(rig.directory.symbol(there.instrument), "BRK.A");
    // The order says which book it is in, whatever the message says.
    let deleted = rig.quote(of(LOCATE, delete(2)));
    assert_eq!((deleted.instrument, top(&deleted)), (InstrumentId(1), "- x 0 / - x 0".into()));
}

#[test]
fn a_batch_gives_its_quotes_in_wire_order_and_each_its_own_top() {
    let mut rig = Rig::new();
    let batch = [add(1, b'B', 1, 100_000), add(2, b'B', 2, 100_000), delete(1), delete(2)];
    let records = rig.batch(&batch);
    assert_eq!(records.iter().map(|r| r.wire_sequence).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(records.iter().map(|r| r.bid_size).collect::<Vec<_>>(), [1, 3, 2, 0]);
    assert_eq!(rig.outcome(Outcome::Quoted), 4);
    assert_eq!(rig.batch(&[]), []);
}

#[test]
fn the_last_possible_sequence_number_is_carried() {
    let mut rig = Rig::new();
    let batch = [add(1, b'B', 1, 100_000), add(2, b'B', 2, 100_000)];
    let views: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
    rig.handler.on_batch(&views, u64::MAX - 1, rig.received);
    let sequences: Vec<_> = rig.handler.records().iter().map(|r| r.wire_sequence).collect();
    assert_eq!(sequences, [u64::MAX - 1, u64::MAX]);
}
