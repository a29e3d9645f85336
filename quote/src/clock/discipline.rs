//! How engine time is kept near the wall clock without ever being stepped. No clock is read here.

use super::parameters::{Parameters, Rate};
use super::source::Sample;

/// A period between samples in a quiet life, ns.
pub(crate) const PERIOD_NS: u64 = 100_000_000;
/// The period after a fault, until the rate is known again, ns.
const PERIOD_AFTER_FAULT_NS: u64 = 10_000_000;
/// From here on a disagreement between counter and monotonic clock is a jump, ns.
const JUMP_NS: i64 = 10_000_000;
/// Over at least this span a smaller disagreement tells about the rate, ns.
const RATE_SPAN_NS_MIN: u64 = 50_000_000;
/// A disagreement over the span divided by this is a fault: 1,000 ppm.
const RATE_ERROR_DIVISOR: u64 = 1_000;
/// The rate is measured over this span up to twice of it, ns. At 50 ns of noise a sample, 2 s give
/// 25 ppb; a longer span would follow an NTP frequency change too slowly.
const RATE_BASELINE_NS: u64 = 2_000_000_000;
/// The most that engine time runs faster or slower than real time, ppb: 500 ppm, as the kernel's
/// own clock discipline.
pub(crate) const SLEW_PPB_MAX: i64 = 500_000;
/// A small offset falls to a third within this time, ns.
const SLEW_TIME_NS: u64 = 4_000_000_000;
/// The longest that a handle may stand still, ns. Not less: counters of two cores may be a little
/// apart, and a thread that moves between them must not drag engine time along each time.
const HELD_NS_MAX: i64 = 10_000_000;
/// A rate this many times off the nominal one is no rate but another jump.
const RATE_FACTOR_MAX: i64 = 16;

/// What a sample revealed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockEvent {
    /// The counter left the monotonic clock between two samples. Engine time went on without a
    /// step back; quotes that were under way over a jump ahead have expired.
    CounterJumped {
        /// How far the counter moved beyond the monotonic clock, ns.
        by_ns: i64,
    },
    /// The counter's rate was wrong by more than 1,000 ppm; it is being measured afresh.
    CounterRateChanged {
        /// How much faster it ran than estimated, ppb.
        by_ppb: i64,
    },
    /// A handle had read more than the line gives now, since its core's counter is or was ahead.
    /// Engine time was lifted to its reading, lest that handle stand still.
    ReaderAhead {
        /// How far engine time was lifted, ns.
        by_ns: i64,
    },
    /// The wall clock was stepped against the monotonic clock. Engine time was not; it is slewed.
    RealtimeStepped {
        /// How far it was stepped, ns.
        by_ns: i64,
    },
}

/// Turns samples into parameters: the rate from the monotonic clock, the slew from the wall clock.
#[derive(Debug)]
pub(crate) struct Discipline {
    /// The counter's rate when it was calibrated.
    nominal: Rate,
    /// Its rate as last measured, without slew.
    rate: Rate,
    /// Where the measurement of the rate starts, and where the next one will.
    baseline: [Sample; 2],
    last: Sample,
    parameters: Parameters,
    /// After a fault: the next sample sets the rate.
    rate_unknown: bool,
    offset_ns: i64,
    slew_ppb: i64,
    jump_count: u64,
}

impl Discipline {
    /// Engine time anchored to the wall clock at `start`, with a counter that runs at `nominal`.
    pub(crate) fn anchored(start: Sample, nominal: Rate) -> Self {
        Self {
            nominal,
            rate: nominal,
            baseline: [start; 2],
            last: start,
            parameters: Parameters {
                anchor_raw: start.raw,
                anchor_ns: start.realtime_ns,
                rate: nominal,
            },
            rate_unknown: false,
            offset_ns: 0,
            slew_ppb: 0,
            jump_count: 0,
        }
    }

    /// The parameters to publish.
    pub(crate) fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// The counter's rate as last measured, without slew.
    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// Engine time minus wall clock at the last sample, ns.
    pub(crate) fn offset_ns(&self) -> i64 {
        self.offset_ns
    }

