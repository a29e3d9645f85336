//! What a latency sample costs.

use freshlane_consumers::LatencyRecorder;
use hdrhistogram::Histogram;

use crate::contest::{Contender, contest};
use crate::plan::Suite;
use crate::row::{Comparison, Row};
use crate::session::{Session, SessionError};

/// Samples of a slice.
const SAMPLES: usize = 1 << 14;

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
///
/// # Panics
/// Never: the histogram has bounds.
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::Recorder) {
        return Ok(());
    }
    let samples = latencies(SAMPLES);
    let recorder = LatencyRecorder::new();
    let mut histogram = Histogram::<u64>::new_with_bounds(1, LatencyRecorder::VALUE_MAX_NS, 3)
        .expect("bounds of a histogram");
    let mut contenders = [
        Contender::timed("`LatencyRecorder`", |_| {
            samples.iter().for_each(|sample| recorder.record(*sample));
            samples.len() as u64
        }),
        Contender::timed("`hdrhistogram` saturating", |_| {
            samples.iter().for_each(|sample| histogram.saturating_record(*sample));
            samples.len() as u64
        }),
    ];
    let rounds = session.scale().rounds();
    let standings = contest(rounds, session.scale().micro_slices(), &mut contenders);
    let row = Row::of(Suite::Recorder, "one sample", "ns/sample", &standings[0])
        .against(&standings[1].name, &standings[1].each_ns, Comparison::Times)
        .note(
            "Both have the same buckets (1 ns to 68.7 s, 3 digits); ours may be read by another \
             thread while it records.",
        );
    session.add(row)
}

/// Latencies as a busy lane has them, ns: most around 100 ns to 10 µs, some up to 1 s, in no order.
#[must_use]
pub fn latencies(count: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let sample = |bits: u64, spread: u64| match spread % 100 {
        0 => 1_000_000 + bits % 999_000_000,
        1..=9 => 10_000 + bits % 990_000,
        10..=59 => 1_000 + bits % 9_000,
        _ => 100 + bits % 900,
    };
    (0..count).map(|_| sample(random(), random())).collect()
}
