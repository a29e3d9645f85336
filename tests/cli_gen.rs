//! `freshlane gen`, from outside.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod cli_support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use cli_support::{command, folder, freshlane, names_in};

const SMALL: [&str; 6] = ["gen", "itch", "--symbols", "5", "--messages", "5_000"];

fn small<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], more].concat()
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let folder = folder("gen-seed");
    for (seed, out) in [("7", "a.itch"), ("7", "b.itch"), ("8", "c.itch")] {
        freshlane(&folder, &small(&["--seed", seed, "--out", out])).ended_with(0);
    }
    let read = |name| fs::read(folder.join(name)).unwrap();
    assert!(read("a.itch") == read("b.itch"));
    assert!(read("a.itch") != read("c.itch"));
    assert_eq!(names_in(&folder), ["a.itch", "b.itch", "c.itch"]);
}

#[test]
fn the_closing_line_tells_how_to_go_on_and_leaves_stdout_alone() {
    let folder = folder("gen-closing");
    let ran = freshlane(&folder, &small(&["--out", "a.itch"])).ended_with(0);
    assert!(ran.stdout.is_empty());
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    let bytes = fs::metadata(folder.join("a.itch")).unwrap().len();
    let shown = format!("{},{:03} bytes", bytes / 1000, bytes % 1000);
    let ran = ran.said("a.itch holds 5,000 messages").said(&shown);
    let (_, advice) = ran.stderr.trim_end().rsplit_once("freshlane ").unwrap();
    let looked = freshlane(&folder, &advice.split(' ').collect::<Vec<_>>()).ended_with(0);
    assert_eq!(looked.json()["messages"], 5_000);
}

#[test]
fn a_suffix_compresses_the_same_bytes() {
    let folder = folder("gen-suffix");
    for name in ["a.itch", "a.itch.gz", "a.itch.ZST"] {
        freshlane(&folder, &small(&["--out", name])).ended_with(0);
    }
    let raw = fs::read(folder.join("a.itch")).unwrap();
    let gzip = fs::read(folder.join("a.itch.gz")).unwrap();
    let zstd = fs::read(folder.join("a.itch.ZST")).unwrap();
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == raw && gzip.len() < raw.len());
    assert!(zstd::decode_all(&zstd[..]).unwrap() == raw && zstd.len() < raw.len());
}

#[test]
fn a_dash_writes_to_standard_output() {
    let folder = folder("gen-stdout");
    let piped = freshlane(&folder, &small(&["--out", "-"])).ended_with(0);
    freshlane(&folder, &small(&["--out", "a.itch"])).ended_with(0);
    assert!(piped.stdout == fs::read(folder.join("a.itch")).unwrap());
    assert_eq!(names_in(&folder), ["a.itch"]);
}

#[test]
fn numbers_that_make_no_market_are_wrong_usage_and_leave_no_file() {
    let folder = folder("gen-wrong");
    for (arguments, reason) in [
        (&["--symbols", "5", "--messages", "15"][..], "5 symbols: a day has at least 16"),
        (&["--symbols", "0"], "a market has 1 to 20000 symbols"),
        (&["--symbols", "20001"], "a market has 1 to 20000 symbols; 20001 is out of range"),
        (&["--symbols", "70000"], "a market has 1 to 20000 symbols; 70000 is out of range"),
        (&["--messages", "100000", "--live-orders", "90000"], "at most 41997"),
        (&["--live-orders", "5000000000"], "5000000000 is out of range"),
        (&["--messages", "1e6"], "1_000_000"),
        (&["--seed", "-1"], "write a whole number"),
        (&["--mesages", "5"], "--messages"),
    ] {
        let all = [&["gen", "itch", "--out", "a.itch"], arguments].concat();
        freshlane(&folder, &all).ended_with(2).said(reason);
        assert_eq!(names_in(&folder), [""; 0], "{arguments:?}");
    }
}

#[test]
fn a_wrong_market_leaves_the_file_of_before() {
    let folder = folder("gen-before");
    fs::write(folder.join("a.itch"), "before").unwrap();
    freshlane(&folder, &small(&["--live-orders", "4_000", "--out", "a.itch"])).ended_with(2);
    assert_eq!(fs::read(folder.join("a.itch")).unwrap(), b"before");
    assert_eq!(names_in(&folder), ["a.itch"]);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = folder("gen-place");
    freshlane(&folder, &small(&["--out", "."])).ended_with(2).said(". is a directory");
    freshlane(&folder, &small(&["--out", "no/a.itch"]))
        .ended_with(1)
        .said("cannot write no/a.itch");
    freshlane(&folder, &SMALL).ended_with(2).said("--out <FILE>");
    assert_eq!(names_in(&folder), [""; 0]);
}

#[test]
fn a_full_device_is_a_failure() {
    let ran = freshlane(&folder("gen-full"), &small(&["--out", "/dev/full"])).ended_with(1);
    assert_eq!(ran.said("cannot write /dev/full").stdout, b"");
    assert!(fs::metadata("/dev/full").is_ok_and(|metadata| !metadata.is_file()));
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let arguments = ["gen", "itch", "--symbols", "5", "--messages", "1000000", "--out", "-"];
    let mut child = command(&folder("gen-pipe"), &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = [0; 3];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(start, [0, 12, b'S']);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr), (Some(0), vec![]));
}

#[test]
fn an_interrupted_run_clears_its_half_file_away() {
    let folder = folder("gen-interrupted");
    let arguments = ["gen", "itch", "--messages", "4000000000", "--out", "a.itch"];
    let mut child = command(&folder, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    let partial = folder.join("a.itch.partial");
    // The signal handler stands before the first byte is written.
    while fs::metadata(&partial).map_or(0, |metadata| metadata.len()) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote anything");
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(kill.success());
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "error: interrupted\n");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names_in(&folder), [""; 0]);
}
