//! Files that are cut, damaged or longer than a window.

use std::io::Write;

use freshlane_feed_handlers::source::FileEnd;
use freshlane_feed_handlers::transport::TransportError;

use crate::rig::{TempFile, binary_file, messages};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Messages of several types and lengths, each with its number in it.
fn numbered(count: u32) -> Vec<Vec<u8>> {
    let types = [(b'S', 12), (b'D', 19), (b'A', 36), (b'I', 50), (b'Y', 20)];
    let message = |number: u32| {
        let (message_type, len) = types[(number % 5) as usize];
        let mut bytes = vec![0; len];
        bytes[0] = message_type;
        bytes[8..12].copy_from_slice(&number.to_be_bytes());
        bytes
    };
    (0..count).map(message).collect()
}

#[test]
fn a_record_cut_at_any_byte_is_told_with_its_place() {
    let sent = numbered(3);
    let bytes = binary_file(&sent, true);
    let last_start = bytes.len() - sent[2].len() - 2;
    for cut in last_start + 1..bytes.len() {
        let mut source = TempFile::new(&bytes[..cut]).source();
        assert_eq!(messages(&mut source), sent[..2]);
        let (offset, len) = (last_start as u64, (cut - last_start) as u64);
        assert!(
            matches!(source.end(), Some(&FileEnd::CutRecord { offset_bytes, bytes })
                if offset_bytes == offset && bytes == len),
            "{:?}",
            source.end()
        );
    }
}

#[test]
fn an_end_of_session_ends_the_file_and_what_follows_is_counted() {
    let sent = numbered(2);
    for (tail, expected) in [
        (0, "EndOfSession"),
        (1, "BytesAfterEnd { bytes: 1 }"),
        (700_000, "BytesAfterEnd { bytes: 700000 }"),
    ] {
        let bytes = [binary_file(&sent, true), vec![0; 2], vec![7; tail]].concat();
        let mut source = TempFile::new(&bytes).source();
        assert_eq!(messages(&mut source), sent);
        let end = source.end().unwrap();
        assert_eq!(format!("{end:?}"), expected);
        assert_eq!(end.is_clean(), tail == 0);
        assert_eq!(source.framed_bytes() + end.unframed_bytes(), bytes.len() as u64);
    }
}

#[test]
fn a_file_longer_than_a_window_is_read_whole_whether_it_states_lengths_or_not() {
    let sent = numbered(40_000);
    for states_lengths in [true, false] {
        let bytes = binary_file(&sent, states_lengths);
        for (name, packed) in [("raw", bytes.clone()), ("gzip", gzip(&bytes))] {
            let mut source = TempFile::new(&packed).source();
            assert!(messages(&mut source) == sent, "{name}, stated: {states_lengths}");
            assert!(matches!(source.end(), Some(FileEnd::Complete)), "{:?}", source.end());
            assert_eq!(source.has_zero_lengths(), !states_lengths);
        }
    }
}

#[test]
fn the_longest_records_pass_the_window() {
    let sent: Vec<Vec<u8>> = (0..20).map(|i| vec![i; usize::from(u16::MAX)]).collect();
    let mut source = TempFile::new(&binary_file(&sent, true)).source();
    assert!(messages(&mut source) == sent);
    assert!(source.end().unwrap().is_clean());
}

#[test]
fn text_is_no_capture_and_says_where_it_stops() {
    let text = b"This is a text file and no capture of anything.\n";
    let mut source = TempFile::new(text).source();
    assert!(messages(&mut source).is_empty());
    let end = source.end().unwrap();
    assert!(matches!(end, FileEnd::CutRecord { offset_bytes: 0, .. }), "{end:?}");
    assert_eq!(end.unframed_bytes(), text.len() as u64);
}

#[test]
fn a_cut_gzip_gives_what_was_whole_and_is_not_clean() {
    let bytes = binary_file(&numbered(5_000), true);
    let packed = gzip(&bytes);
    let mut source = TempFile::new(&packed[..packed.len() / 2]).source();
    let read = messages(&mut source);
    assert!(!read.is_empty() && numbered(5_000).starts_with(&read));
    let end = source.end().unwrap();
    assert!(
        matches!(end, FileEnd::Failed { error: TransportError::CutCompressed { .. }, .. }),
        "{end:?}"
    );
}

#[test]
fn damage_that_shows_only_after_the_end_of_session_is_told() {
    let bytes = [binary_file(&numbered(100), true), vec![0; 2]].concat();
    let whole = gzip(&bytes);
    let mut wrong_checksum = whole.clone();
    let checksum_at = whole.len() - 8;
    wrong_checksum[checksum_at] ^= 1;
    for packed in [wrong_checksum, whole[..whole.len() - 1].to_vec()] {
        let mut source = TempFile::new(&packed).source();
        assert_eq!(messages(&mut source).len(), 100);
        let end = source.end().unwrap();
        assert!(matches!(end, FileEnd::Failed { bytes: 2, .. }) && !end.is_clean(), "{end:?}");
        assert_eq!(source.framed_bytes() + end.unframed_bytes(), bytes.len() as u64);
    }
}
