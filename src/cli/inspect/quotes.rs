//! `--quotes`: one line for each change of the best bid or offer.

use std::sync::Arc;

use freshlane_quote::{Quote, SymbolDirectory};

use super::capture::Capture;
use super::verdict::{Decoded, verdict, warn_of_refused};
use crate::cli::exit::Failure;
use crate::cli::output::Output;
use crate::cli::row::{Format, Row};

const CSV_HEADER: &[u8] =
    b"ts_event,ts_recv,wire_sequence,venue,instrument,bid,ask,bid_size,ask_size,flags\n";

/// Prints at most `limit` quotes.
pub(super) fn print(mut capture: Capture, format: Format, limit: u64) -> Result<(), Failure> {
    let directory = Arc::new(SymbolDirectory::default());
    let mut handler = capture.handler(&directory);
    let mut output = Output::new();
    if format == Format::Csv {
        output.gathered().extend_from_slice(CSV_HEADER);
    }
    let mut left = limit;
    while left > 0 && capture.next_batch_into(&mut handler) {
        for quote in handler.records().iter().filter(|record| !record.is_event()) {
            if left == 0 {
                break;
            }
            left -= 1;
            let symbol = directory.symbol(quote.instrument);
            write_quote(output.gathered(), format, quote, &capture.venue, symbol);
        }
        output.write_if_full()?;
    }
    output.finish()?;
    let decoded = Decoded::of(&handler);
    warn_of_refused(&decoded, Some(handler.samples()));
    verdict(&capture, &decoded)
}

fn write_quote(line: &mut Vec<u8>, format: Format, quote: &Quote, venue: &str, symbol: &str) {
    let mut row = Row::begin(line, format);
    row.long("ts_event", quote.ts_event);
    row.long("ts_recv", quote.ts_recv);
    row.long("wire_sequence", quote.wire_sequence);
    row.text("venue", venue);
    row.text("instrument", symbol);
    row.price("bid", quote.bid);
    row.price("ask", quote.ask);
    row.number("bid_size", quote.bid_size);
    row.number("ask_size", quote.ask_size);
    row.names("flags", quote.flags.names());
    row.end();
}
