//! The duty cycle: a thread that polls its agents in turn until none is left.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use freshlane_quote::{Agent, IdlePolicy};

use super::idle::Idle;
use super::thread::{Ending, Shared};

/// One turn in so many is measured: two clock reads of 30 ns make a nanosecond a turn.
const TURNS_PER_MEASUREMENT: u64 = 64;

/// An agent and the number under which its name is known.
struct Seat {
    number: usize,
    agent: Box<dyn Agent>,
}

/// The inside of a [`CoreThread`](super::CoreThread).
pub(super) struct Runner {
    shared: Arc<Shared>,
    /// In data order; an agent that leaves makes room without changing the order of the others.
    seats: Vec<Seat>,
    /// Which seat's turn it is. After a panic it says whose.
    position: usize,
    turns: u64,
    /// The work counts of all turns, that of a turn which a panic cut short included.
    work: u64,
    idle: Idle,
}

impl Runner {
    pub(super) fn new(shared: Arc<Shared>, agents: Vec<Box<dyn Agent>>, idle: IdlePolicy) -> Self {
        let seats =
            agents.into_iter().enumerate().map(|(number, agent)| Seat { number, agent }).collect();
        Self { shared, seats, position: 0, turns: 0, work: 0, idle: Idle::new(idle) }
    }

    /// Runs until every agent has left.
    ///
    /// The catch lies around all turns and not around each, so that it costs the hot path nothing;
    /// after a panic `position` tells whose it was, and the others go on.
    pub(super) fn run(mut self) {
        // Unwind safe: of the runner's own state a panic interrupts nothing, since only a call
        // into the agent at `position` can panic, and that agent is not called again.
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.run_turns())) {
            self.remove_panicked(panic.as_ref());
        }
        self.stop_rest();
        self.shared.hot.current.set(0);
    }

    fn run_turns(&mut self) {
        while !self.seats.is_empty() && !self.shared.stop.load(Ordering::Relaxed) {
            let work_count = if self.turns.is_multiple_of(TURNS_PER_MEASUREMENT) {
                self.measured_turn()
            } else {
                self.turn()
            };
            self.turns += 1;
            self.shared.hot.turns.increment();
            self.shared.hot.work.set(self.work);
            self.idle.after_turn(work_count);
        }
    }

    /// One duty cycle of each agent.
    fn turn(&mut self) -> usize {
        let mut work_count = 0;
        self.position = 0;
        while let Some(seat) = self.seats.get_mut(self.position) {
            self.shared.hot.current.set(seat.number as u64 + 1);
            let done = seat.agent.do_work();
            work_count += done;
            self.work += done as u64;
            if done == 0 && seat.agent.is_finished() {
                // In this turn already, so that the next agent learns of the end in it.
                self.close(Ending::Finished);
                self.idle.reset();
            } else {
                self.position += 1;
            }
        }
        self.shared.hot.current.set(0);
        work_count
    }

    #[allow(clippy::disallowed_methods, reason = "measures this process, not the market")]
    fn measured_turn(&mut self) -> usize {
        let start = Instant::now();
        let work_count = self.turn();
        if work_count > 0 {
            self.record_duration(start.elapsed());
        }
        work_count
    }

    fn record_duration(&self, duration: Duration) {
        let hot = &self.shared.hot;
        let turn_ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        hot.turn_ns_last.set(turn_ns);
        hot.turn_ns_max.set(hot.turn_ns_max.get().max(turn_ns));
    }

    /// Closes and drops the agent whose turn it is.
    fn close(&mut self, ending: Ending) {
        let Seat { number, mut agent } = self.seats.remove(self.position);
        let closed = catch_unwind(AssertUnwindSafe(move || {
            agent.on_close();
            drop(agent);
        }));
        match closed {
            Ok(()) => {
                let (thread, agent) = (self.shared.thread_name(), self.shared.agent_name(number));
                tracing::debug!(thread, agent, ?ending, "agent closed");
                self.shared.record_departure(number, ending);
            }
            Err(panic) => self.report_panic(number, panic.as_ref()),
        }
    }

    fn remove_panicked(&mut self, panic: &(dyn Any + Send)) {
        let Seat { number, agent } = self.seats.remove(self.position);
        self.report_panic(number, panic);
        // What it holds may be in a state in which dropping it panics, too. It has been reported.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(agent)));
    }

    fn report_panic(&self, number: usize, panic: &(dyn Any + Send)) {
        let message = panic_message(panic);
        let (thread, agent) = (self.shared.thread_name(), self.shared.agent_name(number));
        tracing::error!(thread, agent, message, "agent panicked and was dropped");
        self.shared.hot.panics.increment();
        self.shared.record_departure(number, Ending::Panicked(message));
    }

    fn stop_rest(&mut self) {
        self.position = 0;
        while let Some(seat) = self.seats.first() {
            self.shared.hot.current.set(seat.number as u64 + 1);
            self.close(Ending::Stopped);
        }
    }
}

