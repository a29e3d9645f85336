//! What several fuzz targets share.

#![forbid(unsafe_code)]

use std::sync::Arc;

use freshlane_feed_handlers::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use freshlane_feed_handlers::itch50::{HandlerSpec, Itch50Handler};
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_feed_handlers::session_time::{SessionTime, parse_date};
use freshlane_quote::{ChannelId, SymbolDirectory, VenueId};

/// A NASDAQ handler on 15 January 2026, with room for a few instruments only.
///
/// # Panics
/// Never: the date and the zone exist.
#[must_use]
pub fn handler() -> Itch50Handler {
    let date = parse_date("2026-01-15").expect("a date of the calendar");
    Itch50Handler::new(HandlerSpec {
        directory: Arc::new(SymbolDirectory::with_capacity(4)),
        venue: VenueId(0),
        channel: ChannelId(0),
        market_code: b'Q',
        session: SessionTime::new(date, "America/New_York").expect("a zone of the database"),
        future_limit_ns: 100_000_000,
        orders_expected: 0,
        exclude_test_symbols: true,
    })
}

/// Every counter of a handler.
#[must_use]
pub fn counters(handler: &Itch50Handler) -> Vec<u64> {
    let ledger = handler.ledger();
    let outcomes = Outcome::NAMES.map(|(outcome, _)| ledger.outcome(outcome));
    let others = [
        &ledger.received,
        &ledger.events,
        &ledger.clamped,
        &ledger.refused_replacements,
        &ledger.bad_timestamps,
        &ledger.bytes,
        &ledger.live_orders,
    ];
    outcomes.into_iter().chain(others.map(|counter| counter.get())).collect()
}

/// The whole messages at the start of a BinaryFILE.
#[must_use]
pub fn whole_messages(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut framer, mut rest, mut messages) = (BinaryFile::new(), bytes, Vec::new());
    while let Record::Message(message) = framer.next(rest, true) {
        messages.push(message);
        rest = &rest[LENGTH_BYTES + message.len()..];
    }
    messages
}
