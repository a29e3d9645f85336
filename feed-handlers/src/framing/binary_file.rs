//! NASDAQ BinaryFILE 1.00: a big-endian 16-bit length before each message, a zero length at the
//! end of the session.
//!
//! Some producers write zero for *every* length. Such a file is recognised at its first record:
//! after the zero length stands a known message type, and after that message's length by the table
//! either another zero length or the end of the file. Its messages are then framed by their type.

use crate::itch50::message::{MESSAGE_LEN_MAX, message_len};

/// Bytes of the length before each message.
pub const LENGTH_BYTES: usize = 2;

/// The largest record, bytes: a window of this size always holds a whole one.
pub const RECORD_LEN_MAX: usize = LENGTH_BYTES + u16::MAX as usize;

/// What stands at the start of a window of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record<'a> {
    /// A message; the record took `LENGTH_BYTES` more than its length.
    Message(&'a [u8]),
    /// A zero length: the session ends here.
    EndOfSession,
    /// The window ends inside the record.
    Incomplete,
    /// Without lengths, a message of unknown type has no end: nothing after it can be framed.
    Unframable,
}

/// How the lengths of this file are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Lengths {
    /// Not decided: no record was seen.
    #[default]
    Unknown,
    /// As the format says.
    Stated,
    /// All zero: messages are framed by their type.
    Zero,
}

/// The framer: holds no bytes, only what it learnt of the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct BinaryFile {
    lengths: Lengths,
}

impl BinaryFile {
    /// A framer for a new file.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the file states zero for every length.
    #[must_use]
    pub fn has_zero_lengths(self) -> bool {
        self.lengths == Lengths::Zero
    }

    /// The record at the start of `window`. `is_last` tells that no byte follows the window.
    ///
    /// The caller moves on by the record's length and calls again; a window of
    /// [`RECORD_LEN_MAX`] bytes is never [`Record::Incomplete`].
    #[inline]
    pub fn next<'a>(&mut self, window: &'a [u8], is_last: bool) -> Record<'a> {
        let Some((length, rest)) = window.split_first_chunk::<LENGTH_BYTES>() else {
            return Record::Incomplete;
        };
        let length = usize::from(u16::from_be_bytes(*length));
        if length == 0 {
            return self.at_zero_length(rest, is_last);
        }
        if self.lengths == Lengths::Unknown {
            self.lengths = Lengths::Stated;
        }
        rest.get(..length).map_or(Record::Incomplete, Record::Message)
    }

    #[cold]
    fn at_zero_length<'a>(&mut self, rest: &'a [u8], is_last: bool) -> Record<'a> {
        if self.lengths == Lengths::Unknown {
            if rest.len() < MESSAGE_LEN_MAX + LENGTH_BYTES && !is_last {
                return Record::Incomplete;
            }
            self.lengths = detect_lengths(rest);
        }
        if self.lengths != Lengths::Zero {
            return Record::EndOfSession;
        }
        let Some(&message_type) = rest.first() else {
            return if is_last { Record::EndOfSession } else { Record::Incomplete };
        };
        match message_len(message_type) {
            Some(length) => rest.get(..length).map_or(Record::Incomplete, Record::Message),
            None => Record::Unframable,
        }
    }
}

fn detect_lengths(after_length: &[u8]) -> Lengths {
    let message_end = after_length.first().and_then(|&byte| message_len(byte));
    let next_length = message_end.and_then(|end| after_length.get(end..));
    match next_length {
        Some([] | [0, 0, ..]) => Lengths::Zero,
        _ => Lengths::Stated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Frames all of `bytes`; returns the messages, what ended it, and how many bytes were framed.
    fn frame(bytes: &[u8]) -> (Vec<&[u8]>, Record<'_>, usize) {
        let (mut framer, mut at, mut messages) = (BinaryFile::new(), 0, Vec::new());
        loop {
            match framer.next(&bytes[at..], true) {
                Record::Message(message) => {
                    at += LENGTH_BYTES + message.len();
                    messages.push(message);
                }
                end => return (messages, end, at),
            }
        }
    }

    fn system_event(length: u16) -> Vec<u8> {
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.extend_from_slice(b"S\0\0\0\0\0\0\0\0\0\0O");
        bytes
    }

    #[test]
    fn a_zero_length_ends_the_session() {
        let mut bytes = system_event(12);
        bytes.extend_from_slice(&[0, 0, 1, 2, 3]);
        let (messages, end, framed) = frame(&bytes);
        assert_eq!((messages.len(), end, framed), (1, Record::EndOfSession, 14));
    }

    #[test]
    fn a_file_of_zero_lengths_is_framed_by_type() {
        let bytes = [system_event(0), system_event(0)].concat();
        let (messages, end, framed) = frame(&bytes);
        assert_eq!((messages.len(), end, framed), (2, Record::Incomplete, 28));
        assert!(messages.iter().all(|message| message.len() == 12));
    }

    #[test]
    fn a_zero_length_file_stops_where_a_type_is_unknown() {
        let bytes = [system_event(0), vec![0, 0, 0x7e, 1, 2, 3]].concat();
        let (messages, end, framed) = frame(&bytes);
        assert_eq!((messages.len(), end, framed), (1, Record::Unframable, 14));
    }

    #[test]
    fn an_empty_session_is_no_zero_length_file() {
        assert_eq!(frame(&[0, 0]), (vec![], Record::EndOfSession, 0));
        let ended_then_rest = [&[0, 0][..], b"S and some other text that is no message"].concat();
        assert_eq!(frame(&ended_then_rest).1, Record::EndOfSession);
    }

    #[test]
    fn a_zero_length_file_does_not_end_where_a_window_ends_after_a_length() {
        let bytes = [system_event(0), system_event(0), system_event(0)].concat();
        let mut framer = BinaryFile::new();
        assert!(matches!(framer.next(&bytes, true), Record::Message(_)));
        assert_eq!(framer.next(&bytes[14..16], false), Record::Incomplete);
        assert!(matches!(framer.next(&bytes[14..], false), Record::Message(_)));
        assert_eq!(framer.next(&[0, 0], true), Record::EndOfSession);
    }

    #[test]
    fn the_dialect_is_not_guessed_from_half_a_window() {
        let bytes = [system_event(0), system_event(0)].concat();
        let mut framer = BinaryFile::new();
        assert_eq!(framer.next(&bytes[..14], false), Record::Incomplete);
        assert!(matches!(framer.next(&bytes, true), Record::Message(_)));
        assert!(framer.has_zero_lengths());
    }

    #[test]
    fn the_dialect_is_not_guessed_before_the_length_after_the_longest_message() {
        let longest = [&[0, 0, b'I'][..], &[7; MESSAGE_LEN_MAX - 1], &[7, 7]].concat();
        for visible in 0..longest.len() {
            let mut framer = BinaryFile::new();
            assert_eq!(framer.next(&longest[..visible], false), Record::Incomplete, "{visible}");
        }
        assert_eq!(BinaryFile::new().next(&longest, false), Record::EndOfSession);
    }

    proptest! {
        #[test]
        fn any_bytes_are_framed_without_loss(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
            let (messages, end, framed) = frame(&bytes);
            let in_messages: usize = messages.iter().map(|m| m.len() + LENGTH_BYTES).sum();
            prop_assert_eq!(in_messages, framed);
            prop_assert!(framed <= bytes.len());
            prop_assert!(!matches!(end, Record::Message(_)));
        }
    }
}
