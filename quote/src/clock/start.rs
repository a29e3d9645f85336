//! Which counter to trust, decided once at the start, and said in words.

use std::fmt;
use std::sync::Arc;

use super::discipline::Discipline;
use super::engine::{EngineClock, Shared};
use super::parameters::{Parameters, Rate};
use super::source::{Sample, TimeSource, origin};
use super::timekeeper::Timekeeper;

/// Which source the configuration asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClockMode {
    /// The CPU's counter where it can be trusted, else the OS clock.
    #[default]
    Auto,
    /// The CPU's counter, or no start. The kernel's opinion of it is only reported.
    Tsc,
    /// The OS's monotonic clock.
    Os,
}

impl ClockMode {
    /// Every mode with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("tsc", Self::Tsc), ("os", Self::Os)];

    /// The mode of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, mode)| mode)
    }
}

/// What the clock counts by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockSource {
    /// The CPU's invariant counter.
    Tsc,
    /// The OS's monotonic clock.
    Os,
}

impl ClockSource {
    /// The name in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tsc => "tsc",
            Self::Os => "os",
        }
    }
}

/// What the caller knows about this machine. This crate reads no file.
#[derive(Clone, Debug, Default)]
pub struct ClockHints {
    /// The text of `/sys/devices/system/clocksource/clocksource0/current_clocksource`, if it could
    /// be read. White space around it is ignored.
    pub kernel_clocksource: Option<String>,
}

/// How the clock was started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockReport {
    /// What the clock counts by.
    pub source: ClockSource,
    /// How fast that counts, Hz.
    pub ticks_hz: u64,
    /// What an operator should know, each a sentence without a full stop. Empty when all is well.
    pub warnings: Vec<String>,
}

impl fmt::Display for ClockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            ClockSource::Tsc => write!(f, "clock: CPU counter (tsc) at {} Hz", self.ticks_hz)?,
            ClockSource::Os => f.write_str("clock: OS monotonic clock")?,
        }
        self.warnings.iter().try_for_each(|warning| write!(f, "; {warning}"))
    }
}

/// The configuration insists on the CPU's counter, which cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the CPU counter cannot be the clock: {reason}; use clock = \"auto\" or \"os\"")]
pub struct TscUnusable {
    /// Why, in words.
    pub reason: String,
}

/// Rates of the counter: as calibrated, and as measured once more to judge the calibration.
#[derive(Clone, Copy, Debug)]
struct Calibration {
    nominal: Rate,
    /// `None` when the counter did not move or could not be sampled.
    measured: Option<Rate>,
}

/// How far the two rates may be apart, ppb: 1,000 ppm.
const CALIBRATION_ERROR_PPB_MAX: u64 = 1_000_000;
/// How long the second measurement takes, ns.
const CHECK_NS: u64 = 5_000_000;
/// The widest sample that counts for it: 1 µs over 5 ms is 200 ppm.
const CHECK_WIDTH_NS_MAX: i64 = 1_000;
/// Attempts at a sample before the machine counts as too busy to judge.
const CHECK_ATTEMPTS: usize = 1_000;
/// Clock sources by which the kernel says that it trusts the counter itself.
const KERNEL_TRUSTS: [&str; 2] = ["tsc", "arch_sys_counter"];
/// Clock sources of hypervisors, which compute time from the counter and may move it.
const KERNEL_DERIVES: [&str; 2] = ["kvm-clock", "hyperv_clocksource_tsc_page"];

impl EngineClock {
    /// Calibrates the clock, anchors it to the wall clock and hands out the first handle together
    /// with the timekeeper, which a cold thread must poll. Takes up to a quarter of a second.
    ///
    /// Without a counter that can be trusted, [`ClockMode::Auto`] falls back to the OS clock and
    /// the report says why.
    ///
    /// # Errors
    /// [`TscUnusable`] when the mode is [`ClockMode::Tsc`] and the CPU has no invariant counter or
    /// its calibration is implausible.
    pub fn start(
        mode: ClockMode,
        hints: &ClockHints,
    ) -> Result<(Self, Timekeeper, ClockReport), TscUnusable> {
        let tsc = (mode != ClockMode::Os).then(tsc_source).flatten();
        let calibration = tsc.as_ref().map(|(source, nominal)| Calibration {
            nominal: *nominal,
            measured: measure(source, *nominal),
        });
        let report = decide(mode, hints, calibration)?;
        let (source, nominal) = match (report.source, tsc) {
            (ClockSource::Tsc, Some(tsc)) => tsc,
            _ => (TimeSource::Os { origin: origin() }, Rate::NANOSECOND),
        };
        let (clock, timekeeper) = assemble(source, report.source, nominal);
        Ok((clock, timekeeper, report))
    }
}