/// The text that `panic!` was given.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use freshlane_quote::IdlePolicy;

    use super::super::scripted::{Log, Scripted};
    use super::super::thread::{CoreThread, Departure, Ending, ThreadStats};
    use super::*;

    /// Runs the agents on an unpinned thread until all have left.
    fn run(agents: Vec<Box<dyn Agent>>) -> (Vec<Departure>, ThreadStats) {
        let mut thread = CoreThread::start("test", None, IdlePolicy::Yield, agents).unwrap();
        thread.join();
        assert!(thread.has_ended());
        assert_eq!(thread.current_agent(), None);
        (thread.departures(), thread.stats())
    }

    fn departed(agent: &str, ending: Ending) -> Departure {
        Departure { agent: agent.into(), ending }
    }

    fn panicked(agent: &str, message: &str) -> Departure {
        departed(agent, Ending::Panicked(message.into()))
    }

    #[test]
    fn agents_that_finish_are_closed_and_dropped_one_by_one() {
        let log = Log::default();
        let agents = [("late", 5), ("early", 1), ("middle", 3)];
        let agents = agents.map(|(name, turns)| Scripted::new(name, turns, &log).boxed());
        let (departures, stats) = run(agents.into());
        assert_eq!(
            log.lock().unwrap()[..],
            [
                "early closed",
                "early dropped",
                "middle closed",
                "middle dropped",
                "late closed",
                "late dropped"
            ]
        );
        let expected = ["early", "middle", "late"].map(|name| departed(name, Ending::Finished));
        assert_eq!(departures, expected);
        assert_eq!((stats.turns, stats.work, stats.panics), (6, 9, 0));
    }

    #[test]
    fn an_end_goes_down_the_line_within_one_turn() {
        struct Follower(Arc<()>);
        impl Agent for Follower {
            fn name(&self) -> &'static str {
                "follower"
            }
            fn do_work(&mut self) -> usize {
                0
            }
            fn is_finished(&self) -> bool {
                Arc::strong_count(&self.0) == 1
            }
        }
        let link = Arc::new(());
        let held = Arc::clone(&link);
        let leader = Scripted::new("leader", 3, &Log::default()).on_close(move || {
            let _ = &held;
        });
        let (departures, stats) = run(vec![leader.boxed(), Box::new(Follower(link))]);
        assert_eq!(departures.len(), 2);
        assert_eq!(stats.turns, 4, "both left in the turn after the leader's third");
    }

    #[test]
    fn a_panic_takes_down_its_agent_only_and_is_reported_with_its_text() {
        let log = Log::default();
        let bad = Scripted::new("bad", 10, &log)
            .each_turn(|left| assert!(left > 8, "no price in turn {left}"));
        let agents = vec![
            Scripted::new("first", 100, &log).boxed(),
            bad.boxed(),
            Scripted::new("last", 100, &log).boxed(),
        ];
        let (departures, stats) = run(agents);
        let finished = |name| departed(name, Ending::Finished);
        let expected = [panicked("bad", "no price in turn 8"), finished("first"), finished("last")];
        assert_eq!(departures, expected);
        assert_eq!((stats.panics, stats.work), (1, 202));
        assert_eq!(log.lock().unwrap()[0], "bad dropped", "and not closed");
    }

    #[test]
    fn a_panic_while_closing_or_dropping_is_contained_too() {
        struct BadDrop;
        impl Agent for BadDrop {
            fn name(&self) -> &'static str {
                "bad drop"
            }
            fn do_work(&mut self) -> usize {
                panic!("in the work")
            }
        }
        impl Drop for BadDrop {
            fn drop(&mut self) {
                panic!("in the drop");
            }
        }
        let log = Log::default();
        let bad_close = Scripted::new("bad close", 1, &log).on_close(|| panic!("in the close"));
        let last = Scripted::new("last", 5, &log).boxed();
        let (departures, stats) = run(vec![Box::new(BadDrop), bad_close.boxed(), last]);
        let expected = [
            panicked("bad drop", "in the work"),
            panicked("bad close", "in the close"),
            departed("last", Ending::Finished),
        ];
        assert_eq!(departures, expected);
        assert_eq!(stats.panics, 2);
    }

    #[test]
    fn a_panic_without_a_text_has_one_said_about_it() {
        let odd = Scripted::new("odd", 1, &Log::default())
            .each_turn(|_| std::panic::panic_any(7_u8))
            .boxed();
        assert_eq!(run(vec![odd]).0, [panicked("odd", "a panic without a text")]);
    }

    #[test]
    fn a_thread_that_is_told_to_stop_closes_what_is_left_in_order() {
        let log = Log::default();
        let agents = ["a", "b"].map(|name| Scripted::new(name, u64::MAX, &log).boxed());
        let mut thread = CoreThread::start("test", None, IdlePolicy::Yield, agents.into()).unwrap();
        thread.request_stop();
        thread.join();
        assert_eq!(thread.departures(), ["a", "b"].map(|name| departed(name, Ending::Stopped)));
        assert_eq!(log.lock().unwrap()[..], ["a closed", "a dropped", "b closed", "b dropped"]);
    }

    #[test]
    fn a_thread_that_idles_in_any_way_still_sees_its_agents_finish() {
        struct Waiting(Arc<AtomicBool>);
        impl Agent for Waiting {
            fn name(&self) -> &'static str {
                "waiting"
            }
            fn do_work(&mut self) -> usize {
                0
            }
            fn is_finished(&self) -> bool {
                self.0.load(Ordering::Relaxed)
            }
        }
        for (name, policy) in IdlePolicy::NAMES {
            let over = Arc::new(AtomicBool::new(false));
            let waiting = Box::new(Waiting(Arc::clone(&over)));
            let mut thread = CoreThread::start(name, None, policy, vec![waiting]).unwrap();
            while thread.stats().turns < 3 {
                std::thread::yield_now();
            }
            over.store(true, Ordering::Relaxed);
            thread.join();
            let stats = thread.stats();
            assert_eq!(
                (stats.work, stats.turn_ns_max),
                (0, 0),
                "{name}: idle turns count for none"
            );
        }
    }

    #[test]
    fn the_duration_of_working_turns_is_measured_now_and_then() {
        let busy = Scripted::new("busy", 1_000, &Log::default()).boxed();
        let (_, stats) = run(vec![busy]);
        assert!(stats.turn_ns_last > 0 && stats.turn_ns_max >= stats.turn_ns_last);
    }

    #[test]
    fn a_thread_without_agents_ends_at_once() {
        let (departures, stats) = run(Vec::new());
        assert_eq!((departures.len(), stats.turns), (0, 0));
    }
}
