//! The ring between one feed handler and the bus.

use std::sync::Arc;

use freshlane_quote::Quote;
use rtrb::{Consumer, Producer};

use crate::close::CloseFlag;
use crate::ring::{self, CAPACITY_MAX, Chunk};

/// A ring for `capacity` records (clamped to 1..=[`CAPACITY_MAX`]) from a feed handler to the bus,
/// pre-faulted.
#[must_use]
pub fn ingress(capacity: usize) -> (IngressProducer, IngressConsumer) {
    let (producer, consumer) = ring::prefaulted(capacity.clamp(1, CAPACITY_MAX));
    let end = Arc::new(CloseFlag::new());
    (
        IngressProducer { ring: producer, end: Arc::clone(&end) },
        IngressConsumer { ring: consumer, end },
    )
}

/// The feed handler's end. Dropping it closes the ring.
#[derive(Debug)]
pub struct IngressProducer {
    ring: Producer<Quote>,
    end: Arc<CloseFlag>,
}

impl IngressProducer {
    /// Appends what fits of `records`, in order, and returns how many that were.
    #[inline]
    pub fn push_batch(&mut self, records: &[Quote]) -> usize {
        self.ring.push_partial_slice(records).0.len()
    }

    /// How many records fit now. It only grows until the next push.
    #[must_use]
    pub fn free(&self) -> usize {
        self.ring.slots()
    }

    /// How many records the ring holds at most.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.buffer().capacity()
    }

    /// Whether the bus is gone, so that nothing will ever be taken out again.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        self.ring.is_abandoned()
    }

    /// Says that no record will follow.
    pub fn close(self) {
        drop(self);
    }
}

impl Drop for IngressProducer {
    fn drop(&mut self) {
        self.end.close();
    }
}

/// The bus's end.
#[derive(Debug)]
pub struct IngressConsumer {
    ring: Consumer<Quote>,
    end: Arc<CloseFlag>,
}

impl IngressConsumer {
    /// At most `count_max` of the oldest records, in place; `None` where there is none.
    #[inline]
    pub fn chunk(&mut self, count_max: usize) -> Option<Chunk<'_>> {
        ring::chunk(&mut self.ring, count_max)
    }

    /// The oldest record, left where it is.
    #[must_use]
    pub fn peek(&self) -> Option<&Quote> {
        self.ring.peek().ok()
    }

    /// Whether the producer has closed the ring and every record has been taken.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        // In this order: after the flag was seen, an empty ring stays empty.
        self.end.is_closed() && self.ring.is_empty()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    fn numbered(wire_sequence: u64) -> Quote {
        Quote { wire_sequence, ..Quote::EMPTY }
    }

    fn drain(consumer: &mut IngressConsumer, count_max: usize) -> Vec<u64> {
        let mut seen = Vec::new();
        while let Some(chunk) = consumer.chunk(count_max) {
            let count = chunk.records().len();
            assert!((1..=count_max).contains(&count));
            seen.extend(chunk.records().iter().map(|quote| quote.wire_sequence));
            chunk.release(count);
        }
        seen
    }

    #[test]
    fn takes_what_fits_and_says_how_much_that_was() {
        let (mut producer, mut consumer) = ingress(5);
        assert_eq!((producer.capacity(), producer.free()), (5, 5));
        assert!(consumer.chunk(64).is_none(), "touching the pages leaves no record");
        let records: Vec<_> = (1..=7).map(numbered).collect();
        assert_eq!(producer.push_batch(&records), 5);
        assert_eq!(producer.push_batch(&records), 0);
        assert_eq!(drain(&mut consumer, 2), [1, 2, 3, 4, 5]);
        assert_eq!(producer.free(), 5);
    }

    #[test]
    fn order_holds_across_the_wrap() {
        let (mut producer, mut consumer) = ingress(7);
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for first in (0..100).step_by(3) {
            let records: Vec<_> = (first..first + 3).map(numbered).collect();
            assert_eq!(producer.push_batch(&records), 3);
            expected.extend(first..first + 3);
            seen.extend(drain(&mut consumer, 5));
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_chunk_that_is_not_released_stays() {
        let (mut producer, mut consumer) = ingress(4);
        producer.push_batch(&[numbered(1), numbered(2)]);
        assert_eq!(consumer.chunk(4).map(|chunk| chunk.records().len()), Some(2));
        if let Some(chunk) = consumer.chunk(4) {
            chunk.release(1);
        }
        assert_eq!(consumer.peek().map(|quote| quote.wire_sequence), Some(2));
        assert_eq!(drain(&mut consumer, 4), [2]);
    }

    #[test]
    fn closed_is_finished_only_when_drained() {
        let (mut producer, mut consumer) = ingress(4);
        producer.push_batch(&[numbered(1)]);
        assert!(!consumer.is_finished());
        producer.close();
        assert!(!consumer.is_finished(), "one record is left");
        assert_eq!(drain(&mut consumer, 4), [1]);
        assert!(consumer.is_finished());
    }

    #[test]
    fn a_producer_can_tell_that_the_bus_is_gone() {
        let (producer, consumer) = ingress(4);
        assert!(!producer.is_abandoned());
        drop(consumer);
        assert!(producer.is_abandoned());
    }

    #[test]
    fn a_capacity_of_zero_holds_one() {
        let (producer, _consumer) = ingress(0);
        assert_eq!(producer.capacity(), 1);
    }
}
