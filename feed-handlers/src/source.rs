//! Message sources: transport and framing together, as batches of whole messages.

use std::fmt;

use freshlane_quote::Counter;
use std::sync::Arc;

use crate::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use crate::itch50::BATCH_MAX;
use crate::transport::{FileSource, Fill, TransportError};

/// Gives messages in batches.
pub trait MessageSource: Send {
    /// Hands the next batch of at most `max` (and [`BATCH_MAX`]) messages to `visit`, with the wire
    /// sequence of the first one. `visit` is not called when nothing is there.
    fn next_batch(&mut self, max: usize, visit: impl FnOnce(&[&[u8]], u64)) -> Batch;
}

/// What [`MessageSource::next_batch`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batch {
    /// So many messages were visited.
    Messages(usize),
    /// Nothing is there now.
    Nothing,
    /// Nothing will be there any more.
    End,
}

/// How a file ended.
#[derive(Debug)]
pub enum FileEnd {
    /// With its last whole record.
    Complete,
    /// With a zero length, and nothing after it.
    EndOfSession,
    /// With a zero length and so many bytes after it, which belong to no session.
    BytesAfterEnd {
        /// How many.
        bytes: u64,
    },
    /// Inside a record.
    CutRecord {
        /// Offset of the record in the (decompressed) file.
        offset_bytes: u64,
        /// Bytes of it that are there.
        bytes: u64,
    },
    /// At a message of unknown type in a file without lengths: the rest cannot be framed.
    Unframable {
        /// Offset of the message in the (decompressed) file.
        offset_bytes: u64,
        /// Bytes from there on.
        bytes: u64,
    },
    /// With a failure of the transport.
    Failed {
        /// What failed.
        error: TransportError,
        /// Bytes that had been read and are part of no framed record.
        bytes: u64,
    },
}

impl FileEnd {
    /// Whether the file is whole.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        matches!(self, Self::Complete | Self::EndOfSession)
    }

    /// Bytes that are part of no framed record.
    #[must_use]
    pub fn unframed_bytes(&self) -> u64 {
        match self {
            Self::Complete => 0,
            Self::EndOfSession => LENGTH_BYTES as u64,
            Self::BytesAfterEnd { bytes } => LENGTH_BYTES as u64 + bytes,
            Self::CutRecord { bytes, .. }
            | Self::Unframable { bytes, .. }
            | Self::Failed { bytes, .. } => *bytes,
        }
    }
}

impl fmt::Display for FileEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => f.write_str("the file ended with a whole record"),
            Self::EndOfSession => f.write_str("the file ended with its end-of-session record"),
            Self::BytesAfterEnd { bytes } => {
                write!(f, "{bytes} bytes follow the end-of-session record; they were not read")
            }
            Self::CutRecord { offset_bytes, bytes } => write!(
                f,
                "the file is cut: its last record, at byte {offset_bytes}, has only {bytes} bytes"
            ),
            Self::Unframable { offset_bytes, bytes } => write!(
                f,
                "a message of unknown type at byte {offset_bytes} has no stated length; the last \
                 {bytes} bytes cannot be framed"
            ),
            Self::Failed { error, .. } => error.fmt(f),
        }
    }
}

/// Messages of a BinaryFILE capture, numbered from 1.
#[derive(Debug)]
pub struct BinaryFileSource {
    file: FileSource,
    framing: BinaryFile,
    next_sequence: u64,
    offset_bytes: u64,
    is_last_window: bool,
    failure: Option<TransportError>,
    end: Option<FileEnd>,
}

impl BinaryFileSource {
    /// A source over an opened file.
    #[must_use]
    pub fn new(file: FileSource) -> Self {
        Self {
            file,
            framing: BinaryFile::new(),
            next_sequence: 1,
            offset_bytes: 0,
            is_last_window: false,
            failure: None,
            end: None,
        }
    }

