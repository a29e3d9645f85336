//! Decode, book, bus, four lanes, gates and histograms against decode, book and quote alone.
//!
//! The agents are those that run live, on the engine clock with its cold thread, with the four lanes
//! of the reference installation. In one thread they are polled in turn; on two cores feed and bus
//! are on one and the four consumers on the other. Both sides of a comparison go through the same
//! turn of the day one right after the other, each with books of its own. The session lies in the
//! past, so every end-to-end sample is beyond the histogram's range and costs the clamp besides.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use freshlane_consumers::ConsumerAgent;
use freshlane_feed_handlers::feed::{FeedAgent, ReceiveClock, StopSignal, WhenFull};
use freshlane_feed_handlers::itch50::BATCH_MAX;
use freshlane_quote::{Agent, EngineClock, SymbolDirectory};

use super::book::book;
use crate::contest::{Contender, contest};
use crate::day::Day;
use crate::memory_source::{Horizon, MemorySource};
use crate::pair::Pair;
use crate::path::{BusRig, Count, RingSink, handle_released, handler, reference_lanes};
use crate::plan::Suite;
use crate::row::{Comparison, Row};
use crate::session::{Session, SessionError};
use crate::stopwatch::Cost;
use crate::two_cores::{Run, two_core_rounds};

/// What the whole path may cost: so many times its first stages alone.
const GOAL: f64 = 1.35;
const ALONE: &str = "decode + book + quote alone";

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::WholePath) {
        return Ok(());
    }
    let day = session.day()?;
    let clock = session.timekeeping().clock();
    let mut path = PathRig::new(&day, &clock);
    let turns = day.turns(session.scale().slices_of_turn());
    let mut contenders = [
        Contender::timed("whole path", |turn| path.run_turn(turns[turn])),
        book(&day, &turns, BATCH_MAX),
    ];
    let standings = contest(session.scale().rounds(), turns.len(), &mut contenders);
    let row = Row::of(Suite::WholePath, "whole path in one thread", "ns/message", &standings[0])
        .against(ALONE, &standings[1].each_ns, Comparison::Times)
        .goal(GOAL);
    drop(contenders);
    session.add(row.note(format!("{} The market: {day}.", path.shares(day.messages()))))?;
    match session.pair() {
        Some(pair) => on_two_cores(session, &pair, &day, &clock),
        None => Ok(()),
    }
}

fn on_two_cores(
    session: &mut Session,
    pair: &Pair,
    day: &Day,
    clock: &EngineClock,
) -> Result<(), SessionError> {
    // Each round has a turn of its own, so shorter turns here: there have to be enough rounds.
    let turns = day.turns(session.scale().slices_of_turn().div_ceil(2));
    let mut path = PathRig::new(day, clock);
    let mut path_turns = turns.iter();
    let mut run_path = |pair: &Pair| {
        path_turns.next().map_or(f64::NAN, |turn| path.run_turn_on(pair, *turn).each_ns())
    };
    let mut alone = handler(Arc::default(), day.orders_expected());
    let mut source = MemorySource::new(day.bytes());
    let mut alone_turns = turns.iter();
    let mut run_alone = |_: &Pair| {
        alone_turns.next().map_or(f64::NAN, |(end, _)| {
            source.horizon().release(*end);
            Cost::of(|| handle_released(&mut alone, &mut source, BATCH_MAX)).each_ns()
        })
    };
    let contenders: &mut [Run<'_>] = &mut [&mut run_path, &mut run_alone];
    // Three times as many rounds are tried at most.
    let rounds = two_core_rounds(pair, turns.len() / 3, contenders);
    for at in &rounds.at {
        let what = "whole path on two cores (feed and bus, consumers)";
        let row = Row::at(Suite::WholePath, what, "ns/message", at, (0, "whole path"))
            .against(ALONE, &at.figures[1], Comparison::Times)
            .note("On two cores a round is one turn of the day; the goal is for near cores.");
        let is_near = at.distance == crate::hop::CoreDistance::Near;
        session.add(if is_near { row.goal(GOAL) } else { row })?;
    }
    Ok(())
}

/// The agents of the whole path over a day in memory.
struct PathRig<'a> {
    horizon: Horizon,
    /// Feed and bus.
    producing: Vec<Box<dyn Agent + 'a>>,
    /// One a lane.
    consuming: Vec<ConsumerAgent<Count, EngineClock>>,
}

