//! Anything that takes quotes from one core to one lane or more on another, and how it is measured.

use freshlane_benches::paced::{Latencies, Pace, paced};
use freshlane_benches::pair::Pair;
use freshlane_benches::sample_quotes::numbered;
use freshlane_benches::stopwatch::Cost;
use freshlane_quote::Quote;

/// Quotes that are sent together where a design can send several.
pub(crate) const BATCH: usize = 32;

/// Slots of the ring of every rival. A ring passes through all of its slots, so its size is what the
/// caches have to hold; this is about the least that a lane of ours can have.
pub(crate) const SLOTS: usize = 1 << 14;

/// The most quotes of one poll of a lane.
pub(crate) const POLL_MAX: usize = 64;

/// The producing side.
pub(crate) trait Sender {
    /// Sends all of `quotes`; waits where there is no room.
    fn send(&mut self, quotes: &[Quote]);

    /// Sees to it that everything is on its way.
    fn flush(&mut self) {}
}

/// The consuming side: one thread that polls every lane.
pub(crate) trait Poller: Send {
    /// Takes what there is, lane by lane and at most [`POLL_MAX`] quotes of each.
    fn poll(&mut self, visit: impl FnMut(usize, &Quote));
}

/// A way with both of its sides.
#[derive(Debug)]
pub(crate) struct Transport<S, P> {
    pub(crate) name: &'static str,
    pub(crate) lanes: usize,
    pub(crate) sender: S,
    pub(crate) poller: P,
}

impl<S: Sender, P: Poller> Transport<S, P> {
    /// As many quotes as go through, at least `quotes`: the cost is a quote's, whatever the number
    /// of lanes that it goes to.
    pub(crate) fn throughput(&mut self, pair: &Pair, quotes: u64) -> Cost {
        let batches = quotes.div_ceil(BATCH as u64);
        let quotes = batches * BATCH as u64;
        let expected = quotes * self.lanes as u64;
        let (sender, poller) = (&mut self.sender, &mut self.poller);
        let run = pair.run(
            || {
                let mut batch = [Quote::EMPTY; BATCH];
                let mut number = 0;
                for _ in 0..batches {
                    for quote in &mut batch {
                        number += 1;
                        *quote = numbered(number);
                    }
                    sender.send(&batch);
                }
                sender.flush();
            },
            || {
                let (mut received, mut sum) = (0, 0_u64);
                while received < expected {
                    poller.poll(|_, quote| {
                        received += 1;
                        sum = sum.wrapping_add(quote.wire_sequence);
                    });
                }
                sum
            },
        );
        let sum = quotes * (quotes + 1) / 2 * self.lanes as u64;
        assert_eq!(run.consumed, sum, "{} delivers every quote once a lane", self.name);
        Cost { ns: run.ns, operations: quotes }
    }

    /// The latencies of lone quotes.
    pub(crate) fn lone_quotes(&mut self, pair: &Pair, pace: Pace) -> Latencies {
        let (sender, poller) = (&mut self.sender, &mut self.poller);
        let mut number = 0;
        paced(
            pair,
            pace,
            self.lanes,
            |stamp| {
                number += 1;
                sender.send(&[Quote { ts_event: stamp, ..numbered(number) }]);
                sender.flush();
            },
            |receiver| poller.poll(|lane, quote| receiver.got(lane, quote.ts_event)),
        )
    }
}
