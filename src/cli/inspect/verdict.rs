//! Whether a capture was whole and what it seems to be, said after all that it gave was printed.

use std::fmt::Write as _;
use std::path::Path;

use freshlane::report::grouped;
use freshlane_feed_handlers::framing::binary_file::LENGTH_BYTES;
use freshlane_feed_handlers::itch50::{DecodeError, Itch50Handler, Message, RefusalSamples};
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_feed_handlers::source::FileEnd;
use freshlane_feed_handlers::transport::{FileSource, TransportError};

use super::capture::Capture;
use crate::cli::exit::Failure;
use crate::cli::row::push_hex;

const READS: &str =
    "inspect reads NASDAQ TotalView-ITCH 5.0 in BinaryFILE framing, raw, gzip or zstd";

/// What became of the messages of a capture.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Decoded {
    /// Messages that were decoded.
    pub(super) decoded: u64,
    /// Messages of an unknown type.
    pub(super) unknown: u64,
    /// Messages too short for their type.
    pub(super) malformed: u64,
    /// Why the first of those could not be decoded.
    pub(super) first_refusal: Option<DecodeError>,
}

impl Decoded {
    /// What became of the messages that `handler` got.
    pub(super) fn of(handler: &Itch50Handler) -> Self {
        let ledger = handler.ledger();
        let unknown = ledger.outcome(Outcome::UnknownType);
        let malformed = ledger.outcome(Outcome::Malformed);
        let first = handler.samples().iter().next();
        Self {
            decoded: ledger.received.get() - unknown - malformed,
            unknown,
            malformed,
            first_refusal: first.and_then(|sample| Message::decode(sample.start()).err()),
        }
    }

    /// Counts one message that could not be decoded.
    pub(super) fn refuse(&mut self, error: DecodeError) {
        match error {
            DecodeError::UnknownType { .. } => self.unknown += 1,
            DecodeError::TooShort { .. } | DecodeError::Empty => self.malformed += 1,
        }
        self.first_refusal.get_or_insert(error);
    }

    const fn refused(&self) -> u64 {
        self.unknown + self.malformed
    }
}

/// Warns of messages that could not be decoded, and shows the first of them.
pub(super) fn warn_of_refused(decoded: &Decoded, samples: Option<&RefusalSamples>) {
    if decoded.refused() == 0 {
        return;
    }
    let mut text = format!(
        "{} of {} messages could not be decoded: {} of an unknown type, {} too short",
        grouped(decoded.refused()),
        grouped(decoded.refused() + decoded.decoded),
        grouped(decoded.unknown),
        grouped(decoded.malformed),
    );
    for sample in samples.into_iter().flat_map(RefusalSamples::iter) {
        let error = Message::decode(sample.start()).err();
        let reason = error.map_or_else(String::new, |error| error.to_string());
        let mut hex = Vec::new();
        push_hex(&mut hex, sample.start());
        let hex = String::from_utf8_lossy(&hex);
        let more = if sample.start().len() < sample.len_bytes { "..." } else { "" };
        // Writing to a string does not fail.
        let _ = write!(text, "\n  message {}: {reason}: {hex}{more}", sample.wire_sequence);
    }
    tracing::warn!("{text}");
}

/// A failure where the capture is not whole or holds no message at all.
pub(super) fn verdict(capture: &Capture, decoded: &Decoded) -> Result<(), Failure> {
    let Some(end) = capture.source.end() else {
        return Ok(());
    };
    if capture.source.has_zero_lengths() {
        crate::cli::log::note("every length in the file is 0; messages were framed by their type");
    }
    match end {
        FileEnd::Failed { error, .. } => Err(transport_failure(error, decoded)),
        _ if decoded.decoded == 0 => Err(no_message(capture, end, decoded)),
        end if end.is_clean() => Ok(()),
        end => Err(not_whole(capture, end, decoded)),
    }
}

