//! What ingress and lane share: a pre-faulted `rtrb` ring, read in place in chunks.
//!
//! `rtrb` keeps head and tail in cache-padded words of their own (128 bytes apart on x86-64 and
//! aarch64), and each side caches the other's index, so a side touches the other's line only when
//! its cached view is used up.

use std::iter;

use freshlane_quote::Quote;
use rtrb::chunks::ReadChunk;
use rtrb::{Consumer, Producer, RingBuffer};

/// The largest capacity of a ring, records: 64 Mi records are 4 GiB.
pub const CAPACITY_MAX: usize = 1 << 26;

/// An empty ring for `capacity` records whose every page has been touched, so that no later write
/// meets a page fault.
pub(crate) fn prefaulted(capacity: usize) -> (Producer<Quote>, Consumer<Quote>) {
    let (mut producer, mut consumer) = RingBuffer::new(capacity);
    if let Ok(slots) = producer.write_chunk_uninit(capacity) {
        slots.fill_from_iter(iter::repeat_n(Quote::EMPTY, capacity));
    }
    if let Ok(slots) = consumer.read_chunk(capacity) {
        slots.commit_all();
    }
    (producer, consumer)
}

/// The oldest records of a ring, read where they lie. They leave the ring by [`Chunk::release`];
/// a chunk that is dropped leaves them there.
#[derive(Debug)]
pub struct Chunk<'a>(ReadChunk<'a, Quote>);

impl Chunk<'_> {
    /// The records, oldest first; at least one.
    #[inline]
    #[must_use]
    pub fn records(&self) -> &[Quote] {
        self.0.as_slices().0
    }

    /// Takes the oldest `count` of [`Chunk::records`] out of the ring (all of them where `count` is
    /// more) and gives their slots back to the producer.
    #[inline]
    pub fn release(self, count: usize) {
        let count = count.min(self.records().len());
        self.0.commit(count);
    }
}

/// At most `count_max` of the oldest records, as far as they lie in one piece; `None` where the
/// ring is empty.
///
/// The producer's index is read only when the cached view is used up: a consumer that lags does
/// not pull the producer's cache line over for every chunk.
#[inline]
pub(crate) fn chunk(ring: &mut Consumer<Quote>, count_max: usize) -> Option<Chunk<'_>> {
    let cached = ring.cached_slots();
    let available = if cached == 0 { ring.slots() } else { cached };
    if available == 0 {
        return None;
    }
    ring.read_chunk(available.min(count_max)).ok().map(Chunk)
}
