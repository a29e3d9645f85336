//! Bare `rtrb` rings, one a lane.

use freshlane_quote::Quote;
use rtrb::{Consumer, Producer, RingBuffer};

use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

/// Each quote pushed to every lane before the next, and popped from each lane in turn.
pub(crate) fn one_by_one(lanes: usize) -> Transport<OneByOne, Pop> {
    popping("`rtrb` push and pop", lanes, 1)
}

/// The same, but up to 64 quotes popped from a lane before the next is looked at.
pub(crate) fn popped_in_runs(lanes: usize) -> Transport<OneByOne, Pop> {
    popping("`rtrb` push, pops in runs of 64", lanes, POLL_MAX)
}

fn popping(name: &'static str, lanes: usize, run_max: usize) -> Transport<OneByOne, Pop> {
    let (producers, consumers) = (0..lanes).map(|_| RingBuffer::new(SLOTS)).unzip();
    Transport { name, lanes, sender: OneByOne(producers), poller: Pop { consumers, run_max } }
}

/// Each batch written to one lane and then to the next, and read in chunks.
pub(crate) fn in_batches(lanes: usize) -> Transport<InBatches, Chunks> {
    let (producers, consumers) = (0..lanes).map(|_| RingBuffer::new(SLOTS)).unzip();
    Transport {
        name: "`rtrb` in batches of 32",
        lanes,
        sender: InBatches(producers),
        poller: Chunks(consumers),
    }
}

pub(crate) struct OneByOne(Vec<Producer<Quote>>);

impl Sender for OneByOne {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        for quote in quotes {
            for lane in &mut self.0 {
                while lane.push(*quote).is_err() {}
            }
        }
    }
}

pub(crate) struct Pop {
    consumers: Vec<Consumer<Quote>>,
    run_max: usize,
}

impl Poller for Pop {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, lane) in self.consumers.iter_mut().enumerate() {
            for _ in 0..self.run_max {
                let Ok(quote) = lane.pop() else { break };
                visit(index, &quote);
            }
        }
    }
}

pub(crate) struct InBatches(Vec<Producer<Quote>>);

impl Sender for InBatches {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        for lane in &mut self.0 {
            while lane.push_entire_slice(quotes).is_err() {}
        }
    }
}

pub(crate) struct Chunks(Vec<Consumer<Quote>>);

impl Poller for Chunks {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, lane) in self.0.iter_mut().enumerate() {
            let Ok(chunk) = lane.read_chunk(lane.slots().min(POLL_MAX)) else { continue };
            let (first, second) = chunk.as_slices();
            first.iter().chain(second).for_each(|quote| visit(index, quote));
            chunk.commit_all();
        }
    }
}
