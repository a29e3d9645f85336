//! `freshlane inspect` against captures with results of independent parsers, where they are there.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod cli_support;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use cli_support::{Ran, freshlane};
use serde_json::Value;

/// The folder of ITCH captures, or `None` and a line that says so.
fn data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = std::env::var_os("FRESHLANE_DATA").map(PathBuf::from);
    let folder = data.unwrap_or_else(|| root.join("../shared/data")).join("itch");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there are no captures in FRESHLANE_DATA or ../shared/data");
    None
}

/// With the epoch as its day, a capture's times are ns since midnight, as the oracles give them.
fn inspect(data: &Path, file: &str, view: &str) -> Ran {
    let day = ["--date", "1970-01-01", "--time-zone", "UTC"];
    freshlane(data, &[&["inspect", file, view], &day[..]].concat()).ended_with(0)
}

fn expected(data: &Path, file: &str) -> Value {
    serde_json::from_slice(&fs::read(data.join(format!("{file}.expected.json"))).unwrap()).unwrap()
}

fn assert_summary(actual: &Value, expected: &Value, unknown_references: &Value) {
    assert_eq!(actual["messages"], expected["messages"]);
    assert_eq!(actual["by_type"], expected["by_type"]);
    assert_eq!(actual["first_ts_event"], expected["first_ts_ns"].to_string());
    assert_eq!(actual["last_ts_event"], expected["last_ts_ns"].to_string());
    assert_eq!(&actual["unknown_references"], unknown_references);
    for zero in ["malformed", "unknown", "gaps", "bad_timestamps", "unframed_bytes"] {
        assert_eq!(actual[zero], 0, "{zero}");
    }
    assert_eq!(actual["complete"], true);
}

/// Sequence, time, and price (1e-4) and size of both sides; 0 = no side.
type Row = [u64; 6];

fn number(text: &str) -> u64 {
    text.parse().unwrap()
}

/// An exact decimal in units of 1e-4.
fn price4(value: &Value) -> u64 {
    let Some(text) = value.as_str() else { return 0 };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    number(whole) * 10_000 + number(&format!("{fraction:0<4}"))
}

fn row_of_quote(quote: &Value) -> Row {
    let text = |name: &str| number(quote[name].as_str().unwrap());
    let size = |name: &str| quote[name].as_u64().unwrap();
    [
        text("wire_sequence"),
        text("ts_event"),
        price4(&quote["bid"]),
        size("bid_size"),
        price4(&quote["ask"]),
        size("ask_size"),
    ]
}

fn assert_rows(quotes: &Ran, expected: &[Row]) {
    let rows: Vec<_> = quotes.json_lines().iter().map(row_of_quote).collect();
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(expected) {
        assert_eq!(row, expected);
    }
}

#[test]
fn captures_with_books_of_another_engine() {
    let Some(data) = data() else { return };
    for file in
        ["nasdaq_itch50_messages.bin", "bx_itch50_messages.bin", "ritch_synthetic_12012.itch50"]
    {
        let expected = expected(&data, file);
        let book = &expected["itch_book_stats"];
        let summary = inspect(&data, file, "--summary").json();
        assert_summary(&summary, &expected, &book["missing_ref"]);
        assert_eq!(summary["duplicate_references"], book["dup_ref"], "{file}");
        assert_eq!(summary["invalid_orders"], book["rejected"], "{file}");
        assert_eq!(summary["live_orders"], book["live_orders"], "{file}");
        assert_eq!(summary["quotes"], expected["bbo_rows"], "{file}");
        let rows: Vec<Row> = expected["bbo"].as_array().unwrap().iter().map(row_of_bbo).collect();
        assert_rows(&inspect(&data, file, "--quotes"), &rows);
        assert_first_messages(&inspect(&data, file, "--messages"), &expected["first_of_each_type"]);
    }
}

fn row_of_bbo(bbo: &Value) -> Row {
    ["seq", "ts", "bid_px", "bid_sz", "ask_px", "ask_sz"].map(|name| bbo[name].as_u64().unwrap())
}

/// Every field of the first message of each type. The oracle gives prices in 1e-4.
fn assert_first_messages(messages: &Ran, expected: &Value) {
    let messages = messages.json_lines();
    for (message_type, fields) in expected.as_object().unwrap() {
        let message = messages.iter().find(|message| message["type"] == **message_type).unwrap();
        for (name, value) in fields.as_object().unwrap() {
            // The oracle's own spelling, and its remark.
            let name = name.replace("extention", "extension");
            if name.starts_with('_') {
                continue;
            }
            let actual = &message[&name];
            let as_text = value.as_u64().map(|number| number.to_string());
            let agrees = actual == value
                || actual.as_str() == as_text.as_deref()
                || actual.is_string() && Some(price4(actual)) == value.as_u64();
            assert!(agrees, "{message_type} {name}: {actual} and {value}");
        }
    }
}

#[test]
fn a_stateful_day_of_one_instrument() {
    let Some(data) = data() else { return };
    let file = "derived_es_20231225.itch50.gz";
    let expected = expected(&data, "derived_es_20231225.itch50");
    let summary = inspect(&data, file, "--summary").json();
    assert_summary(&summary, &expected["summary"], &expected["summary"]["unknown_order_refs"]);
    assert_eq!(summary["compression"], "gzip");
    assert_eq!(summary["live_orders"], expected["open_orders"]);
    assert_eq!(summary["quotes"], expected["bbo_rows"]);
    let rows = bbo_csv(&data.join("derived_es_20231225.itch50.bbo.csv.gz"));
    assert_rows(&inspect(&data, file, "--quotes"), &rows);
}

/// `msg_index,locate,ts_ns,bid_px_e4,bid_sz,ask_px_e4,ask_sz`; the index counts from 0.
fn bbo_csv(path: &Path) -> Vec<Row> {
    let mut text = String::new();
    let packed = fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let row = |line: &str| {
        let [index, _, ts, sides @ ..]: [u64; 7] =
            line.split(',').map(number).collect::<Vec<_>>().try_into().unwrap();
        [index + 1, ts, sides[0], sides[1], sides[2], sides[3]]
    };
    text.lines().skip(1).map(row).collect()
}