impl<'a> PathRig<'a> {
    fn new(day: &'a Day, clock: &EngineClock) -> Self {
        let directory = Arc::new(SymbolDirectory::default());
        let BusRig { ring, bus, lanes } = BusRig::new(&directory, reference_lanes());
        let source = MemorySource::new(day.bytes());
        let horizon = source.horizon();
        let feed = FeedAgent::new(
            "feed",
            source,
            handler(directory, day.orders_expected()),
            RingSink(ring),
            ReceiveClock::Engine(clock.clone()),
            WhenFull::Block,
            StopSignal::new(),
        );
        let consumer = |lane| ConsumerAgent::new(lane, Count::default(), clock.clone());
        let consuming = lanes.into_iter().map(consumer).collect();
        Self { horizon, producing: vec![Box::new(feed), Box::new(bus)], consuming }
    }

    /// Goes on to byte `end`, every agent polled in turn by this thread; returns the messages.
    fn run_turn(&mut self, (end, messages): (usize, u64)) -> u64 {
        self.horizon.release(end);
        while poll_boxed(&mut self.producing) + poll(&mut self.consuming) > 0 {}
        messages
    }

    /// The same by two threads.
    fn run_turn_on(&mut self, pair: &Pair, (end, messages): (usize, u64)) -> Cost {
        self.horizon.release(end);
        let is_over = AtomicBool::new(false);
        let Self { producing, consuming, .. } = self;
        let run = pair.run(
            || {
                while poll_boxed(producing) > 0 {}
                is_over.store(true, Ordering::Release);
            },
            || {
                loop {
                    // The end first: after it was seen, lanes that are empty stay empty.
                    let was_over = is_over.load(Ordering::Acquire);
                    if poll(consuming) == 0 && was_over {
                        break;
                    }
                }
            },
        );
        Cost { ns: run.ns, operations: messages }
    }

    /// How many quotes came of `messages`.
    fn shares(&self, messages: u64) -> String {
        let quotes: u64 = self.consuming.iter().map(|agent| agent.consumer().quotes).sum();
        let share = |quotes: u64| quotes as f64 * 100.0 / messages.max(1) as f64;
        format!(
            "{:.1} % of the messages gave a quote, each with four deliveries.",
            share(quotes / self.consuming.len().max(1) as u64)
        )
    }
}

fn poll_boxed(agents: &mut [Box<dyn Agent + '_>]) -> usize {
    agents.iter_mut().map(|agent| agent.do_work()).sum()
}

fn poll(agents: &mut [ConsumerAgent<Count, EngineClock>]) -> usize {
    agents.iter_mut().map(Agent::do_work).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::day::DaySpec;
    use crate::timekeeping::Timekeeping;
    use freshlane_feed_handlers::ledger::Outcome;

    #[test]
    fn every_quote_of_the_day_reaches_every_lane() {
        let day = Day::generate(&DaySpec::of((50, 20_000, 2_000), 3)).unwrap();
        let timekeeping = Timekeeping::start().unwrap();
        let mut alone = handler(Arc::default(), day.orders_expected());
        let mut source = MemorySource::new(day.bytes());
        source.horizon().release(day.bytes().len());
        handle_released(&mut alone, &mut source, 32);
        let quoted = alone.ledger().outcome(Outcome::Quoted);
        let mut path = PathRig::new(&day, &timekeeping.clock());
        let messages: u64 = day.turns(2).into_iter().map(|turn| path.run_turn(turn)).sum();
        assert_eq!(messages, day.messages());
        for lane in &path.consuming {
            let ledger = lane.telemetry().ledger();
            // On a machine that stood still a quote may have expired instead.
            assert_eq!(ledger.total().delivered + ledger.total().expired, quoted);
        }
    }
}