    /// How much faster than real time engine time is made to run, ppb.
    pub(crate) fn slew_ppb(&self) -> i64 {
        self.slew_ppb
    }

    /// How much faster the counter runs than it was calibrated, ppb.
    pub(crate) fn drift_ppb(&self) -> i64 {
        self.rate.drift_ppb(self.nominal)
    }

    /// How often the counter left the monotonic clock.
    pub(crate) fn jump_count(&self) -> u64 {
        self.jump_count
    }

    /// Whether `sample` is to be observed: its period is over, it shows a jump, or a handle stands
    /// still at `held_ns`.
    pub(crate) fn is_due(&self, sample: &Sample, held_ns: u64) -> bool {
        let period_ns = if self.rate_unknown { PERIOD_AFTER_FAULT_NS } else { PERIOD_NS };
        let elapsed_ns = self.elapsed_ns(sample);
        let by_ns = self.residual_ns(sample);
        // While the rate is unknown, only a fall back is sure not to be the rate's doing.
        let jumped = by_ns < -JUMP_NS || (by_ns > JUMP_NS && !self.rate_unknown);
        let held = lift_ns(self.parameters.at(sample.raw), held_ns).is_some();
        elapsed_ns >= period_ns || (elapsed_ns > 0 && (jumped || held))
    }

    /// Takes a sample in, and the furthest reading at which a handle ever had to stand still. The
    /// new parameters go through the engine time that the old ones give for the sample, or through
    /// a later one; never through an earlier.
    pub(crate) fn observe(&mut self, sample: Sample, held_ns: u64) -> Option<ClockEvent> {
        let elapsed_ns = self.elapsed_ns(&sample);
        if elapsed_ns == 0 {
            return None;
        }
        let counter_event = self.judge_counter(&sample, elapsed_ns);
        let realtime_event = self.judge_realtime(&sample, elapsed_ns);
        let recovering = self.rate_unknown || counter_event.is_some();
        let engine_ns = self.engine_ns(&sample, elapsed_ns, recovering);
        let lift_ns = lift_ns(engine_ns, held_ns);
        let engine_ns = engine_ns.saturating_add_signed(lift_ns.unwrap_or(0));
        if counter_event.is_some() || lift_ns.is_some() {
            self.jump_count += 1;
            self.baseline = [sample; 2];
            self.rate_unknown = true;
        } else {
            self.measure_rate(&sample);
        }
        self.offset_ns = difference(engine_ns, sample.realtime_ns);
        self.slew_ppb = slew_ppb(self.offset_ns, elapsed_ns);
        self.parameters = Parameters {
            anchor_raw: sample.raw,
            anchor_ns: engine_ns,
            rate: self.rate.adjusted(self.slew_ppb),
        };
        self.last = sample;
        let lift_event = lift_ns.map(|by_ns| ClockEvent::ReaderAhead { by_ns });
        counter_event.or(lift_event).or(realtime_event)
    }

    fn elapsed_ns(&self, sample: &Sample) -> u64 {
        sample.monotonic_ns.saturating_sub(self.last.monotonic_ns)
    }

    fn ticks(&self, sample: &Sample) -> i64 {
        sample.raw.wrapping_sub(self.last.raw).cast_signed()
    }

    /// How far the counter went beyond the monotonic clock since the last sample, ns.
    fn residual_ns(&self, sample: &Sample) -> i64 {
        let counted_ns = self.rate.nanoseconds(self.ticks(sample));
        counted_ns.saturating_sub_unsigned(self.elapsed_ns(sample))
    }

