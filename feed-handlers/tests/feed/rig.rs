//! Handlers, files and readers for these tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use freshlane_feed_handlers::itch50::{HandlerSpec, Itch50Handler, ReceiveTime};
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_feed_handlers::session_time::{SessionTime, parse_date};
use freshlane_feed_handlers::source::{Batch, BinaryFileSource, MessageSource};
use freshlane_feed_handlers::transport::FileSource;
use freshlane_quote::{ChannelId, Quote, SymbolDirectory, VenueId};

/// How far ahead a quote may be in these tests, ns.
pub(crate) const FUTURE_LIMIT_NS: u64 = 1_000_000;
/// How many instruments the directory of these tests holds.
pub(crate) const INSTRUMENTS_MAX: usize = 3;

pub(crate) fn session() -> SessionTime {
    SessionTime::new(parse_date("2026-01-15").unwrap(), "America/New_York").unwrap()
}

/// A NASDAQ handler with a small directory.
pub(crate) fn handler(exclude_test_symbols: bool) -> Itch50Handler {
    handler_for(INSTRUMENTS_MAX, exclude_test_symbols)
}

/// A NASDAQ handler.
pub(crate) fn handler_for(instruments_max: usize, exclude_test_symbols: bool) -> Itch50Handler {
    Itch50Handler::new(HandlerSpec {
        directory: Arc::new(SymbolDirectory::with_capacity(instruments_max)),
        venue: VenueId(1),
        channel: ChannelId(2),
        market_code: b'Q',
        session: session(),
        future_limit_ns: FUTURE_LIMIT_NS,
        orders_expected: 0,
        exclude_test_symbols,
    })
}

/// Every counter of a handler by name.
pub(crate) fn counters(handler: &Itch50Handler) -> Vec<(&'static str, u64)> {
    let ledger = handler.ledger();
    let outcomes = Outcome::NAMES.map(|(outcome, name)| (name, ledger.outcome(outcome)));
    let others = [
        ("received", ledger.received.get()),
        ("events", ledger.events.get()),
        ("events_refused", ledger.events_refused.get()),
        ("clamped", ledger.clamped.get()),
        ("refused_replacements", ledger.refused_replacements.get()),
        ("bad_timestamps", ledger.bad_timestamps.get()),
        ("live_orders", ledger.live_orders.get()),
    ];
    outcomes.into_iter().chain(others).collect()
}

/// Feeds `messages` in batches of the given lengths, over and over; returns all records.
pub(crate) fn feed(
    handler: &mut Itch50Handler,
    messages: &[Vec<u8>],
    batch_lens: &[usize],
    received: ReceiveTime,
) -> Vec<Quote> {
    let (mut at, mut records) = (0, Vec::new());
    for &len in batch_lens.iter().cycle() {
        let batch: Vec<&[u8]> = messages[at..].iter().take(len).map(Vec::as_slice).collect();
        if batch.is_empty() {
            break;
        }
        handler.on_batch(&batch, at as u64 + 1, received);
        records.extend_from_slice(handler.records());
        at += batch.len();
    }
    records
}

/// A file that goes when it is dropped.
pub(crate) struct TempFile(pub(crate) PathBuf);

impl TempFile {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("freshlane-feed-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }

    pub(crate) fn source(&self) -> BinaryFileSource {
        BinaryFileSource::new(FileSource::open(&self.0).unwrap())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for such files.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Reads a source to its end and returns its messages.
pub(crate) fn messages(source: &mut BinaryFileSource) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    let mut next_sequence = 1;
    loop {
        let batch = source.next_batch(32, |batch, first_sequence| {
            assert_eq!(first_sequence, next_sequence);
            next_sequence += batch.len() as u64;
            messages.extend(batch.iter().map(|message| message.to_vec()));
        });
        if batch == Batch::End {
            return messages;
        }
    }
}

/// `messages` as a BinaryFILE that states their lengths, or zero for each.
pub(crate) fn binary_file(messages: &[Vec<u8>], states_lengths: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        let len = if states_lengths { u16::try_from(message.len()).unwrap() } else { 0 };
        bytes.extend_from_slice(&len.to_be_bytes());
        bytes.extend_from_slice(message);
    }
    bytes
}
