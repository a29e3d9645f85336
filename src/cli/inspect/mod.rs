//! `freshlane inspect`: a look inside a capture.

mod capture;
mod messages;
mod quotes;
mod summary;
mod verdict;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use freshlane_feed_handlers::session_time::parse_date;
use jiff::civil::Date;

use self::capture::Capture;
use super::exit::Failure;
use super::number::number_within;
use super::row::Format;

const NOTES: &str = "\
Lines of --quotes: ts_event, ts_recv, wire_sequence, venue, instrument, bid, ask, bid_size, ask_size, \
flags. One for each change of the best bid or offer, test symbols included; ts_recv is ts_event made \
monotonic.

Lines of --messages: wire_sequence, type, name, stock_locate, tracking_number, ts_event, timestamp, \
then the fields of the type by name (in CSV: one column of key=value pairs). A message that cannot be \
decoded has its type, error and hex instead.

Times (ts_event, ts_recv) are ns since 1970 in UTC; timestamp is ns since midnight at the venue. Times, \
wire_sequence and fields of 64 bits (references, match numbers, shares of auctions) are decimal strings \
in JSON, prices exact decimal strings; what is absent is null, in CSV empty.

A BinaryFILE has no sequence numbers: wire_sequence counts its messages from 1, and gaps is always 0.

Exit codes: 0 the capture is whole, 1 it is not, or cannot be read (what was whole is printed all the \
same), 2 wrong usage.";

/// Looks inside a capture: a summary, its messages or its quotes
///
/// Reads NASDAQ TotalView-ITCH 5.0 in BinaryFILE framing, raw, gzip or zstd (told by content, not by
/// name). Messages of an unknown type, or too short for theirs, are counted and skipped.
#[derive(Args, Debug)]
#[command(after_help = "See the meaning of the output with --help.", after_long_help = NOTES)]
pub(super) struct InspectArgs {
    /// Capture to look at; `-` for standard input
    file: PathBuf,
    /// Print counts and times as one JSON object [the default]
    #[arg(long, group = "view")]
    summary: bool,
    /// Print every message with all its fields, one a line
    #[arg(long, group = "view")]
    messages: bool,
    /// Print a quote for each change of the best bid or offer, one a line
    #[arg(long, group = "view")]
    quotes: bool,
    /// Lines as JSON objects or as CSV; with --summary, jsonl puts the object on one line
    /// [default: jsonl]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Stop after N messages or quotes
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true, conflicts_with = "summary")]
    limit: Option<u64>,
    /// Wire format of the capture
    #[arg(long, value_enum, default_value_t = Protocol::Itch50)]
    protocol: Protocol,
    /// Venue that the quotes are of; BX and PSX have operational halts of their own
    #[arg(long, default_value = "NASDAQ", value_parser = venue)]
    venue: String,
    /// IANA name of the time zone that the capture's times are in
    #[arg(long, value_name = "ZONE", default_value = "America/New_York")]
    time_zone: String,
    /// Day of the capture, YYYY-MM-DD [default: from the file's name, else today in the time zone]
    #[arg(long, value_parser = date)]
    date: Option<Date>,
}

/// The wire formats that can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Protocol {
    /// NASDAQ TotalView-ITCH 5.0
    Itch50,
}

impl Protocol {
    const fn name(self) -> &'static str {
        match self {
            Self::Itch50 => "itch50",
        }
    }
}

fn limit(text: &str) -> Result<u64, String> {
    number_within(text, 1..=u64::MAX, "the limit is at least 1")
}

fn date(text: &str) -> Result<Date, String> {
    parse_date(text).map_err(|error| error.to_string())
}

/// A venue is a word of a topic.
fn venue(text: &str) -> Result<String, String> {
    let is_venue_byte = |byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_');
    if text.is_empty() || !text.bytes().all(is_venue_byte) {
        return Err("a venue is of the characters A-Z, 0-9 and _, such as NASDAQ".into());
    }
    Ok(text.to_owned())
}

/// Runs the verb.
pub(super) fn execute(args: &InspectArgs) -> Result<(), Failure> {
    let format = args.format.unwrap_or(Format::Jsonl);
    let limit = args.limit.unwrap_or(u64::MAX);
    if args.messages {
        return messages::print(Capture::open(args)?, format, limit);
    }
    if args.quotes {
        return quotes::print(Capture::open(args)?, format, limit);
    }
    if args.limit.is_some() {
        return Err(Failure::usage("--limit goes with --messages or --quotes"));
    }
    if format == Format::Csv {
        return Err(Failure::usage("--format csv goes with --messages or --quotes")
            .with_help("a summary is one JSON object"));
    }
    summary::print(Capture::open(args)?, args.format.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_venue_is_a_word_of_a_topic() {
        assert_eq!(venue("XNAS_2"), Ok("XNAS_2".to_owned()));
        for text in ["", "nasdaq", "A.B", "A*", "Ä"] {
            assert!(venue(text).is_err(), "{text}");
        }
    }
}
