//! The cold side of the clock: a thread polls it, and it keeps every handle right.

use super::discipline::{ClockEvent, Discipline};
use super::engine::EngineClock;
use super::source::Sample;
use crate::clock::Clock;
use crate::sync::Ordering;

/// The longest that reading the three clocks may take for the sample to count, ns. Undisturbed it
/// takes about 100.
const WIDTH_NS_MAX: i64 = 5_000;
/// Where clocks are slow to read or the machine is busy, the limit doubles with each refusal up to
/// 2^8 times, so that there is a sample in the end.
const WIDTH_DOUBLINGS_MAX: u32 = 8;

/// Moves the tick on and disciplines the clock. One per [`EngineClock::start`]; it lives on a cold
/// thread, which calls [`Timekeeper::poll`] about every millisecond.
#[derive(Debug)]
pub struct Timekeeper {
    clock: EngineClock,
    discipline: Discipline,
    /// Polls since the last sample that did not get one.
    refused_count: u32,
}

impl Timekeeper {
    pub(crate) fn new(clock: EngineClock, discipline: Discipline) -> Self {
        Self { clock, discipline, refused_count: 0 }
    }

    /// Publishes the tick; every 100 ms, and at once when the counter jumped, also new parameters
    /// and metrics. Returns what the log should tell. Costs under a microsecond.
    pub fn poll(&mut self) -> Option<ClockEvent> {
        let now = self.clock.now();
        // Relaxed: the tick is a hint about time and orders nothing. A store and no maximum, so
        // that a tick that an agent published from a wrong reading does not stay.
        self.clock.shared().tick.store(now, Ordering::Relaxed);
        let sample = self.sample()?;
        // Relaxed: a number that orders nothing.
        let held_ns = self.clock.shared().published.held_ns.load(Ordering::Relaxed);
        if !self.discipline.is_due(&sample, held_ns) {
            return None;
        }
        let event = self.discipline.observe(sample, held_ns);
        self.publish();
        event
    }

    /// A new handle on the clock that this timekeeper keeps.
    #[must_use]
    pub fn clock(&self) -> EngineClock {
        self.clock.clone()
    }

    fn sample(&mut self) -> Option<Sample> {
        let width_ns_max = WIDTH_NS_MAX << self.refused_count.min(WIDTH_DOUBLINGS_MAX);
        let sample = self.clock.source().sample(self.discipline.rate(), width_ns_max);
        self.refused_count = if sample.is_some() { 0 } else { self.refused_count + 1 };
        sample
    }

