//! `--summary`: what is in a capture, as one JSON object.

use std::sync::Arc;

use freshlane_feed_handlers::itch50::{Itch50Handler, MessageCounts};
use freshlane_feed_handlers::ledger::{FeedLedger, Outcome};
use freshlane_quote::SymbolDirectory;
use serde::{Serialize, Serializer};

use super::capture::Capture;
use super::verdict::{Decoded, verdict, warn_of_refused};
use crate::cli::exit::{Failure, print as print_text};

/// The object. `messages` is the sum of `by_outcome`; `bytes` and `unframed_bytes` together are
/// the size of the (decompressed) file.
#[derive(Serialize)]
struct Summary<'a> {
    file: &'a str,
    protocol: &'static str,
    venue: &'a str,
    session_date: String,
    time_zone: &'a str,
    compression: &'static str,
    /// Messages that were framed.
    messages: u64,
    /// Decodable messages and messages of unknown types, by type.
    by_type: Counts,
    /// What became of each message.
    by_outcome: Counts,
    /// Too short for their type.
    malformed: u64,
    /// Of an unknown type.
    unknown: u64,
    /// Named an order that was not there.
    unknown_references: u64,
    /// Added an order under a reference that was live.
    duplicate_references: u64,
    /// Added an order with reference, shares or price 0.
    invalid_orders: u64,
    /// Replaces whose new order was refused; the old one ended.
    refused_replacements: u64,
    /// Took more shares off an order than it had.
    clamped_reductions: u64,
    /// Stamps beyond a day.
    bad_timestamps: u64,
    /// Missing sequence numbers: a BinaryFILE has none, so always 0.
    gaps: u64,
    /// ns since the Unix epoch, as a decimal string.
    first_ts_event: Option<String>,
    last_ts_event: Option<String>,
    quotes: u64,
    instruments: usize,
    /// Trading states and the end of the session.
    events: u64,
    /// At the end.
    live_orders: u64,
    /// Of framed records, lengths included.
    bytes: u64,
    /// Of no record: an end-of-session record, a cut one, what follows the end.
    unframed_bytes: u64,
    /// How the file ended.
    end: String,
    /// Whether it ended as it should.
    complete: bool,
}

/// Names with counts, in their order.
struct Counts(Vec<(String, u64)>);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, count)| (name, count)))
    }
}

/// Reads the capture to its end and prints the object, over several lines where `is_pretty`.
pub(super) fn print(mut capture: Capture, is_pretty: bool) -> Result<(), Failure> {
    let directory = Arc::new(SymbolDirectory::default());
    let mut handler = capture.handler(&directory);
    while capture.next_batch_into(&mut handler) {}
    let summary = summarise(&capture, &handler, directory.len());
    let json = if is_pretty {
        serde_json::to_string_pretty(&summary)
    } else {
        serde_json::to_string(&summary)
    };
    print_text(&json.map_err(Failure::failed)?)?;
    let decoded = Decoded::of(&handler);
    warn_of_refused(&decoded, Some(handler.samples()));
    verdict(&capture, &decoded)
}

fn summarise<'a>(capture: &'a Capture, handler: &Itch50Handler, instruments: usize) -> Summary<'a> {
    let ledger = handler.ledger();
    let counts = handler.counts();
    let end = capture.source.end();
    Summary {
        file: &capture.shown,
        protocol: capture.protocol.name(),
        venue: &capture.venue,
        session_date: capture.date.date.to_string(),
        time_zone: &capture.time_zone,
        compression: capture.compression.name(),
        messages: ledger.received.get(),
        by_type: by_type(counts),
        by_outcome: by_outcome(ledger),
        malformed: ledger.outcome(Outcome::Malformed),
        unknown: ledger.outcome(Outcome::UnknownType),
        unknown_references: ledger.outcome(Outcome::UnknownReference),
        duplicate_references: ledger.outcome(Outcome::DuplicateReference),
        invalid_orders: ledger.outcome(Outcome::InvalidOrder),
        refused_replacements: ledger.refused_replacements.get(),
        clamped_reductions: ledger.clamped.get(),
        bad_timestamps: ledger.bad_timestamps.get(),
        gaps: 0,
        first_ts_event: counts.first_ts_event.map(|ns| ns.to_string()),
        last_ts_event: counts.last_ts_event.map(|ns| ns.to_string()),
        quotes: ledger.outcome(Outcome::Quoted),
        instruments,
        events: ledger.events.get(),
        live_orders: ledger.live_orders.get(),
        bytes: capture.source.framed_bytes(),
        unframed_bytes: end.map_or(0, |end| end.unframed_bytes()),
        end: end.map_or_else(String::new, ToString::to_string),
        complete: end.is_some_and(|end| end.is_clean()),
    }
}

fn by_type(counts: &MessageCounts) -> Counts {
    Counts(counts.by_type().map(|(byte, count)| (type_name(byte), count)).collect())
}

fn by_outcome(ledger: &FeedLedger) -> Counts {
    let names = Outcome::NAMES.iter();
    Counts(names.map(|&(outcome, name)| (name.to_owned(), ledger.outcome(outcome))).collect())
}

/// A type byte as its character, or in hex where it has none to show.
pub(super) fn type_name(byte: u8) -> String {
    if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("0x{byte:02x}") }
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn a_type_without_a_character_is_named_in_hex() {
        let names = [b'A', b'h', b'~', b' ', 0, 0x7f, 0xff].map(type_name);
        assert_eq!(names, ["A", "h", "~", "0x20", "0x00", "0x7f", "0xff"]);
    }
}