/// The handle and the timekeeper on `source`, anchored now.
pub(crate) fn assemble(
    source: TimeSource,
    kind: ClockSource,
    nominal: Rate,
) -> (EngineClock, Timekeeper) {
    let discipline = Discipline::anchored(anchor(&source, nominal), nominal);
    let parameters: Parameters = discipline.parameters();
    let shared = Arc::new(Shared::new(parameters, kind));
    let clock = EngineClock::new(shared, source, parameters);
    (clock.clone(), Timekeeper::new(clock, discipline))
}

/// The counter and its rate by quanta; `None` when the CPU has no invariant one.
fn tsc_source() -> Option<(TimeSource, Rate)> {
    let counter = quanta::Clock::new();
    // quanta does not say what it reads. It scales a counter from where its calibration began, so
    // any two readings before that are one instant; the OS clock it passes through as it is.
    let is_counter = counter.scaled(0) == counter.scaled(1);
    let ticks = 1 << 40;
    let nominal = Rate::of(counter.delta_as_nanos(0, ticks), ticks)?;
    is_counter.then(|| (TimeSource::Tsc { counter, origin: origin() }, nominal))
}

/// The rate of `source` over a few milliseconds.
fn measure(source: &TimeSource, nominal: Rate) -> Option<Rate> {
    let first = narrow_sample(source, nominal)?;
    let waited_since = origin();
    while waited_since.elapsed().as_nanos() < CHECK_NS.into() {
        std::hint::spin_loop();
    }
    let second = narrow_sample(source, nominal)?;
    let ticks = second.raw.wrapping_sub(first.raw);
    Rate::of(second.monotonic_ns.saturating_sub(first.monotonic_ns), ticks)
}

fn narrow_sample(source: &TimeSource, nominal: Rate) -> Option<Sample> {
    (0..CHECK_ATTEMPTS).find_map(|_| source.sample(nominal, CHECK_WIDTH_NS_MAX))
}

/// A sample to anchor to: a narrow one, else any.
fn anchor(source: &TimeSource, nominal: Rate) -> Sample {
    narrow_sample(source, nominal).unwrap_or_else(|| source.any_sample())
}

/// Decides from what is known. Pure.
fn decide(
    mode: ClockMode,
    hints: &ClockHints,
    calibration: Option<Calibration>,
) -> Result<ClockReport, TscUnusable> {
    if mode == ClockMode::Os {
        return Ok(os_report(Vec::new()));
    }
    let doubt = kernel_doubt(hints);
    match (counter_fault(calibration), mode) {
        (Err(reason), ClockMode::Tsc) => Err(TscUnusable { reason }),
        (Err(reason), _) => Ok(os_report(vec![fallback(&reason)])),
        (Ok(_), ClockMode::Auto) if doubt == Doubt::Refuses => {
            Ok(os_report(vec![fallback(&doubt_text(hints))]))
        }
        (Ok(rate), _) => Ok(ClockReport {
            source: ClockSource::Tsc,
            ticks_hz: rate.ticks_hz(),
            warnings: if doubt == Doubt::None { vec![] } else { vec![doubt_text(hints)] },
        }),
    }
}

