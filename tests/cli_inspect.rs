//! `freshlane inspect`, from outside.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod cli_support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use cli_support::{binary_file, command, folder, freshlane, gzip, unhex};
use serde_json::{Value, json};

/// Add 1 of 100 TEST at 10.0001, 09:30:00.
const ADD: &str = "41000100001f1aced9f000000000000000000142000000645445535420202020000186a1";
/// Execute 40 of order 1.
const EXECUTE: &str = "45000100001f1aced9f0000000000000000001000000280000000000000001";
/// Delete order 1.
const DELETE: &str = "44000100001f1aced9f0000000000000000001";
/// A type that is not in the specification, 11 bytes.
const UNKNOWN: &str = "7e000100001f1aced9f000";
/// An add that lacks its last byte.
const SHORT: &str = "41000100001f1aced9f000000000000000000142000000645445535420202020000186";
/// An add whose symbol needs quoting in JSON and in CSV, 5 @ 0.0001 to sell.
const QUOTED: &str = "41000200001f1aced9f001000000000000000253000000054122422c5c20202000000001";

/// 09:30:00 of 2026-01-02 in New York.
const OPEN_NS: &str = "1767364200000000000";

fn capture(name: &str, messages: &[&str]) -> std::path::PathBuf {
    let folder = folder(name);
    let messages: Vec<_> = messages.iter().map(|hex| unhex(hex)).collect();
    fs::write(folder.join("a.itch"), binary_file(&messages)).unwrap();
    folder
}

fn inspect(folder: &Path, more: &[&str]) -> cli_support::Ran {
    freshlane(folder, &[&["inspect", "a.itch", "--date", "2026-01-02"], more].concat())
}

#[test]
fn the_summary_of_a_tiny_capture() {
    let folder = capture("inspect-summary", &[ADD, UNKNOWN, EXECUTE, SHORT, DELETE, DELETE]);
    let ran = inspect(&folder, &["--summary"]).ended_with(0);
    assert_eq!(
        ran.json(),
        json!({
            "file": "a.itch",
            "protocol": "itch50",
            "venue": "NASDAQ",
            "session_date": "2026-01-02",
            "time_zone": "America/New_York",
            "compression": "raw",
            "messages": 6,
            "by_type": {"A": 1, "D": 2, "E": 1, "~": 1},
            "by_outcome": {
                "quoted": 3, "unchanged": 0, "administrative": 0, "test_symbol": 0, "future": 0,
                "ingress_full": 0, "directory_full": 0, "unknown_reference": 1,
                "duplicate_reference": 0, "invalid_order": 0, "malformed": 1, "unknown_type": 1,
            },
            "malformed": 1,
            "unknown": 1,
            "unknown_references": 1,
            "duplicate_references": 0,
            "invalid_orders": 0,
            "refused_replacements": 0,
            "clamped_reductions": 0,
            "bad_timestamps": 0,
            "gaps": 0,
            "first_ts_event": OPEN_NS,
            "last_ts_event": OPEN_NS,
            "quotes": 3,
            "instruments": 1,
            "events": 0,
            "live_orders": 0,
            "bytes": 36 + 11 + 31 + 35 + 19 + 19 + 6 * 2,
            "unframed_bytes": 0,
            "end": "the file ended with a whole record",
            "complete": true,
        })
    );
    ran.said("2 of 6 messages could not be decoded: 1 of an unknown type, 1 too short")
        .said(&format!("message 2: unknown message type 0x7e: {UNKNOWN}"))
        .said(&format!("message 4: message of type 'A' has 35 bytes, needs 36: {SHORT}"));
}

#[test]
fn a_summary_is_the_default_and_fits_on_a_line_if_asked() {
    let folder = capture("inspect-default", &[ADD]);
    let default = inspect(&folder, &[]).ended_with(0);
    let pretty = inspect(&folder, &["--summary"]).ended_with(0);
    let line = inspect(&folder, &["--format", "jsonl"]).ended_with(0);
    assert_eq!(default.text(), pretty.text());
    assert_eq!(line.text().lines().count(), 1);
    assert_eq!(line.json(), pretty.json());
    assert!(pretty.stderr.is_empty(), "{}", pretty.stderr);
}

