//! The feed agent between a file and a sink that is sometimes full.

use std::sync::{Arc, Mutex};

use freshlane_feed_handlers::feed::{FeedAgent, QuoteSink, ReceiveClock, StopSignal, WhenFull};
use freshlane_feed_handlers::itch50::{BATCH_MAX, ReceiveTime};
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_feed_handlers::source::{Batch, BinaryFileSource, MessageSource};
use freshlane_feed_handlers::synthetic::{ItchMarketSpec, write_binary_file};
use freshlane_quote::{Agent, Clock, Quote, SimulatedClock};

use crate::rig::{TempFile, feed, handler_for, messages};

/// What a sink took, and how much room it has for each push, over and over.
struct Sink {
    taken: Arc<Mutex<Vec<Quote>>>,
    room: Vec<usize>,
    pushes: usize,
}

impl QuoteSink for Sink {
    fn push_batch(&mut self, records: &[Quote]) -> usize {
        let room = self.room[self.pushes % self.room.len()];
        self.pushes += 1;
        let accepted = &records[..room.min(records.len())];
        self.taken.lock().unwrap().extend_from_slice(accepted);
        accepted.len()
    }
}

/// A source that has nothing for now on every other call.
struct Hesitant(BinaryFileSource, bool);

impl MessageSource for Hesitant {
    fn next_batch(&mut self, max: usize, visit: impl FnOnce(&[&[u8]], u64)) -> Batch {
        self.1 = !self.1;
        if self.1 { Batch::Nothing } else { self.0.next_batch(max, visit) }
    }
}

struct Rig {
    agent: FeedAgent<Hesitant, Sink, SimulatedClock>,
    taken: Arc<Mutex<Vec<Quote>>>,
    stop: StopSignal,
}

fn market() -> Vec<u8> {
    let spec = ItchMarketSpec { symbols: 10, messages: 3_000, seed: 5, live_orders: Some(200) };
    let mut bytes = Vec::new();
    write_binary_file(&spec, &mut bytes, |_| {}).unwrap();
    bytes
}

fn rig(room: &[usize], when_full: WhenFull, clock: ReceiveClock<SimulatedClock>) -> Rig {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let sink = Sink { taken: taken.clone(), room: room.to_vec(), pushes: 0 };
    let source = Hesitant(TempFile::new(&market()).source(), false);
    let (handler, stop) = (handler_for(64, true), StopSignal::new());
    let agent = FeedAgent::new("itch", source, handler, sink, clock, when_full, stop.clone());
    Rig { agent, taken, stop }
}

impl Rig {
    /// Polls until the agent is finished; returns how many messages it worked on.
    fn run(&mut self) -> usize {
        let mut worked = 0;
        for _ in 0..1_000_000 {
            if self.agent.is_finished() {
                return worked;
            }
            worked += self.agent.do_work();
        }
        panic!("the agent does not finish");
    }

    fn taken(&self) -> Vec<Quote> {
        self.taken.lock().unwrap().clone()
    }

    fn counter(&self, outcome: Outcome) -> u64 {
        self.agent.handler().ledger().outcome(outcome)
    }
}

/// The records of the whole file.
fn all_records() -> Vec<Quote> {
    let messages = messages(&mut TempFile::new(&market()).source());
    feed(&mut handler_for(64, true), &messages, &[BATCH_MAX], ReceiveTime::EventTime)
}

#[test]
fn a_sink_with_room_gets_every_record_in_order() {
    let mut rig = rig(&[BATCH_MAX], WhenFull::DropNewest, ReceiveClock::EventTime);
    assert_eq!(rig.run(), 3_000);
    assert_eq!(rig.agent.name(), "itch");
    assert!(rig.taken() == all_records());
    assert_eq!(rig.counter(Outcome::IngressFull), 0);
    assert_eq!(rig.agent.do_work(), 0);
}

#[test]
fn a_feed_that_waits_loses_nothing_however_small_the_room() {
    for room in [&[1][..], &[0, 0, 3], &[0, 31]] {
        let mut rig = rig(room, WhenFull::Block, ReceiveClock::EventTime);
        assert_eq!(rig.run(), 3_000);
        assert!(rig.taken() == all_records(), "{room:?}");
        assert_eq!(rig.counter(Outcome::IngressFull), 0);
    }
}

#[test]
fn a_feed_that_waits_reads_on_only_when_all_is_handed_over() {
    let mut rig = rig(&[0], WhenFull::Block, ReceiveClock::EventTime);
    let worked: usize = (0..1_000).map(|_| rig.agent.do_work()).sum();
    // Batches without records go through; the first with one waits for ever.
    assert!(worked < 3_000 && !rig.agent.is_finished());
    assert!(rig.taken().is_empty());
}

#[test]
fn a_feed_that_drops_counts_every_record_that_found_no_room() {
    for room in [&[0][..], &[1], &[0, 5, 31]] {
        let mut rig = rig(room, WhenFull::DropNewest, ReceiveClock::EventTime);
        assert_eq!(rig.run(), 3_000);
        let (events, quotes): (Vec<_>, Vec<_>) = rig.taken().into_iter().partition(Quote::is_event);
        assert_eq!(rig.counter(Outcome::Quoted), quotes.len() as u64, "{room:?}");
        assert!(rig.counter(Outcome::IngressFull) > 0);
        let ledger = rig.agent.handler().ledger();
        assert_eq!(ledger.events.get() - ledger.events_refused.get(), events.len() as u64);
        assert_eq!((ledger.received.get(), ledger.imbalance()), (3_000, 0));
    }
}

#[test]
fn the_batch_size_does_not_change_what_is_handed_over() {
    for batch_max in [0, 1, 7, 1_000] {
        let mut rig = rig(&[5], WhenFull::Block, ReceiveClock::EventTime);
        rig.agent = rig.agent.with_batch_max(batch_max);
        rig.run();
        assert!(rig.taken() == all_records(), "{batch_max}");
    }
}

#[test]
fn the_engine_clock_is_read_once_a_batch() {
    let clock = SimulatedClock::at(all_records().last().unwrap().ts_recv);
    let engine = ReceiveClock::Engine(clock.clone());
    let mut rig = rig(&[BATCH_MAX], WhenFull::DropNewest, engine);
    while !rig.agent.is_finished() {
        let before = rig.taken().len();
        clock.advance_by(1_000);
        rig.agent.do_work();
        assert!(rig.taken()[before..].iter().all(|record| record.ts_recv == clock.now()));
    }
    assert_eq!(rig.taken().len(), all_records().len());
}

#[test]
fn a_stopped_feed_hands_over_what_it_has_and_finishes() {
    let mut rig = rig(&[1], WhenFull::Block, ReceiveClock::EventTime);
    while rig.taken().is_empty() {
        rig.agent.do_work();
    }
    let worked = rig.agent.handler().ledger().received.get();
    rig.stop.stop();
    rig.run();
    let ledger = rig.agent.handler().ledger();
    assert_eq!(ledger.received.get(), worked);
    let handed_over = ledger.outcome(Outcome::Quoted) + ledger.events.get();
    assert_eq!(rig.taken().len() as u64, handed_over);
    assert!(rig.agent.source().0.end().is_none());
}