    /// How the file ended; `None` before it did.
    #[must_use]
    pub fn end(&self) -> Option<&FileEnd> {
        self.end.as_ref()
    }

    /// Bytes of the framed records so far, lengths included.
    #[must_use]
    pub fn framed_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// Whether the file states zero for every length.
    #[must_use]
    pub fn has_zero_lengths(&self) -> bool {
        self.framing.has_zero_lengths()
    }

    /// The file's counter of bytes read, for progress.
    #[must_use]
    pub fn read_bytes(&self) -> Arc<Counter> {
        self.file.read_bytes()
    }

    /// Size of the file on disk, bytes.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.file.file_bytes()
    }

    /// Reads on after an incomplete record; at the end of the file, says how it ended.
    #[cold]
    fn fill(&mut self) {
        if self.is_last_window {
            return self.finish_at_cut();
        }
        match self.file.fill() {
            Ok(Fill::More) => {}
            Ok(Fill::End) => self.is_last_window = true,
            Err(error) => {
                self.is_last_window = true;
                self.failure = Some(error);
            }
        }
    }

    fn finish_at_cut(&mut self) {
        let bytes = self.file.window().len() as u64;
        self.end = Some(match (self.failure.take(), bytes) {
            (Some(error), bytes) => FileEnd::Failed { error, bytes },
            (None, 0) => FileEnd::Complete,
            (None, bytes) => FileEnd::CutRecord { offset_bytes: self.offset_bytes, bytes },
        });
    }

    /// Reads the file to its end and counts what is left in it. Keeps what fails meanwhile.
    fn drain(&mut self) -> u64 {
        let mut bytes = 0;
        loop {
            let len = self.file.window().len();
            bytes += len as u64;
            self.file.consume(len);
            match self.file.fill() {
                Ok(Fill::More) => {}
                Ok(Fill::End) => return bytes,
                Err(error) => {
                    self.failure.get_or_insert(error);
                    return bytes;
                }
            }
        }
    }

    #[cold]
    fn finish_at_end_of_session(&mut self) {
        let unframed = self.drain();
        self.end = Some(match (self.failure.take(), unframed - LENGTH_BYTES as u64) {
            (Some(error), _) => FileEnd::Failed { error, bytes: unframed },
            (None, 0) => FileEnd::EndOfSession,
            (None, bytes) => FileEnd::BytesAfterEnd { bytes },
        });
    }

    #[cold]
    fn finish_unframable(&mut self) {
        let offset_bytes = self.offset_bytes;
        self.end = Some(FileEnd::Unframable { offset_bytes, bytes: self.drain() });
    }
}

impl MessageSource for BinaryFileSource {
    #[inline]
    fn next_batch(&mut self, max: usize, visit: impl FnOnce(&[&[u8]], u64)) -> Batch {
        while self.end.is_none() {
            let window = self.file.window();
            let mut messages: [&[u8]; BATCH_MAX] = [&[]; BATCH_MAX];
            let (mut count, mut len_bytes) = (0, 0);
            let mut stopped_at = Record::Incomplete;
            while count < max.min(BATCH_MAX) {
                match self.framing.next(&window[len_bytes..], self.is_last_window) {
                    Record::Message(message) => {
                        len_bytes += LENGTH_BYTES + message.len();
                        messages[count] = message;
                        count += 1;
                    }
                    other => {
                        stopped_at = other;
                        break;
                    }
                }
            }
            if count > 0 {
                visit(&messages[..count], self.next_sequence);
                self.next_sequence += count as u64;
                self.offset_bytes += len_bytes as u64;
                self.file.consume(len_bytes);
                return Batch::Messages(count);
            }
            match stopped_at {
                Record::EndOfSession => self.finish_at_end_of_session(),
                Record::Unframable => self.finish_unframable(),
                Record::Incomplete | Record::Message(_) => self.fill(),
            }
        }
        Batch::End
    }
}
