//! The feed agent: a message source, a handler and the way to the bus, polled by a core.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use freshlane_quote::{Agent, Clock, Quote};

use crate::itch50::{BATCH_MAX, Itch50Handler, ReceiveTime};
use crate::source::{Batch, MessageSource};

/// Where a feed's records go: the producing end of an ingress ring.
pub trait QuoteSink: Send {
    /// Takes records from the front; returns how many found room.
    fn push_batch(&mut self, records: &[Quote]) -> usize;
}

/// What a feed does with records that find no room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// Counts them and goes on: the live choice, since the wire does not wait.
    DropNewest,
    /// Waits: for files, which do.
    Block,
}

/// Tells feeds to stop taking in. Clones share one signal.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// A signal that was not given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal.
    pub fn stop(&self) {
        // Relaxed on both sides: the flag publishes nothing but itself.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was given.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where receive times come from.
#[derive(Clone, Debug)]
pub enum ReceiveClock<C> {
    /// One reading of the engine clock per batch.
    Engine(C),
    /// The messages themselves: replay.
    EventTime,
}

/// Wire bytes to ingress ring, one feed.
#[derive(Debug)]
pub struct FeedAgent<M, S, C> {
    name: String,
    source: M,
    handler: Itch50Handler,
    sink: S,
    clock: ReceiveClock<C>,
    when_full: WhenFull,
    batch_max: usize,
    stop: StopSignal,
    /// Records of the last batch that the sink has not taken yet start here.
    pushed: usize,
    is_at_end: bool,
}

impl<M: MessageSource, S: QuoteSink, C: Clock> FeedAgent<M, S, C> {
    /// A feed that reads batches of [`BATCH_MAX`].
    pub fn new(
        name: &str,
        source: M,
        handler: Itch50Handler,
        sink: S,
        clock: ReceiveClock<C>,
        when_full: WhenFull,
        stop: StopSignal,
    ) -> Self {
        Self {
            name: name.to_owned(),
            source,
            handler,
            sink,
            clock,
            when_full,
            batch_max: BATCH_MAX,
            stop,
            pushed: 0,
            is_at_end: false,
        }
    }

    /// Reads batches of at most `batch_max` messages (1 to [`BATCH_MAX`]). Results do not depend
    /// on it.
    #[must_use]
    pub fn with_batch_max(mut self, batch_max: usize) -> Self {
        self.batch_max = batch_max.clamp(1, BATCH_MAX);
        self
    }

    /// The handler, to look at.
    pub fn handler(&self) -> &Itch50Handler {
        &self.handler
    }

    /// The source, to look at.
    pub fn source(&self) -> &M {
        &self.source
    }

    /// Pushes what is pending; true when nothing is left.
    #[inline]
    fn push_pending(&mut self) -> bool {
        let records = self.handler.records();
        if self.pushed < records.len() {
            self.pushed += self.sink.push_batch(&records[self.pushed..]);
        }
        self.pushed == self.handler.records().len()
    }

    #[inline]
    fn read_batch(&mut self) -> usize {
        let received = match &self.clock {
            ReceiveClock::Engine(clock) => ReceiveTime::At(clock.now()),
            ReceiveClock::EventTime => ReceiveTime::EventTime,
        };
        let handler = &mut self.handler;
        let batch = self.source.next_batch(self.batch_max, |messages, first_sequence| {
            handler.on_batch(messages, first_sequence, received);
        });
        match batch {
            Batch::Messages(count) => {
                self.pushed = 0;
                count
            }
            Batch::Nothing => 0,
            Batch::End => {
                self.is_at_end = true;
                0
            }
        }
    }
}

impl<M: MessageSource, S: QuoteSink, C: Clock> Agent for FeedAgent<M, S, C> {
    fn name(&self) -> &str {
        &self.name
    }

    fn do_work(&mut self) -> usize {
        if !self.push_pending() || self.is_at_end {
            return 0;
        }
        if self.stop.is_stopped() {
            self.is_at_end = true;
            return 0;
        }
        let count = self.read_batch();
        if !self.push_pending() && self.when_full == WhenFull::DropNewest {
            self.handler.refuse_records_from(self.pushed);
            self.pushed = self.handler.records().len();
        }
        count
    }

    fn is_finished(&self) -> bool {
        self.is_at_end && self.pushed == self.handler.records().len()
    }
}