    fn judge_counter(&self, sample: &Sample, elapsed_ns: u64) -> Option<ClockEvent> {
        if self.rate_unknown {
            return self.judge_first_rate(sample, elapsed_ns);
        }
        let by_ns = self.residual_ns(sample);
        let rate_tolerance_ns = elapsed_ns / RATE_ERROR_DIVISOR;
        let beyond_rate = by_ns.unsigned_abs() > rate_tolerance_ns;
        let beyond_jump = by_ns.saturating_abs() > JUMP_NS;
        match (beyond_rate, beyond_jump) {
            (true, true) => Some(ClockEvent::CounterJumped { by_ns }),
            (true, false) if elapsed_ns >= RATE_SPAN_NS_MIN => {
                Some(ClockEvent::CounterRateChanged { by_ppb: ratio_ppb(by_ns, elapsed_ns) })
            }
            _ => None,
        }
    }

    /// After a fault any rate near the nominal one is believed: the next sample tests it.
    fn judge_first_rate(&self, sample: &Sample, elapsed_ns: u64) -> Option<ClockEvent> {
        let counted_ns = self.nominal.nanoseconds(self.ticks(sample));
        let slowest = i64::try_from(elapsed_ns).unwrap_or(i64::MAX) / RATE_FACTOR_MAX;
        let fastest = elapsed_ns.saturating_mul(RATE_FACTOR_MAX.unsigned_abs());
        let plausible = counted_ns > slowest && counted_ns.unsigned_abs() < fastest;
        (!plausible).then(|| ClockEvent::CounterJumped { by_ns: self.residual_ns(sample) })
    }

    fn judge_realtime(&self, sample: &Sample, elapsed_ns: u64) -> Option<ClockEvent> {
        let by_ns = difference(sample.realtime_ns, self.last.realtime_ns)
            .saturating_sub_unsigned(elapsed_ns);
        let tolerance_ns = JUMP_NS.unsigned_abs().max(elapsed_ns / RATE_ERROR_DIVISOR);
        (by_ns.unsigned_abs() > tolerance_ns).then_some(ClockEvent::RealtimeStepped { by_ns })
    }

    /// Engine time at `sample`. While the counter is in doubt, at least as much goes by as on the
    /// monotonic clock, so that a counter that fell back does not hold engine time up.
    fn engine_ns(&self, sample: &Sample, elapsed_ns: u64, recovering: bool) -> u64 {
        let by_counter = self.parameters.at(sample.raw);
        let by_monotonic = self.parameters.anchor_ns.saturating_add(elapsed_ns);
        if recovering { by_counter.max(by_monotonic) } else { by_counter }
    }

    fn measure_rate(&mut self, sample: &Sample) {
        let [from, next] = self.baseline;
        let elapsed_ns = sample.monotonic_ns.saturating_sub(from.monotonic_ns);
        let ticks = sample.raw.wrapping_sub(from.raw);
        // Over less than this the noise of a sample counts for more than the rate.
        if elapsed_ns >= PERIOD_AFTER_FAULT_NS && ticks.cast_signed() > 0 {
            self.rate = Rate::of(elapsed_ns, ticks).unwrap_or(self.rate);
            self.rate_unknown = false;
        }
        if sample.monotonic_ns.saturating_sub(next.monotonic_ns) >= RATE_BASELINE_NS {
            self.baseline = [next, *sample];
        }
    }
}

/// How far engine time is to be lifted for a handle that stands still; `None` for so little that it
/// will have passed at the next look.
fn lift_ns(engine_ns: u64, held_ns: u64) -> Option<i64> {
    Some(difference(held_ns, engine_ns)).filter(|by_ns| *by_ns > HELD_NS_MAX)
}

/// `a − b`, saturating.
fn difference(a: u64, b: u64) -> i64 {
    let magnitude = i64::try_from(a.abs_diff(b)).unwrap_or(i64::MAX);
    if a < b { -magnitude } else { magnitude }
}

fn ratio_ppb(part_ns: i64, whole_ns: u64) -> i64 {
    let ppb = i128::from(part_ns) * 1_000_000_000 / i128::from(whole_ns.max(1));
    i64::try_from(ppb).unwrap_or(if part_ns < 0 { i64::MIN } else { i64::MAX })
}

