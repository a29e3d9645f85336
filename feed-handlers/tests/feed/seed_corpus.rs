//! Seeds for the fuzz targets that read ITCH: `scripts/fuzz` runs this with a folder in
//! `FRESHLANE_SEED_CORPUS`; without one, the seeds are made and checked only.

use std::io::Write;
use std::path::Path;

use freshlane_feed_handlers::source::FileEnd;
use freshlane_feed_handlers::synthetic::{ItchMarketSpec, write_binary_file};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use crate::rig::{TempFile, binary_file, messages};
use crate::step::stream;

/// A small day of a synthetic market.
fn market(seed: u64) -> Vec<u8> {
    let spec = ItchMarketSpec { symbols: 2, messages: 60, seed, live_orders: Some(8) };
    let mut bytes = Vec::new();
    write_binary_file(&spec, &mut bytes, |_| {}).unwrap();
    bytes
}

/// Messages that meet at few orders, valid and not; the same on each call.
fn random_messages() -> Vec<Vec<u8>> {
    stream(60..61).new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::best();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Captures by name: BinaryFILEs that are whole.
fn captures() -> Vec<(&'static str, Vec<u8>)> {
    let random = random_messages();
    let market_messages = messages(&mut TempFile::new(&market(1)).source());
    vec![
        ("market-1", market(1)),
        ("market-2", market(2)),
        ("random", binary_file(&random, true)),
        ("zero-lengths", binary_file(&market_messages, false)),
        ("end-of-session", [market(3), vec![0, 0]].concat()),
    ]
}

fn write(folder: &Path, target: &str, name: &str, bytes: &[u8]) {
    let folder = folder.join(target);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), bytes).unwrap();
}

/// What each target starts from. `itch_handler` takes its batch sizes from the first byte.
fn write_all(folder: &Path) {
    let of_market = messages(&mut TempFile::new(&market(1)).source());
    for (number, message) in of_market.iter().chain(&random_messages()).enumerate() {
        write(folder, "itch_message", &number.to_string(), message);
    }
    for (name, bytes) in captures() {
        write(folder, "binary_file", name, &bytes);
        write(folder, "itch_handler", name, &[&[7], &bytes[..]].concat());
        write(folder, "file_source", name, &bytes);
        write(folder, "file_source", &format!("{name}.gz"), &gzip(&bytes));
        write(
            folder,
            "file_source",
            &format!("{name}.zst"),
            &zstd::encode_all(&bytes[..], 19).unwrap(),
        );
    }
}

#[test]
fn the_seeds_of_the_fuzz_targets_are_whole_captures() {
    for (name, bytes) in captures() {
        let mut source = TempFile::new(&bytes).source();
        assert!(messages(&mut source).len() >= 60, "{name}");
        let end = source.end().unwrap();
        assert!(matches!(end, FileEnd::Complete | FileEnd::EndOfSession), "{name}: {end:?}");
    }
    if let Some(folder) = std::env::var_os("FRESHLANE_SEED_CORPUS") {
        write_all(Path::new(&folder));
    }
}