/// The counter's rate, or why it is no clock.
fn counter_fault(calibration: Option<Calibration>) -> Result<Rate, String> {
    let Some(Calibration { nominal, measured }) = calibration else {
        return Err("the CPU has no invariant counter".into());
    };
    let Some(measured) = measured else {
        return Err("the CPU counter stands still or could not be measured".into());
    };
    let error_ppb = measured.drift_ppb(nominal);
    if error_ppb.unsigned_abs() > CALIBRATION_ERROR_PPB_MAX {
        return Err(format!(
            "the CPU counter was calibrated to {} Hz but measured at {} Hz, {} ppm apart",
            nominal.ticks_hz(),
            measured.ticks_hz(),
            error_ppb / 1_000
        ));
    }
    Ok(nominal)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Doubt {
    None,
    /// Worth a warning.
    Warns,
    /// The kernel counts by something else, most likely since it found the counter unstable.
    Refuses,
}

fn kernel_doubt(hints: &ClockHints) -> Doubt {
    match hints.kernel_clocksource.as_deref().map(str::trim) {
        Some(name) if KERNEL_TRUSTS.contains(&name) => Doubt::None,
        Some(name) if KERNEL_DERIVES.contains(&name) => Doubt::Warns,
        Some(_) => Doubt::Refuses,
        None => Doubt::Warns,
    }
}

fn doubt_text(hints: &ClockHints) -> String {
    match hints.kernel_clocksource.as_deref().map(str::trim) {
        Some(name) => format!("the kernel's clock source is {name:?} and not the CPU counter"),
        None => "the kernel's clock source is unknown".into(),
    }
}

fn fallback(reason: &str) -> String {
    format!("fell back to the OS clock, since {reason}")
}

fn os_report(warnings: Vec<String>) -> ClockReport {
    ClockReport { source: ClockSource::Os, ticks_hz: Rate::NANOSECOND.ticks_hz(), warnings }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn hz(hz: u64) -> Rate {
        Rate::of(1_000_000_000, hz).unwrap()
    }

    fn calibrated(nominal_hz: u64, measured_hz: u64) -> Option<Calibration> {
        Some(Calibration { nominal: hz(nominal_hz), measured: Some(hz(measured_hz)) })
    }

    fn kernel(name: &str) -> ClockHints {
        ClockHints { kernel_clocksource: Some(name.into()) }
    }

    #[test]
    fn a_sound_counter_that_the_kernel_uses_itself_is_used_without_a_word() {
        let report =
            decide(ClockMode::Auto, &kernel("tsc\n"), calibrated(2_300_000_000, 2_300_100_000))
                .unwrap();
        assert_eq!((report.source, report.warnings.len()), (ClockSource::Tsc, 0));
        assert_eq!(report.to_string(), "clock: CPU counter (tsc) at 2300000000 Hz");
    }

    #[test]
    fn a_counter_that_the_kernel_does_not_use_is_a_fallback_or_a_warning() {
        let sound = calibrated(2_300_000_000, 2_300_000_000);
        let unstable = decide(ClockMode::Auto, &kernel("hpet"), sound).unwrap();
        assert_eq!(
            unstable.to_string(),
            "clock: OS monotonic clock; fell back to the OS clock, since the kernel's clock source \
             is \"hpet\" and not the CPU counter"
        );
        for hints in [kernel("kvm-clock"), ClockHints::default()] {
            let guest = decide(ClockMode::Auto, &hints, sound).unwrap();
            assert_eq!((guest.source, guest.warnings.len()), (ClockSource::Tsc, 1), "{guest}");
        }
        let forced = decide(ClockMode::Tsc, &kernel("hpet"), sound).unwrap();
        assert_eq!((forced.source, forced.warnings.len()), (ClockSource::Tsc, 1), "{forced}");
    }

    #[test]
    fn a_counter_that_is_absent_or_implausible_falls_back_or_fails_with_the_reason() {
        let stuck = Some(Calibration { nominal: hz(1_000_000_000), measured: None });
        for (calibration, reason) in [
            (None, "no invariant counter"),
            (stuck, "stands still"),
            (calibrated(2_300_000_000, 2_303_000_000), "1304 ppm apart"),
            (calibrated(2_300_000_000, 1_150_000_000), "-500000 ppm apart"),
        ] {
            let report = decide(ClockMode::Auto, &kernel("tsc"), calibration).unwrap();
            assert_eq!(report.source, ClockSource::Os);
            assert!(report.to_string().contains(reason), "{report}");
            let error = decide(ClockMode::Tsc, &kernel("tsc"), calibration).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn the_os_clock_is_there_for_the_asking() {
        let report = decide(ClockMode::Os, &kernel("tsc"), None).unwrap();
        assert_eq!((report.source, report.warnings.len()), (ClockSource::Os, 0));
    }

    #[test]
    fn mode_names_round_trip() {
        for (name, mode) in ClockMode::NAMES {
            assert_eq!(ClockMode::from_name(name), Some(mode));
        }
        assert_eq!(ClockMode::from_name("hpet"), None);
    }

    #[test]
    fn the_clock_of_this_machine_starts_at_the_wall_clock_and_moves() {
        for mode in [ClockMode::Auto, ClockMode::Os] {
            let (clock, mut timekeeper, report) =
                EngineClock::start(mode, &ClockHints::default()).unwrap();
            timekeeper.poll();
            let before_ns = TimeSource::Os { origin: origin() }.any_sample().realtime_ns;
            let now_ns = clock.now();
            assert!(now_ns.abs_diff(before_ns) < 1_000_000_000, "{now_ns} {before_ns}");
            while clock.now() == now_ns {}
            assert_eq!(clock.metrics().source(), report.source);
        }
    }
}