    fn publish(&self) {
        let shared = self.clock.shared();
        shared.parameters.publish(self.discipline.parameters());
        shared.published.offset_ns.set(self.discipline.offset_ns().cast_unsigned());
        shared.published.drift_ppb.set(self.discipline.drift_ppb().cast_unsigned());
        shared.published.slew_ppb.set(self.discipline.slew_ppb().cast_unsigned());
        shared.published.tsc_jumps.set(self.discipline.jump_count());
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::parameters::Rate;
    use super::super::source::{TimeSource, origin, simulated::Clocks};
    use super::super::start::{ClockSource, assemble};
    use super::*;

    const START_NS: u64 = 1_767_364_200_000_000_000;
    const MILLISECOND_NS: u64 = 1_000_000;

    fn rig() -> (Arc<Clocks>, EngineClock, Timekeeper) {
        let clocks = Arc::new(Clocks::starting_at(START_NS));
        let source = TimeSource::Simulated(Arc::clone(&clocks));
        let (clock, timekeeper) = assemble(source, ClockSource::Tsc, Rate::NANOSECOND);
        (clocks, clock, timekeeper)
    }

    /// Lets time pass with a poll every millisecond.
    fn run(clocks: &Clocks, timekeeper: &mut Timekeeper, ms: u64) -> Vec<ClockEvent> {
        (0..ms)
            .filter_map(|_| {
                clocks.pass(MILLISECOND_NS);
                timekeeper.poll()
            })
            .collect()
    }

    #[test]
    fn a_clock_starts_at_the_wall_clock_and_goes_with_it() {
        let (clocks, clock, mut timekeeper) = rig();
        assert_eq!(clock.now(), START_NS);
        assert_eq!(run(&clocks, &mut timekeeper, 1_000), []);
        assert_eq!(clock.now(), START_NS + 1_000 * MILLISECOND_NS);
        assert_eq!(clock.metrics().offset_ns(), 0);
    }

    #[test]
    fn a_handle_follows_the_parameters_that_are_published() {
        let (clocks, clock, mut timekeeper) = rig();
        clocks.set_drift_ppb(100_000);
        run(&clocks, &mut timekeeper, 600_000);
        assert!(clock.now().abs_diff(clocks.realtime_ns()) < 1_000);
        let metrics = clock.metrics();
        assert!(metrics.drift_ppb().abs_diff(100_000) <= 2, "{}", metrics.drift_ppb());
        assert!(metrics.slew_ppb().abs() < 1_000, "{}", metrics.slew_ppb());
        assert_eq!((metrics.tsc_jumps(), metrics.clock_backwards()), (0, 0));
    }

    #[test]
    fn a_counter_that_jumps_ten_seconds_is_caught_within_a_poll() {
        let (clocks, clock, mut timekeeper) = rig();
        run(&clocks, &mut timekeeper, 500);
        clocks.jump_raw(10_000_000_000);
        let jumped_ns = clock.now();
        let events = run(&clocks, &mut timekeeper, 1_000);
        assert_eq!(events, [ClockEvent::CounterJumped { by_ns: 10_000_000_000 }]);
        let metrics = clock.metrics();
        assert_eq!(metrics.tsc_jumps(), 1);
        assert!(metrics.offset_ns() > 9_900_000_000);
        assert_eq!(metrics.slew_ppb(), -500_000);
        let gone_ns = clock.now() - jumped_ns;
        assert!(gone_ns.abs_diff(1_000 * MILLISECOND_NS) <= 500_000, "{gone_ns}");
    }

    #[test]
    fn a_handle_stands_still_while_the_counter_is_behind_and_goes_on_after_the_next_poll() {
        let (clocks, clock, mut timekeeper) = rig();
        run(&clocks, &mut timekeeper, 500);
        let before_ns = clock.now();
        clocks.jump_raw(-10_000_000_000);
        assert_eq!([clock.now(), clock.now()], [before_ns; 2]);
        assert_eq!(clock.metrics().clock_backwards(), 2);
        run(&clocks, &mut timekeeper, 1);
        assert_eq!(clock.now(), before_ns + MILLISECOND_NS);
        assert_eq!(clock.metrics().tsc_jumps(), 1);
    }

    #[test]
    fn a_handle_that_saw_a_glitch_ahead_stands_still_until_the_next_poll_only() {
        let (clocks, clock, mut timekeeper) = rig();
        run(&clocks, &mut timekeeper, 500);
        clocks.jump_raw(5_000_000_000);
        let glitch_ns = clock.now();
        clocks.jump_raw(-5_000_000_000);
        assert_eq!(clock.now(), glitch_ns);
        run(&clocks, &mut timekeeper, 1);
        clocks.pass(MILLISECOND_NS);
        assert!(clock.now() > glitch_ns);
    }

    #[test]
    fn the_tick_is_the_time_of_the_last_poll() {
        let (clocks, clock, mut timekeeper) = rig();
        timekeeper.poll();
        assert_eq!(clock.tick(), START_NS);
        clocks.pass(MILLISECOND_NS);
        assert_eq!(clock.tick(), START_NS);
        timekeeper.poll();
        assert_eq!(clock.tick(), START_NS + MILLISECOND_NS);
    }

    #[test]
    fn without_a_timekeeper_the_tick_is_a_precise_reading() {
        let (clocks, clock, _) = rig();
        for _ in 0..200 {
            clocks.pass(10);
            assert_eq!(clock.tick(), clocks.realtime_ns());
        }
    }

    #[test]
    fn an_agent_keeps_the_tick_alive_and_writes_it_at_most_every_half_period() {
        let (clocks, clock, _) = rig();
        let agent = clock.clone();
        let mut moved_count = 0;
        let mut last = clock.tick();
        for _ in 0..10_000 {
            clocks.pass(1_000);
            agent.publish_tick(agent.now());
            let tick = clock.tick();
            moved_count += u32::from(tick != last);
            last = tick;
        }
        assert_eq!(moved_count, 20);
    }

    /// Reads the tick at a pace of `pace_ns` after its thread died, until the reading is precise;
    /// returns for how long the dead tick was believed.
    fn believed_ns(calls_before: u32, pace_ns: u64) -> u64 {
        let (clocks, clock, mut timekeeper) = rig();
        for _ in 0..calls_before {
            clocks.pass(pace_ns);
            timekeeper.poll();
            clock.tick();
        }
        let died_ns = clocks.realtime_ns();
        loop {
            clocks.pass(pace_ns);
            if clock.tick() == clocks.realtime_ns() {
                return clocks.realtime_ns() - died_ns;
            }
        }
    }

    #[test]
    fn a_dead_tick_is_believed_for_milliseconds_and_not_for_ever() {
        for pace_ns in [10, 1_000, 50_000, 300_000, MILLISECOND_NS] {
            assert!(believed_ns(1_000, pace_ns) <= 8 * MILLISECOND_NS, "{pace_ns}");
        }
        // Each call takes longer than a dead tick is believed: the second is precise.
        assert!(believed_ns(1_000, 20 * MILLISECOND_NS) <= 40 * MILLISECOND_NS);
    }

    #[test]
    fn a_handle_that_read_the_time_and_saw_a_late_tick_does_not_believe_it() {
        let (clocks, clock, mut timekeeper) = rig();
        for _ in 0..1_000 {
            clocks.pass(100);
            timekeeper.poll();
            clock.tick();
        }
        clocks.pass(30 * MILLISECOND_NS);
        let now = clock.now();
        assert_eq!(clock.tick(), now);
        timekeeper.poll();
        clocks.pass(10);
        assert_eq!(clock.tick(), now, "the tick is back");
    }

    #[test]
    fn a_tick_from_the_far_future_is_not_believed_and_does_not_stay() {
        let (clocks, clock, mut timekeeper) = rig();
        clock.publish_tick(u64::MAX);
        assert_eq!(clock.tick(), START_NS);
        clocks.pass(MILLISECOND_NS);
        timekeeper.poll();
        clocks.pass(10);
        assert_eq!(clock.tick(), START_NS + MILLISECOND_NS);
    }

    #[test]
    fn four_threads_with_a_handle_each_never_see_time_go_back() {
        let (clock, mut timekeeper) =
            assemble(TimeSource::Os { origin: origin() }, ClockSource::Os, Rate::NANOSECOND);
        let readers: Vec<_> = (0..4)
            .map(|_| {
                let clock = clock.clone();
                std::thread::spawn(move || {
                    let readings: Vec<_> = (0..20_000).map(|_| clock.now()).collect();
                    assert!(readings.is_sorted());
                })
            })
            .collect();
        while !readers.iter().all(std::thread::JoinHandle::is_finished) {
            timekeeper.poll();
        }
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    }
}