#[test]
fn the_quotes_of_a_tiny_capture() {
    let folder = capture("inspect-quotes", &[ADD, UNKNOWN, EXECUTE, DELETE, QUOTED]);
    let ran = inspect(&folder, &["--quotes", "--venue", "XNAS"]).ended_with(0);
    let line = |sequence: u32, symbol: &str, sides: &str, last_digit: u32| {
        format!(
            "{{\"ts_event\":\"{0}{last_digit}\",\"ts_recv\":\"{0}{last_digit}\",\
             \"wire_sequence\":\"{sequence}\",\"venue\":\"XNAS\",\"instrument\":\"{symbol}\",\
             {sides},\"flags\":[\"one_sided\"]}}\n",
            &OPEN_NS[..OPEN_NS.len() - 1],
        )
    };
    let expected = [
        line(1, "TEST", r#""bid":"10.0001","ask":null,"bid_size":100,"ask_size":0"#, 0),
        line(3, "TEST", r#""bid":"10.0001","ask":null,"bid_size":60,"ask_size":0"#, 0),
        line(4, "TEST", r#""bid":null,"ask":null,"bid_size":0,"ask_size":0"#, 0),
        line(5, r#"A\"B,\\"#, r#""bid":null,"ask":"0.0001","bid_size":0,"ask_size":5"#, 1),
    ];
    assert_eq!(ran.text(), expected.concat());
    let csv = inspect(&folder, &["--quotes", "--venue", "XNAS", "--format", "csv"]).ended_with(0);
    assert_eq!(
        csv.text(),
        "ts_event,ts_recv,wire_sequence,venue,instrument,bid,ask,bid_size,ask_size,flags\n\
         1767364200000000000,1767364200000000000,1,XNAS,TEST,10.0001,,100,0,one_sided\n\
         1767364200000000000,1767364200000000000,3,XNAS,TEST,10.0001,,60,0,one_sided\n\
         1767364200000000000,1767364200000000000,4,XNAS,TEST,,,0,0,one_sided\n\
         1767364200000000001,1767364200000000001,5,XNAS,\"A\"\"B,\\\",,0.0001,0,5,one_sided\n"
    );
}

#[test]
fn the_messages_of_a_tiny_capture() {
    let folder = capture("inspect-messages", &[ADD, UNKNOWN, EXECUTE, SHORT]);
    let ran = inspect(&folder, &["--messages"]).ended_with(0);
    assert_eq!(
        ran.text(),
        format!(
            "{{\"wire_sequence\":\"1\",\"type\":\"A\",\"name\":\"add_order\",\"stock_locate\":1,\
             \"tracking_number\":0,\"ts_event\":\"{OPEN_NS}\",\"timestamp\":34200000000000,\
             \"order_reference_number\":\"1\",\"buy_sell_indicator\":\"B\",\"shares\":100,\
             \"stock\":\"TEST\",\"price\":\"10.0001\"}}\n\
             {{\"wire_sequence\":\"2\",\"type\":\"~\",\"error\":\"unknown message type 0x7e\",\
             \"hex\":\"{UNKNOWN}\"}}\n\
             {{\"wire_sequence\":\"3\",\"type\":\"E\",\"name\":\"order_executed\",\
             \"stock_locate\":1,\"tracking_number\":0,\"ts_event\":\"{OPEN_NS}\",\
             \"timestamp\":34200000000000,\"order_reference_number\":\"1\",\
             \"executed_shares\":40,\"match_number\":\"1\"}}\n\
             {{\"wire_sequence\":\"4\",\"type\":\"A\",\
             \"error\":\"message of type 'A' has 35 bytes, needs 36\",\"hex\":\"{SHORT}\"}}\n"
        )
    );
    let csv = inspect(&folder, &["--messages", "--format", "csv"]).ended_with(0);
    assert_eq!(
        csv.text(),
        format!(
            "wire_sequence,type,name,stock_locate,tracking_number,ts_event,timestamp,fields,error,\
             hex\n\
             1,A,add_order,1,0,{OPEN_NS},34200000000000,order_reference_number=1 \
             buy_sell_indicator=B shares=100 stock=TEST price=10.0001,,\n\
             2,~,,,,,,,unknown message type 0x7e,{UNKNOWN}\n\
             3,E,order_executed,1,0,{OPEN_NS},34200000000000,order_reference_number=1 \
             executed_shares=40 match_number=1,,\n\
             4,A,,,,,,,\"message of type 'A' has 35 bytes, needs 36\",{SHORT}\n"
        )
    );
    ran.said("2 of 4 messages could not be decoded");
}

#[test]
fn a_stamp_beyond_the_day_gives_no_time_and_a_marked_quote() {
    let beyond = ADD.replace("1f1aced9f000", "ffffffffffff");
    let folder = capture("inspect-stamp", &[&beyond]);
    let message = &inspect(&folder, &["--messages"]).ended_with(0).json_lines()[0];
    assert_eq!(message["ts_event"], Value::Null);
    assert_eq!(message["timestamp"], (1_u64 << 48) - 1);
    let quote = &inspect(&folder, &["--quotes"]).ended_with(0).json_lines()[0];
    assert_eq!(quote["flags"], json!(["one_sided", "bad_timestamp"]));
    let summary = inspect(&folder, &[]).ended_with(0).json();
    assert_eq!((&summary["bad_timestamps"], &summary["first_ts_event"]), (&1.into(), &Value::Null));
}

#[test]
fn a_limit_stops_early_and_does_not_ask_how_the_file_ends() {
    let folder = capture("inspect-limit", &[ADD, UNKNOWN, EXECUTE, DELETE]);
    let mut cut = fs::read(folder.join("a.itch")).unwrap();
    cut.pop();
    fs::write(folder.join("a.itch"), cut).unwrap();
    let lines =
        |more: &[&str], code| inspect(&folder, more).ended_with(code).text().lines().count();
    assert_eq!(lines(&["--quotes", "--limit", "1"], 0), 1);
    assert_eq!(lines(&["--quotes", "--limit", "2"], 0), 2);
    assert_eq!(lines(&["--messages", "--limit", "3"], 0), 3);
    assert_eq!(lines(&["--messages", "--limit", "1", "--format", "csv"], 0), 2);
    assert_eq!(lines(&["--messages", "--limit", "4"], 1), 3);
    assert_eq!(lines(&["--messages", "--limit", "1_000"], 1), 3);
}

#[test]
fn the_session_date_is_told_where_it_was_not_given() {
    let folder = capture("inspect-date", &[ADD]);
    fs::copy(folder.join("a.itch"), folder.join("S010226-v50.itch")).unwrap();
    let named = freshlane(&folder, &["inspect", "S010226-v50.itch"]).ended_with(0);
    assert_eq!(named.stderr, "note: session date 2026-01-02, from the file's name\n");
    assert_eq!(named.json()["first_ts_event"], OPEN_NS);
    let today = freshlane(&folder, &["inspect", "a.itch"]).ended_with(0);
    assert_eq!(today.stderr.lines().count(), 1);
    assert!(today.said("today in the venue's zone").json()["session_date"].is_string());
    let given = freshlane(&folder, &["inspect", "S010226-v50.itch", "--date", "2026-07-02"]);
    // Summer time: an hour less behind UTC.
    assert_eq!(given.json()["first_ts_event"], "1782999000000000000");
    assert!(given.stderr.is_empty(), "{}", given.stderr);
}

#[test]
fn another_zone_moves_the_times() {
    let folder = capture("inspect-zone", &[ADD]);
    let utc = inspect(&folder, &["--time-zone", "UTC"]).ended_with(0).json();
    assert_eq!(utc["first_ts_event"], "1767346200000000000");
}

#[test]
fn wrong_usage_is_told_before_the_file_is_opened() {
    let folder = folder("inspect-usage");
    for (arguments, reason) in [
        (&["--date", "2026-02-30"][..], "write it as YYYY-MM-DD"),
        (&["--date", "1960-01-01"], "1970"),
        (&["--time-zone", "America/Gotham"], "use an IANA name"),
        (&["--venue", "nasdaq"], "A-Z"),
        (&["--limit", "3"], "--limit goes with --messages or --quotes"),
        (&["--summary", "--limit", "3"], "cannot be used with"),
        (&["--quotes", "--limit", "0"], "at least 1"),
        (&["--format", "csv"], "--format csv goes with --messages or --quotes"),
        (&["--format", "xml"], "jsonl, csv"),
        (&["--protocol", "fix"], "itch50"),
        (&["--messages", "--quotes"], "cannot be used with"),
    ] {
        let ran = freshlane(&folder, &[&["inspect", "no.itch"], arguments].concat());
        assert!(ran.ended_with(2).said(reason).stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    let folder = folder("inspect-open");
    fs::write(folder.join("empty.itch"), "").unwrap();
    for (file, reason) in [
        ("no.itch", "cannot open no.itch"),
        (".", ". is a directory; name a capture file in it"),
        ("empty.itch", "empty.itch is empty"),
    ] {
        let ran = freshlane(&folder, &["inspect", file]).ended_with(1).said(reason);
        assert_eq!((ran.stdout.len(), ran.stderr.lines().count()), (0, 1), "{}", ran.stderr);
    }
}

#[test]
fn a_text_file_is_no_capture() {
    let folder = folder("inspect-text");
    fs::write(folder.join("short.txt"), "Hello, world\n").unwrap();
    fs::write(folder.join("long.txt"), "time,symbol,bid,ask\n".repeat(10_000)).unwrap();
    freshlane(&folder, &["inspect", "short.txt", "--quotes"])
        .ended_with(1)
        .said(
            "short.txt holds no ITCH 5.0 message: the first record says that it has 18533 bytes, \
               and 11 follow",
        )
        .said("it looks like text");
    let long = freshlane(&folder, &["inspect", "long.txt"])
        .ended_with(1)
        .said(
            "long.txt holds no ITCH 5.0 message: the first record says: unknown message type 0x6d",
        )
        .said("message 1: unknown message type 0x6d: 6d652c73796d626f6c");
    let summary = long.json();
    assert_eq!(summary["messages"], summary["unknown"]);
    assert_eq!(
        summary["bytes"].as_u64().unwrap() + summary["unframed_bytes"].as_u64().unwrap(),
        200_000
    );
}

#[test]
fn a_session_without_messages_is_no_capture() {
    let folder = folder("inspect-empty-session");
    fs::write(folder.join("a.itch"), [0, 0]).unwrap();
    let ran = inspect(&folder, &[]).ended_with(1).said("holds no ITCH 5.0 message");
    assert_eq!((&ran.json()["messages"], &ran.json()["unframed_bytes"]), (&0.into(), &2.into()));
}

#[test]
fn a_cut_record_costs_itself_only() {
    let folder = capture("inspect-cut", &[ADD, DELETE]);
    let whole = fs::read(folder.join("a.itch")).unwrap();
    for cut in 39..whole.len() {
        fs::write(folder.join("a.itch"), &whole[..cut]).unwrap();
        let ran = inspect(&folder, &[]).ended_with(1);
        let summary = ran.json();
        assert_eq!(
            [&summary["messages"], &summary["bytes"], &summary["unframed_bytes"]],
            [1, 38, cut - 38]
        );
        assert_eq!(summary["complete"], false);
        ran.said("a.itch: the file is cut: its last record, at byte 38, has only")
            .said("help: the message before was read");
    }
}

#[test]
fn bytes_after_the_end_are_told_and_not_read() {
    let folder = capture("inspect-after", &[ADD, DELETE]);
    let mut bytes = fs::read(folder.join("a.itch")).unwrap();
    bytes.extend_from_slice(&[0, 0]);
    fs::write(folder.join("a.itch"), &bytes).unwrap();
    assert_eq!(inspect(&folder, &[]).ended_with(0).json()["complete"], true);
    bytes.extend_from_slice(b"more");
    fs::write(folder.join("a.itch"), &bytes).unwrap();
    let ran = inspect(&folder, &["--messages"]).ended_with(1);
    assert_eq!(ran.text().lines().count(), 2);
    ran.said("4 bytes follow the end-of-session record").said("help: the 2 messages before were read; if another session follows, cut the file at byte 61");
}

#[test]
fn a_cut_gzip_gives_what_was_whole() {
    let folder = folder("inspect-gzip");
    let generated = ["gen", "itch", "--symbols", "5", "--messages", "20000", "--out", "b.itch"];
    freshlane(&folder, &generated).ended_with(0);
    let raw = fs::read(folder.join("b.itch")).unwrap();
    let packed = gzip(&raw);
    fs::write(folder.join("a.itch"), &packed).unwrap();
    let whole = inspect(&folder, &["--messages"]).ended_with(0);
    fs::write(folder.join("a.itch"), &packed[..packed.len() / 2]).unwrap();
    let cut = inspect(&folder, &["--messages"]).ended_with(1).said("its gzip data ends early");
    assert!(!cut.text().is_empty() && whole.text().starts_with(cut.text()));
    let summary = inspect(&folder, &[]).ended_with(1).json();
    assert_eq!(summary["compression"], "gzip");
    assert_eq!(summary["messages"], cut.text().lines().count());
}

#[test]
fn a_capture_may_come_through_a_pipe() {
    let folder = capture("inspect-stdin", &[ADD, DELETE]);
    let file = fs::File::open(folder.join("a.itch")).unwrap();
    let arguments = ["inspect", "-", "--date", "2026-01-02", "--quotes"];
    let output = command(&folder, &arguments).stdin(file).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, inspect(&folder, &["--quotes"]).stdout);
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let folder = folder("inspect-pipe");
    let generated = ["gen", "itch", "--symbols", "5", "--messages", "50000", "--out", "a.itch"];
    freshlane(&folder, &generated).ended_with(0);
    for view in ["--messages", "--quotes"] {
        let arguments = ["inspect", "a.itch", "--date", "2026-01-02", view];
        let mut child = command(&folder, &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("{\"") && line.ends_with("}\n"), "{line}");
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr), (Some(0), vec![]), "{view}");
    }
}

#[test]
fn the_views_agree_on_a_generated_day() {
    let folder = folder("inspect-views");
    let generated = ["gen", "itch", "--symbols", "20", "--messages", "30000", "--out", "a.itch"];
    freshlane(&folder, &generated).ended_with(0);
    let summary = inspect(&folder, &[]).ended_with(0).json();
    let quotes = inspect(&folder, &["--quotes"]).ended_with(0).json_lines();
    let messages = inspect(&folder, &["--messages"]).ended_with(0).json_lines();
    assert_eq!((messages.len(), &summary["messages"]), (30_000, &30_000.into()));
    assert_eq!(summary["quotes"], quotes.len());
    for counts in ["by_type", "by_outcome"] {
        let sum: u64 =
            summary[counts].as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(sum, 30_000, "{counts}");
    }
    for quote in &quotes {
        let sequence: usize = quote["wire_sequence"].as_str().unwrap().parse().unwrap();
        let message = &messages[sequence - 1];
        assert_eq!(message["wire_sequence"], quote["wire_sequence"]);
        assert_eq!(message["ts_event"], quote["ts_event"]);
    }
}
