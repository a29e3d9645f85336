//! Real and derived ITCH 5.0 captures against what independent parsers and books made of them.
//!
//! The captures are not part of the project. They lie in the folder `itch` of `FRESHLANE_DATA`, or
//! of `shared/data` beside the repository; where they are absent, each test says that it skipped.
//! Two decisions show here: an order with reference 0 is refused, and the first of two adds with
//! one reference stays.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshlane_feed_handlers::itch50::field::FieldValue;
use freshlane_feed_handlers::itch50::{
    BATCH_MAX, HandlerSpec, Itch50Handler, Message, ReceiveTime,
};
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_feed_handlers::session_time::{SessionTime, parse_date};
use freshlane_feed_handlers::source::{Batch, BinaryFileSource, MessageSource};
use freshlane_feed_handlers::transport::FileSource;
use freshlane_quote::{ChannelId, Price, Quote, SymbolDirectory, VenueId};
use serde_json::Value;

const NASDAQ: &str = "nasdaq_itch50_messages.bin";
const BX: &str = "bx_itch50_messages.bin";
const RITCH: &str = "ritch_synthetic_12012.itch50";
const DERIVED_ES: &str = "derived_es_20231225.itch50.gz";

/// The folder of captures; `None`, with a line that says so, where it is absent.
fn data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let root = std::env::var_os("FRESHLANE_DATA").map_or_else(beside, PathBuf::from);
    let folder = root.join("itch");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no captures at {}; set FRESHLANE_DATA", folder.display());
    None
}

