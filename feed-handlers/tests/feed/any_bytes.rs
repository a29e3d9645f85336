//! Any file at all: no panic, and every byte accounted for.

use std::io::Write;

use freshlane_feed_handlers::itch50::{BATCH_MAX, ReceiveTime};
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_feed_handlers::source::{Batch, BinaryFileSource, FileEnd, MessageSource};
use freshlane_quote::Quote;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::rig::{TempFile, binary_file, handler};
use crate::step::stream;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    Raw,
    Gzip,
    Zstd,
}

impl Packing {
    fn pack(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Raw => bytes.to_vec(),
            Self::Zstd => zstd::encode_all(bytes, 1).unwrap(),
            Self::Gzip => {
                let level = flate2::Compression::fast();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
        }
    }
}

fn packing() -> impl Strategy<Value = Packing> {
    proptest::sample::select(&[Packing::Raw, Packing::Gzip, Packing::Zstd][..])
}

/// Captures, captures with an end and more, captures with wrong bytes, and no captures.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let tail = prop_oneof![Just(vec![]), Just(vec![0, 0]), vec(any::<u8>(), 0..80)];
    let damage = vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let damaged = (stream(1..120), any::<bool>(), tail, damage).prop_map(
        |(messages, states_lengths, tail, damage)| {
            let mut bytes = [binary_file(&messages, states_lengths), tail].concat();
            for (index, byte) in damage {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            bytes
        },
    );
    prop_oneof![4 => damaged, 1 => vec(any::<u8>(), 1..3_000)]
}

/// Reads a file through source and handler and checks that each says the same of it.
fn read(file: &TempFile, batch_max: usize) -> BinaryFileSource {
    let (mut source, mut handler) = (file.source(), handler(true));
    let mut records: Vec<Quote> = Vec::new();
    let (mut messages, mut bytes) = (0, 0);
    loop {
        let batch = source.next_batch(batch_max, |batch, first_sequence| {
            assert_eq!(first_sequence, messages + 1);
            handler.on_batch(batch, first_sequence, ReceiveTime::EventTime);
            messages += batch.len() as u64;
            bytes += batch.iter().map(|message| message.len() as u64 + 2).sum::<u64>();
        });
        match batch {
            Batch::End => break,
            Batch::Nothing => panic!("a file is never empty for now"),
            Batch::Messages(count) => assert!((1..=batch_max).contains(&count)),
        }
        records.extend_from_slice(handler.records());
    }
    let ledger = handler.ledger();
    assert_eq!((ledger.received.get(), ledger.imbalance()), (messages, 0));
    assert_eq!(ledger.bytes.get() + 2 * messages, bytes);
    assert_eq!(source.framed_bytes(), bytes);
    let quoted = ledger.outcome(Outcome::Quoted);
    assert_eq!(records.len() as u64, quoted + ledger.events.get());
    assert_eq!(source.next_batch(batch_max, |_, _| panic!("nothing after the end")), Batch::End);
    source
}

fn end(source: &BinaryFileSource) -> &FileEnd {
    source.end().unwrap()
}

fn accounted_bytes(source: &BinaryFileSource) -> u64 {
    source.framed_bytes() + end(source).unframed_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_byte_of_any_file_is_framed_or_counted_as_unframed(
        bytes in file(),
        packing in packing(),
        batch_max in 1..=BATCH_MAX,
    ) {
        let source = read(&TempFile::new(&packing.pack(&bytes)), batch_max);
        // Raw bytes may by chance look like a compressed file, which then fails.
        if packing != Packing::Raw || !matches!(end(&source), FileEnd::Failed { .. }) {
            prop_assert_eq!(accounted_bytes(&source), bytes.len() as u64, "{:?}", end(&source));
        }
    }

    #[test]
    fn a_cut_anywhere_is_told_and_what_was_whole_is_read(
        messages in stream(1..60),
        packing in packing(),
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = binary_file(&messages, true);
        let packed = packing.pack(&bytes);
        let cut = 1 + cut.index(packed.len());
        let source = read(&TempFile::new(&packed[..cut]), BATCH_MAX);
        let accounted = accounted_bytes(&source);
        prop_assert!(accounted <= bytes.len() as u64);
        if packing == Packing::Raw {
            prop_assert_eq!(accounted, cut as u64);
        }
        if cut == packed.len() {
            prop_assert!(end(&source).is_clean());
            prop_assert_eq!(accounted, bytes.len() as u64);
        } else if packing != Packing::Raw && cut > 8 {
            prop_assert!(matches!(end(&source), FileEnd::Failed { .. }), "{:?}", end(&source));
        }
    }
}
