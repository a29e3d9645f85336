//! The day as a file: framing, and the same bytes for the same seed.

use std::io::{self, Write};

use crate::synthetic::encode::LENGTHS;
use crate::synthetic::{ItchMarketSpec, SpecError, WriteFileError, write_binary_file};

fn spec(seed: u64) -> ItchMarketSpec {
    ItchMarketSpec { symbols: 300, messages: 60_000, seed, live_orders: None }
}

fn file(seed: u64) -> Vec<u8> {
    let mut out = Vec::new();
    write_binary_file(&spec(seed), &mut out, |_| ()).unwrap();
    out
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[test]
fn a_seed_gives_these_bytes_on_every_machine() {
    let bytes = file(7);
    // A change here is a change of every file that a seed stands for: say so in the changelog.
    assert_eq!((bytes.len(), hash(&bytes)), (1_833_201, 746_297_414_924_751_817));
    assert_eq!(bytes, file(7));
}

#[test]
fn another_seed_gives_another_day() {
    assert_ne!(hash(&file(7)), hash(&file(8)));
}

#[test]
fn each_record_has_its_length_in_front_and_none_is_empty() {
    let bytes = file(7);
    let (mut rest, mut records, mut last) = (&bytes[..], 0, &[][..]);
    while let Some((length, after)) = rest.split_first_chunk() {
        let (record, next) = after.split_at(usize::from(u16::from_be_bytes(*length)));
        assert!(LENGTHS.contains(&(record[0], record.len())));
        (rest, records, last) = (next, records + 1, record);
    }
    assert!(rest.is_empty());
    assert_eq!((records, last[0], last[11]), (60_000, b'S', b'C'));
}

#[test]
fn progress_ends_with_all_messages_and_the_bytes_are_counted() {
    let mut reports = Vec::new();
    let mut out = Vec::new();
    let bytes = write_binary_file(&spec(7), &mut out, |done| reports.push(done)).unwrap();
    assert_eq!(bytes, out.len() as u64);
    assert!(reports.is_sorted() && reports.len() > 4);
    assert_eq!(reports.last(), Some(&60_000));
}

#[test]
fn a_refusing_disk_is_an_error() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = write_binary_file(&spec(7), &mut Full, |_| ()).err();
    assert!(matches!(error, Some(WriteFileError::Io(_))), "{error:?}");
    let none = ItchMarketSpec { symbols: 0, ..spec(7) };
    let error = write_binary_file(&none, &mut Full, |_| ()).err();
    let expected = SpecError::Symbols { symbols: 0 };
    assert!(matches!(error, Some(WriteFileError::Spec(error)) if error == expected));
}