/// The slew that takes `offset_ns` away. Samples that come seldom make it gentler: an offset must
/// not be paid back more than half before the next look at it.
fn slew_ppb(offset_ns: i64, elapsed_ns: u64) -> i64 {
    let time_ns = SLEW_TIME_NS.max(elapsed_ns.saturating_mul(2));
    ratio_ppb(offset_ns, time_ns).saturating_neg().clamp(-SLEW_PPB_MAX, SLEW_PPB_MAX)
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::super::source::{TimeSource, simulated::Clocks};
    use super::*;
    use proptest::prelude::*;
    use std::sync::Arc;

    const START_NS: u64 = 1_767_364_200_000_000_000;
    const SECOND_NS: u64 = 1_000_000_000;
    const YEAR_NS: i64 = 365 * 86_400 * 1_000_000_000;

    struct Rig {
        clocks: Arc<Clocks>,
        source: TimeSource,
        discipline: Discipline,
        events: Vec<ClockEvent>,
        held_ns: u64,
    }

    impl Rig {
        fn new() -> Self {
            let clocks = Arc::new(Clocks::starting_at(START_NS));
            let source = TimeSource::Simulated(Arc::clone(&clocks));
            let start = source.sample(Rate::NANOSECOND, 0).unwrap();
            let discipline = Discipline::anchored(start, Rate::NANOSECOND);
            Self { clocks, source, discipline, events: Vec::new(), held_ns: 0 }
        }

        fn observe(&mut self) {
            let sample = self.source.sample(Rate::NANOSECOND, 0).unwrap();
            self.events.extend(self.discipline.observe(sample, self.held_ns));
        }

        /// Lets time pass with a sample every period.
        fn run(&mut self, ns: u64) {
            for _ in 0..ns / PERIOD_NS {
                self.clocks.pass(PERIOD_NS);
                self.observe();
            }
        }

        fn engine_ns(&self) -> u64 {
            self.discipline.parameters().at(self.clocks.raw())
        }

        fn true_offset_ns(&self) -> i64 {
            difference(self.engine_ns(), self.clocks.realtime_ns())
        }
    }

    #[test]
    fn a_counter_100_ppm_fast_stays_within_a_millisecond_over_an_hour() {
        let mut rig = Rig::new();
        rig.clocks.set_drift_ppb(100_000);
        let mut offset_ns_max = 0;
        for _ in 0..36_000 {
            rig.clocks.pass(PERIOD_NS);
            offset_ns_max = offset_ns_max.max(rig.true_offset_ns().abs());
            rig.observe();
        }
        assert!(offset_ns_max < 20_000, "{offset_ns_max}");
        assert!(rig.true_offset_ns().abs() < 1_000, "{}", rig.true_offset_ns());
        assert!(rig.discipline.drift_ppb().abs_diff(100_000) <= 2);
        assert_eq!(rig.events, []);
    }

    #[test]
    fn a_counter_whose_rate_wanders_is_followed() {
        let mut rig = Rig::new();
        for ppb in [0, 40_000, -40_000, 80_000, -80_000] {
            rig.clocks.set_drift_ppb(ppb);
            rig.run(20 * SECOND_NS);
            assert!(rig.true_offset_ns().abs() < 400_000, "{}", rig.true_offset_ns());
        }
        assert_eq!(rig.events, []);
    }

    #[test]
    fn a_jump_ahead_is_caught_at_the_next_sample_and_slewed_off() {
        let mut rig = Rig::new();
        rig.run(10 * SECOND_NS);
        rig.clocks.jump_raw(10_000_000_000);
        let jumped_ns = rig.engine_ns();
        rig.run(PERIOD_NS);
        assert_eq!(rig.events, [ClockEvent::CounterJumped { by_ns: 10_000_000_000 }]);
        assert_eq!(rig.discipline.jump_count(), 1);
        assert_eq!(rig.engine_ns(), jumped_ns + PERIOD_NS, "neither back nor further");
        assert_eq!(rig.discipline.slew_ppb(), -SLEW_PPB_MAX);
        rig.run(100 * SECOND_NS);
        assert!(rig.discipline.drift_ppb().abs() < 10, "the jump is not taken for a rate");
        // 100 s at 500 ppm take 50 ms away.
        assert!(rig.true_offset_ns().abs_diff(9_950_000_000) < 100_000);
        assert_eq!(rig.events.len(), 1);
    }

    #[test]
    fn a_fall_back_is_caught_before_the_period_is_over_and_time_goes_on() {
        let mut rig = Rig::new();
        rig.run(10 * SECOND_NS);
        let before_ns = rig.engine_ns();
        rig.clocks.pass(1_000_000);
        rig.clocks.jump_raw(-10_000_000_000);
        let sample = rig.source.sample(Rate::NANOSECOND, 0).unwrap();
        assert!(rig.discipline.is_due(&sample, 0));
        rig.observe();
        assert_eq!(rig.events, [ClockEvent::CounterJumped { by_ns: -10_000_000_000 }]);
        assert_eq!(rig.engine_ns(), before_ns + 1_000_000);
        assert!(rig.true_offset_ns().abs() < 1_000);
    }

    #[test]
    fn a_counter_that_glitched_ahead_between_samples_holds_no_reader_up() {
        let mut rig = Rig::new();
        rig.run(SECOND_NS);
        rig.clocks.jump_raw(5_000_000_000);
        rig.held_ns = rig.engine_ns();
        rig.clocks.jump_raw(-5_000_000_000);
        rig.clocks.pass(1_000_000);
        let sample = rig.source.sample(Rate::NANOSECOND, 0).unwrap();
        assert!(rig.discipline.is_due(&sample, rig.held_ns));
        rig.observe();
        assert_eq!(rig.events, [ClockEvent::ReaderAhead { by_ns: 4_999_000_000 }]);
        assert_eq!(rig.engine_ns(), rig.held_ns);
        assert_eq!(rig.discipline.jump_count(), 1);
    }

    #[test]
    fn a_counter_that_runs_at_twice_its_rate_is_measured_afresh() {
        let mut rig = Rig::new();
        rig.run(10 * SECOND_NS);
        rig.clocks.set_drift_ppb(1_000_000_000);
        rig.run(2 * PERIOD_NS);
        assert_eq!(rig.events, [ClockEvent::CounterJumped { by_ns: 100_000_000 }]);
        assert!(rig.discipline.drift_ppb().abs_diff(1_000_000_000) < 10);
        rig.run(1_000 * SECOND_NS);
        assert!(rig.true_offset_ns().abs() < 1_000, "{}", rig.true_offset_ns());
        assert_eq!(rig.events.len(), 1);
    }

    #[test]
    fn a_rate_2000_ppm_off_is_a_fault_of_the_rate() {
        let mut rig = Rig::new();
        rig.run(SECOND_NS);
        rig.clocks.set_drift_ppb(2_000_000);
        rig.run(PERIOD_NS);
        assert_eq!(rig.events, [ClockEvent::CounterRateChanged { by_ppb: 2_000_000 }]);
        rig.run(PERIOD_NS);
        assert!(rig.discipline.drift_ppb().abs_diff(2_000_000) < 10);
        assert_eq!(rig.discipline.jump_count(), 1);
    }

    #[test]
    fn a_counter_that_stops_is_reported_and_time_goes_on_by_the_monotonic_clock() {
        let mut rig = Rig::new();
        rig.clocks.set_drift_ppb(-1_000_000_000);
        rig.run(3 * PERIOD_NS);
        assert_eq!(rig.discipline.jump_count(), 3);
        assert_eq!(rig.engine_ns(), START_NS + 3 * PERIOD_NS);
    }

    #[test]
    fn a_wall_clock_stepped_by_a_year_steps_nothing() {
        for step_ns in [YEAR_NS, -YEAR_NS] {
            let mut rig = Rig::new();
            rig.run(SECOND_NS);
            rig.clocks.step_realtime(step_ns);
            let before_ns = rig.engine_ns();
            rig.run(60 * SECOND_NS);
            assert_eq!(rig.events, [ClockEvent::RealtimeStepped { by_ns: step_ns }]);
            assert_eq!(rig.discipline.jump_count(), 0);
            let gone_ns = rig.engine_ns() - before_ns;
            assert!(gone_ns.abs_diff(60 * SECOND_NS) <= 60 * 500_000, "{gone_ns}");
            assert!(rig.discipline.offset_ns().abs_diff(-step_ns) <= 60 * 500_000);
            assert_eq!(rig.discipline.slew_ppb(), SLEW_PPB_MAX * step_ns.signum());
        }
    }

    #[test]
    fn a_small_offset_is_slewed_off_without_overshoot() {
        let mut rig = Rig::new();
        rig.clocks.step_realtime(1_000_000);
        for _ in 0..60 {
            rig.run(SECOND_NS);
            assert!(rig.true_offset_ns() <= 100, "{}", rig.true_offset_ns());
        }
        assert!(rig.true_offset_ns().abs() < 1_000, "{}", rig.true_offset_ns());
    }

    #[test]
    fn samples_that_come_once_in_a_minute_do_not_swing() {
        let mut rig = Rig::new();
        rig.clocks.step_realtime(5_000_000);
        for _ in 0..20 {
            for _ in 0..60 {
                rig.clocks.pass(SECOND_NS);
            }
            rig.observe();
        }
        assert!(rig.true_offset_ns().abs() < 10_000, "{}", rig.true_offset_ns());
        assert_eq!(rig.events, []);
    }

    #[test]
    fn two_samples_of_one_moment_are_one() {
        let mut rig = Rig::new();
        rig.run(SECOND_NS);
        let before = rig.discipline.parameters();
        rig.observe();
        assert_eq!(rig.discipline.parameters(), before);
    }

    proptest! {
        #[test]
        fn any_samples_keep_time_from_stepping_back_and_the_slew_bounded(
            samples in proptest::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..40),
        ) {
            let mut discipline = Discipline::anchored(Rig::new().discipline.last, Rate::NANOSECOND);
            for (raw, monotonic_ns, realtime_ns) in samples {
                let before = discipline.parameters();
                let rate_before = discipline.rate();
                let sample = Sample { raw, monotonic_ns, realtime_ns };
                discipline.observe(sample, 0);
                prop_assert!(before.at(raw) <= discipline.parameters().at(raw));
                prop_assert!(discipline.slew_ppb().abs() <= SLEW_PPB_MAX);
                prop_assert!(discipline.rate() >= rate_before || discipline.rate() > Rate::of(1, 1 << 31).unwrap());
            }
        }

        #[test]
        fn no_life_of_a_machine_makes_a_reader_stand_still_for_long(
            steps in proptest::collection::vec(
                (1..300_u64, -500_000..500_000_i64, prop_oneof![9 => Just(0), 1 => -20_000..20_000_i64],
                 prop_oneof![9 => Just(0), 1 => -20_000..20_000_i64]),
                1..200,
            ),
        ) {
            let mut rig = Rig::new();
            let mut seen_ns = rig.engine_ns();
            for (pass_ms, drift_ppb, raw_jump_ms, realtime_step_ms) in steps {
                rig.clocks.set_drift_ppb(drift_ppb);
                rig.clocks.pass(pass_ms * 1_000_000);
                rig.clocks.step_realtime(realtime_step_ms * 1_000_000);
                seen_ns = seen_ns.max(rig.engine_ns());
                rig.clocks.jump_raw(raw_jump_ms * 1_000_000);
                if rig.engine_ns() < seen_ns {
                    rig.held_ns = seen_ns;
                }
                let sample = rig.source.sample(Rate::NANOSECOND, 0).unwrap();
                if rig.discipline.is_due(&sample, rig.held_ns) {
                    rig.observe();
                }
                let behind_ns = seen_ns.saturating_sub(rig.engine_ns());
                prop_assert!(behind_ns <= HELD_NS_MAX.unsigned_abs(), "{behind_ns}");
                seen_ns = seen_ns.max(rig.engine_ns());
            }
        }
    }
}