fn transport_failure(error: &TransportError, decoded: &Decoded) -> Failure {
    let read = read_before(decoded.decoded);
    Failure::failed(error).with_help(format!("{read}; get the file again from where it came"))
}

fn not_whole(capture: &Capture, end: &FileEnd, decoded: &Decoded) -> Failure {
    let advice = match end {
        FileEnd::BytesAfterEnd { .. } => format!(
            "; if another session follows, cut the file at byte {}",
            capture.source.framed_bytes() + LENGTH_BYTES as u64
        ),
        FileEnd::Unframable { .. } => String::new(),
        _ => "; get the file again from where it came".to_owned(),
    };
    let read = read_before(decoded.decoded);
    Failure::failed(format!("{}: {end}", capture.shown)).with_help(format!("{read}{advice}"))
}

fn read_before(count: u64) -> String {
    match count {
        0 => "no message before was whole".to_owned(),
        1 => "the message before was read".to_owned(),
        count => format!("the {} messages before were read", grouped(count)),
    }
}

fn no_message(capture: &Capture, end: &FileEnd, decoded: &Decoded) -> Failure {
    let start = first_bytes(&capture.path).unwrap_or_default();
    let reason = match (decoded.first_refusal, end) {
        (Some(error), _) => format!("the first record says: {error}"),
        (None, FileEnd::CutRecord { bytes, .. }) => cut_first_record(&start, *bytes),
        (None, end) => end.to_string(),
    };
    let looks =
        looks_like(&start).map_or_else(String::new, |what| format!("it looks like {what}; "));
    Failure::failed(format!("{} holds no ITCH 5.0 message: {reason}", capture.shown))
        .with_help(format!("{looks}{READS}"))
}

fn cut_first_record(start: &[u8], bytes: u64) -> String {
    match start.first_chunk() {
        Some(length) => {
            let stated = u16::from_be_bytes(*length);
            let there = bytes.saturating_sub(LENGTH_BYTES as u64);
            format!("the first record says that it has {stated} bytes, and {there} follow")
        }
        None => format!("it ends inside the first record, after {bytes} bytes"),
    }
}

/// The first bytes after decompression; nothing for what cannot be read twice.
fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut file = FileSource::open(path).ok()?;
    file.fill().ok()?;
    Some(file.window().iter().take(512).copied().collect())
}

/// What bytes that are no ITCH probably are.
fn looks_like(start: &[u8]) -> Option<&'static str> {
    match start {
        [0xd4, 0xc3, 0xb2, 0xa1, ..]
        | [0xa1, 0xb2, 0xc3, 0xd4, ..]
        | [0x4d, 0x3c, 0xb2, 0xa1, ..]
        | [0xa1, 0xb2, 0x3c, 0x4d, ..] => Some("a pcap capture of packets"),
        [0x0a, 0x0d, 0x0d, 0x0a, ..] => Some("a pcapng capture of packets"),
        [b'D', b'B', b'N', ..] => Some("a DBN file"),
        [b'P', b'K', 3, 4, ..] => Some("a zip archive"),
        [b'8', b'=', b'F', b'I', b'X', ..] => Some("FIX"),
        [b'A'..=b'Z', 0x00..=0x1f, ..] => None,
        start if is_text(start) => Some("text"),
        _ => None,
    }
}

fn is_text(start: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    !start.is_empty() && !start.iter().any(is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_itch_is_guessed() {
        for (start, guess) in [
            (&b"time,price\n1,2\n"[..], Some("text")),
            ("Grüße\n".as_bytes(), Some("text")),
            (b"8=FIX.4.4\x019=5", Some("FIX")),
            (&[0x4d, 0x3c, 0xb2, 0xa1, 2, 0], Some("a pcap capture of packets")),
            (&[0x00, 0x0c, b'S', 0], None),
            (&[], None),
        ] {
            assert_eq!(looks_like(start), guess, "{start:?}");
        }
    }
}