fn expected(folder: &Path, capture: &str) -> Value {
    let name = format!("{}.expected.json", capture.trim_end_matches(".gz"));
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

/// A capture, read to its end.
struct Read50 {
    messages: Vec<Vec<u8>>,
    quotes: Vec<Quote>,
    handler: Itch50Handler,
    source: BinaryFileSource,
    midnight_ns: u64,
}

fn read(capture: &Path) -> Read50 {
    let session = SessionTime::new(parse_date("2023-12-25").unwrap(), "America/New_York").unwrap();
    let midnight_ns = session.midnight_ns(0);
    let mut handler = Itch50Handler::new(HandlerSpec {
        directory: Arc::new(SymbolDirectory::with_capacity(1 << 10)),
        venue: VenueId(0),
        channel: ChannelId(0),
        market_code: b'Q',
        session,
        future_limit_ns: 0,
        orders_expected: 1 << 14,
        exclude_test_symbols: true,
    });
    let mut source = BinaryFileSource::new(FileSource::open(capture).unwrap());
    let (mut messages, mut quotes) = (Vec::new(), Vec::new());
    loop {
        let batch = source.next_batch(BATCH_MAX, |batch, first_sequence| {
            handler.on_batch(batch, first_sequence, ReceiveTime::EventTime);
            messages.extend(batch.iter().map(|message| message.to_vec()));
        });
        if batch == Batch::End {
            return Read50 { messages, quotes, handler, source, midnight_ns };
        }
        quotes.extend(handler.records().iter().filter(|record| !record.is_event()));
    }
}

/// Totals, types, refusals and the state at the end.
fn check_counts(read: &Read50, expected: &Value) {
    // For the derived capture, the numbers of the file itself stand under `summary`.
    let own = expected.get("summary").or(expected.get("own")).unwrap();
    let by_type = expected.get("summary").unwrap_or(expected)["by_type"].as_object().unwrap();
    let by_type: BTreeMap<_, _> =
        by_type.iter().map(|(name, count)| (name.as_bytes()[0], count.as_u64().unwrap())).collect();
    assert_eq!(read.handler.counts().by_type().collect::<BTreeMap<_, _>>(), by_type);
    assert_eq!(read.messages.len() as u64, expected["messages"].as_u64().unwrap());

    let books = expected.get("oracles").and_then(|o| o.get("itch_book_stats"));
    let books = books.or(expected.get("itch_book_stats")).unwrap();
    let ledger = read.handler.ledger();
    let outcome = |outcome| ledger.outcome(outcome);
    assert_eq!(ledger.received.get(), expected["messages"].as_u64().unwrap());
    assert_eq!(outcome(Outcome::UnknownReference), own["unknown_order_refs"].as_u64().unwrap());
    assert_eq!(outcome(Outcome::DuplicateReference), books["dup_ref"].as_u64().unwrap());
    assert_eq!(outcome(Outcome::InvalidOrder), books["rejected"].as_u64().unwrap());
    assert_eq!(ledger.clamped.get(), books["clamped"].as_u64().unwrap());
    assert_eq!(ledger.live_orders.get(), books["live_orders"].as_u64().unwrap());
    assert_eq!((outcome(Outcome::Malformed), outcome(Outcome::UnknownType)), (0, 0));
    assert_eq!((outcome(Outcome::Future), outcome(Outcome::DirectoryFull)), (0, 0));
    assert_eq!(outcome(Outcome::Quoted), read.quotes.len() as u64);
    assert_eq!((ledger.imbalance(), ledger.bad_timestamps.get()), (0, 0));

    let counts = read.handler.counts();
    let since_midnight = |ts_event: Option<u64>| ts_event.unwrap() - read.midnight_ns;
    assert_eq!(since_midnight(counts.first_ts_event), own["first_ts_ns"].as_u64().unwrap());
    assert_eq!(since_midnight(counts.last_ts_event), own["last_ts_ns"].as_u64().unwrap());
    assert!(read.source.end().unwrap().is_clean(), "{:?}", read.source.end());
}

/// The raw integer of a Price(4); 0 where there is no price.
fn price_e4(price: Price) -> u64 {
    let units = price.some().map_or(0, |price| u64::try_from(price.units()).unwrap());
    assert_eq!(units % 100_000, 0, "{price}");
    units / 100_000
}

fn as_json(value: FieldValue) -> Value {
    match value {
        FieldValue::Integer(value) => value.into(),
        FieldValue::Code(text) => text.as_str().into(),
        FieldValue::Text2(text) => text.as_str().into(),
        FieldValue::Text4(text) => text.as_str().into(),
        FieldValue::Text8(text) => text.as_str().into(),
        FieldValue::Price(price) => price_e4(price).into(),
    }
}

/// All fields of a message as the oracle names them.
fn decoded(bytes: &[u8]) -> BTreeMap<String, Value> {
    let message = Message::decode(bytes).unwrap();
    let prefix = message.prefix();
    let mut fields = BTreeMap::from([
        ("stock_locate".to_owned(), prefix.stock_locate.into()),
        ("tracking_number".to_owned(), prefix.tracking_number.into()),
        ("timestamp".to_owned(), prefix.timestamp_ns.into()),
    ]);
    message.fields(&mut |name, value| {
        // The oracle's spelling.
        let name = name.replace("collar_extension", "collar_extention");
        fields.insert(name, as_json(value));
    });
    fields
}

fn without_notes(fields: &Value) -> BTreeMap<String, Value> {
    let fields = fields.as_object().unwrap().clone();
    fields.into_iter().filter(|(name, _)| !name.starts_with('_')).collect()
}

/// Every field of every message that the oracle decoded: the first of each type at the least.
fn check_fields(read: &Read50, expected: &Value) {
    let firsts = expected["first_of_each_type"].as_object().unwrap();
    assert!(!firsts.is_empty());
    for (message_type, fields) in firsts {
        let first = read.messages.iter().find(|message| message[0] == message_type.as_bytes()[0]);
        assert_eq!(decoded(first.unwrap()), without_notes(fields), "{message_type}");
    }
    let all = expected["messages_decoded"].as_array().unwrap();
    assert!(all.len() >= firsts.len());
    for (index, (message, fields)) in read.messages.iter().zip(all).enumerate() {
        assert_eq!(decoded(message), without_notes(fields), "message {index}");
    }
}

/// One change of a top: sequence from 1, locate, ns since midnight, bid, size, ask, size.
type Row = [u64; 7];

fn rows(read: &Read50) -> Vec<Row> {
    let row = |quote: &Quote| {
        let index = usize::try_from(quote.wire_sequence - 1).unwrap();
        let locate = Message::decode(&read.messages[index]).unwrap().prefix().stock_locate;
        [
            quote.wire_sequence,
            locate.into(),
            quote.ts_event - read.midnight_ns,
            price_e4(quote.bid),
            quote.bid_size.into(),
            price_e4(quote.ask),
            quote.ask_size.into(),
        ]
    };
    read.quotes.iter().map(row).collect()
}

#[track_caller]
fn check_rows(actual: &[Row], expected: &[Row]) {
    for (actual, expected) in actual.iter().zip(expected) {
        assert_eq!(actual, expected);
    }
    assert_eq!(actual.len(), expected.len());
}

fn rows_of_json(expected: &Value) -> Vec<Row> {
    const KEYS: [&str; 7] = ["seq", "locate", "ts", "bid_px", "bid_sz", "ask_px", "ask_sz"];
    let rows = expected["bbo"].as_array().unwrap();
    assert_eq!(rows.len() as u64, expected["bbo_rows"].as_u64().unwrap());
    rows.iter().map(|row| KEYS.map(|key| row[key].as_u64().unwrap())).collect()
}

/// The rows of the derived capture, whose message index counts from 0.
fn rows_of_csv(folder: &Path) -> Vec<Row> {
    let file = std::fs::File::open(folder.join("derived_es_20231225.itch50.bbo.csv.gz")).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let row = |line: &str| {
        let mut row: Row = [0; 7];
        let mut numbers = line.split(',').map(|number| number.parse::<u64>().unwrap());
        row.fill_with(|| numbers.next().unwrap());
        row[0] += 1;
        row
    };
    text.lines().skip(1).map(row).collect()
}

/// A capture whose messages and tops the oracles list in its JSON.
fn check_sample(capture: &str) {
    let Some(folder) = data() else { return };
    let (read, expected) = (read(&folder.join(capture)), expected(&folder, capture));
    check_counts(&read, &expected);
    check_fields(&read, &expected);
    check_rows(&rows(&read), &rows_of_json(&expected));
}

#[test]
fn nasdaq_messages_are_what_the_oracles_say() {
    check_sample(NASDAQ);
}

#[test]
fn bx_messages_are_what_the_oracles_say() {
    check_sample(BX);
}

#[test]
fn crossed_books_and_a_reference_of_zero_are_what_the_oracles_say() {
    check_sample(RITCH);
}

#[test]
fn a_day_of_a_real_book_changes_its_top_29_094_times() {
    let Some(folder) = data() else { return };
    let (read, expected) = (read(&folder.join(DERIVED_ES)), expected(&folder, DERIVED_ES));
    check_counts(&read, &expected);
    let rows_expected = rows_of_csv(&folder);
    assert_eq!(rows_expected.len(), 29_094);
    check_rows(&rows(&read), &rows_expected);
}

#[test]
fn no_capture_is_forgotten_here() {
    let Some(folder) = data() else { return };
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names: BTreeSet<_> = names.map(|name| name.into_string().unwrap()).collect();
    let captures: Vec<_> = names
        .iter()
        .filter(|name| !name.ends_with(".expected.json") && !name.contains(".bbo."))
        .collect();
    assert_eq!(captures, [BX, DERIVED_ES, NASDAQ, RITCH]);
}
