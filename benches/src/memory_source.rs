//! A day in memory as a source of messages, as far as it has been released.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use freshlane_feed_handlers::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use freshlane_feed_handlers::itch50::BATCH_MAX;
use freshlane_feed_handlers::source::{Batch, MessageSource};

/// How far a source may read: shared with whoever runs it slice by slice.
#[derive(Clone, Debug, Default)]
pub struct Horizon(Arc<AtomicUsize>);

impl Horizon {
    /// Releases the day up to byte `end`.
    pub fn release(&self, end: usize) {
        // Relaxed: the bytes have been there from the start.
        self.0.store(end, Ordering::Relaxed);
    }

    fn end(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Frames a BinaryFILE in memory, as the file source does with its window.
#[derive(Debug)]
pub struct MemorySource<'a> {
    bytes: &'a [u8],
    at: usize,
    horizon: Horizon,
    framing: BinaryFile,
    next_sequence: u64,
}

impl<'a> MemorySource<'a> {
    /// A source of `bytes` of which nothing is released yet.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let (framing, horizon) = (BinaryFile::new(), Horizon::default());
        Self { bytes, at: 0, horizon, framing, next_sequence: 1 }
    }

    /// The means to release more.
    #[must_use]
    pub fn horizon(&self) -> Horizon {
        self.horizon.clone()
    }
}

impl MessageSource for MemorySource<'_> {
    #[inline]
    fn next_batch(&mut self, max: usize, visit: impl FnOnce(&[&[u8]], u64)) -> Batch {
        let window = &self.bytes[self.at..self.horizon.end()];
        let mut messages: [&[u8]; BATCH_MAX] = [&[]; BATCH_MAX];
        let (mut count, mut len_bytes) = (0, 0);
        while count < max.min(BATCH_MAX)
            && let Record::Message(message) = self.framing.next(&window[len_bytes..], false)
        {
            len_bytes += LENGTH_BYTES + message.len();
            messages[count] = message;
            count += 1;
        }
        if count == 0 {
            return if self.at == self.bytes.len() { Batch::End } else { Batch::Nothing };
        }
        visit(&messages[..count], self.next_sequence);
        self.next_sequence += count as u64;
        self.at += len_bytes;
        Batch::Messages(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::day::{Day, DaySpec, messages_of};

    #[test]
    fn a_source_gives_what_is_released_and_ends_with_the_day() {
        let day = Day::generate(&DaySpec::of((20, 3_000, 200), 2)).unwrap();
        let mut source = MemorySource::new(day.bytes());
        assert_eq!(source.next_batch(32, |_, _| panic!("nothing is released")), Batch::Nothing);
        let (mut lens, mut sequence) = (Vec::new(), 1);
        for slice in day.slices() {
            source.horizon().release(slice.bytes.end);
            while let Batch::Messages(count) = source.next_batch(32, |messages, first| {
                assert_eq!(first, sequence);
                lens.extend(messages.iter().map(|message| message.len()));
            }) {
                sequence += count as u64;
            }
            assert_eq!(source.at, slice.bytes.end);
        }
        assert_eq!(source.next_batch(32, |_, _| ()), Batch::End);
        assert!(lens.into_iter().eq(messages_of(day.bytes()).map(<[u8]>::len)));
    }
}
