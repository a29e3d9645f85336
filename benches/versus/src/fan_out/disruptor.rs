//! The crate `disruptor`: one ring that every poller reads at its own cursor.

use disruptor::{
    BusySpin, EventPoller, MultiConsumerBarrier, Producer, SingleConsumerBarrier, SingleProducer,
    SingleProducerBarrier, build_single_producer,
};
use freshlane_quote::Quote;

use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

type Lanes = Pollers<SingleProducerBarrier>;
type ToOne = SingleProducer<Quote, SingleConsumerBarrier>;
type ToFour = SingleProducer<Quote, MultiConsumerBarrier>;

fn one_lane() -> (ToOne, Lanes) {
    let builder = build_single_producer(SLOTS, || Quote::EMPTY, BusySpin);
    let (poller, builder) = builder.new_event_poller();
    (builder.build(), Pollers(vec![poller]))
}

fn four_lanes() -> (ToFour, Lanes) {
    let builder = build_single_producer(SLOTS, || Quote::EMPTY, BusySpin);
    let (first, builder) = builder.new_event_poller();
    let (second, builder) = builder.new_event_poller();
    let (third, builder) = builder.new_event_poller();
    let (fourth, builder) = builder.new_event_poller();
    (builder.build(), Pollers(vec![first, second, third, fourth]))
}

/// Each quote published by itself, one poller.
pub(crate) fn one_by_one_to_one() -> Transport<OneByOne<ToOne>, Lanes> {
    let (producer, poller) = one_lane();
    Transport { name: "`disruptor`", lanes: 1, sender: OneByOne(producer), poller }
}

/// Published in batches, one poller.
pub(crate) fn in_batches_to_one() -> Transport<InBatches<ToOne>, Lanes> {
    let (producer, poller) = one_lane();
    let name = "`disruptor` in batches of 32";
    Transport { name, lanes: 1, sender: InBatches(producer), poller }
}

/// Each quote published by itself, four pollers.
pub(crate) fn one_by_one_to_four() -> Transport<OneByOne<ToFour>, Lanes> {
    let (producer, poller) = four_lanes();
    let name = "`disruptor`, 4 pollers";
    Transport { name, lanes: 4, sender: OneByOne(producer), poller }
}

/// Published in batches, four pollers.
pub(crate) fn in_batches_to_four() -> Transport<InBatches<ToFour>, Lanes> {
    let (producer, poller) = four_lanes();
    let name = "`disruptor` in batches of 32, 4 pollers";
    Transport { name, lanes: 4, sender: InBatches(producer), poller }
}

pub(crate) struct OneByOne<P>(P);

impl<P: Producer<Quote>> Sender for OneByOne<P> {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        for quote in quotes {
            self.0.publish(|slot| *slot = *quote);
        }
    }
}

pub(crate) struct InBatches<P>(P);

impl<P: Producer<Quote>> Sender for InBatches<P> {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        self.0.batch_publish(quotes.len(), |slots| {
            slots.zip(quotes).for_each(|(slot, quote)| *slot = *quote);
        });
    }
}

pub(crate) struct Pollers<B>(Vec<EventPoller<Quote, B>>);

impl Poller for Lanes {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, poller) in self.0.iter_mut().enumerate() {
            if let Ok(mut quotes) = poller.take(POLL_MAX as u64) {
                (&mut quotes).for_each(|quote| visit(index, quote));
            }
        }
    }
}
