//! Latencies: recorded by one hot thread, read by any other while it records.

use std::sync::atomic::{AtomicU64, Ordering};

use hdrhistogram::Histogram;

/// Sub-buckets of one power of two: 3 significant digits need 2,048, of which the lower half is the
/// power of two before.
const HALF_BITS: u32 = 10;
const VALUE_BITS: u32 = 36;
/// (2,048 values exactly) + (1,024 for each further power of two).
const BUCKETS: usize = ((VALUE_BITS - HALF_BITS + 1) as usize) << HALF_BITS;

/// The bucket of a value below 2^36: the layout of an HDR histogram from 1 with 3 digits.
#[inline]
fn bucket_of(value_ns: u64) -> usize {
    let shift = (value_ns | ((2 << HALF_BITS) - 1)).ilog2() - HALF_BITS;
    #[allow(clippy::cast_possible_truncation, reason = "at most 2,047 after the shift")]
    let within = (value_ns >> shift) as usize;
    ((shift as usize) << HALF_BITS) + within
}

/// The smallest value of a bucket.
const fn lowest_of(bucket: usize) -> u64 {
    let power = bucket >> HALF_BITS;
    if power == 0 {
        return bucket as u64;
    }
    let shift = power - 1;
    ((bucket - (shift << HALF_BITS)) as u64) << shift
}

/// A histogram of ns with 3 significant digits from 1 ns to 68.7 s, and the exact minimum and
/// maximum beyond.
///
/// One thread records, with a plain load, add and store per sample and no allocation; any thread
/// reads. The buckets are those of `hdrhistogram`, so percentiles are the same to the digit.
#[derive(Debug)]
pub struct LatencyRecorder {
    counts: Box<[AtomicU64]>,
    min_ns: AtomicU64,
    max_ns: AtomicU64,
    saturated: AtomicU64,
}

impl LatencyRecorder {
    /// The largest value that has a bucket of its own, ns (2^36 − 1, about 68.7 s). What is larger
    /// is counted in the last bucket and in [`LatencySnapshot::saturated`].
    pub const VALUE_MAX_NS: u64 = (1 << VALUE_BITS) - 1;

    /// An empty histogram whose every page has been touched.
    #[must_use]
    pub fn new() -> Self {
        let counts: Box<[AtomicU64]> = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        // An allocator may hand out zero pages that are not there yet; a store brings them.
        counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
        Self {
            counts,
            min_ns: AtomicU64::new(u64::MAX),
            max_ns: AtomicU64::new(0),
            saturated: AtomicU64::new(0),
        }
    }

    /// Records `value_ns` once. Single writer.
    #[inline]
    pub fn record(&self, value_ns: u64) {
        self.record_n(value_ns, 1);
    }

    /// Records `value_ns` `count` times. Single writer.
    #[inline]
    pub fn record_n(&self, value_ns: u64, count: u64) {
        if count == 0 {
            return;
        }
        let within_range = value_ns.min(Self::VALUE_MAX_NS);
        if within_range != value_ns {
            add(&self.saturated, count);
        }
        if let Some(bucket) = self.counts.get(bucket_of(within_range)) {
            add(bucket, count);
        }
        if value_ns > self.max_ns.load(Ordering::Relaxed) {
            self.max_ns.store(value_ns, Ordering::Relaxed);
        }
        if value_ns < self.min_ns.load(Ordering::Relaxed) {
            self.min_ns.store(value_ns, Ordering::Relaxed);
        }
    }

    /// Everything recorded so far. Allocates: for the cold side.
    #[must_use]
    pub fn snapshot(&self) -> LatencySnapshot {
        let mut histogram = empty_histogram();
        for (bucket, count) in self.counts.iter().enumerate() {
            add_bucket(&mut histogram, bucket, count.load(Ordering::Relaxed));
        }
        LatencySnapshot {
            histogram,
            min_ns: self.min_ns.load(Ordering::Relaxed),
            max_ns: self.max_ns.load(Ordering::Relaxed),
            saturated: self.saturated.load(Ordering::Relaxed),
        }
    }
}

impl Default for LatencyRecorder {
    fn default() -> Self {
        Self::new()
    }
}

/// Relaxed: every word is a number of its own, and the one writer reads its own last store.
#[inline]
fn add(word: &AtomicU64, count: u64) {
    word.store(word.load(Ordering::Relaxed).wrapping_add(count), Ordering::Relaxed);
}

fn empty_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LatencyRecorder::VALUE_MAX_NS, 3)
        .expect("1 to 2^36 - 1 with 3 digits are bounds of a histogram")
}

fn add_bucket(histogram: &mut Histogram<u64>, bucket: usize, count: u64) {
    if count > 0 {
        histogram.saturating_record_n(lowest_of(bucket), count);
    }
}

/// What a [`LatencyRecorder`] held at one moment.
#[derive(Clone, Debug)]
pub struct LatencySnapshot {
    /// All samples; those beyond [`LatencyRecorder::VALUE_MAX_NS`] stand in the last bucket.
    pub histogram: Histogram<u64>,
    /// The smallest sample exactly, ns; `u64::MAX` where there is none.
    pub min_ns: u64,
    /// The largest sample exactly, ns; 0 where there is none.
    pub max_ns: u64,
    /// Samples beyond [`LatencyRecorder::VALUE_MAX_NS`].
    pub saturated: u64,
}

impl LatencySnapshot {
    /// How many samples there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The value that a share `quantile` (0 to 1) of the samples does not exceed, ns, to 3 digits
    /// and never above the exact maximum. 0 where there is no sample.
    #[must_use]
    pub fn value_at_quantile_ns(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile).min(self.max_ns)
    }
}

/// Reads what was recorded since it last read: for percentiles over a sliding window.
///
/// It only subtracts from what it saw before, so the recorder is not touched, several readers do
/// not disturb each other, and no sample is lost or seen twice.
#[derive(Debug)]
pub struct IntervalReader {
    seen: Box<[u64]>,
}

impl IntervalReader {
    /// A reader whose first interval begins with the first sample.
    #[must_use]
    pub fn new() -> Self {
        Self { seen: vec![0; BUCKETS].into_boxed_slice() }
    }

    /// The samples since the last call. To be used with one recorder only.
    #[must_use]
    pub fn read(&mut self, recorder: &LatencyRecorder) -> Histogram<u64> {
        let mut interval = empty_histogram();
        for (bucket, (seen, count)) in self.seen.iter_mut().zip(&recorder.counts).enumerate() {
            let count = count.load(Ordering::Relaxed);
            add_bucket(&mut interval, bucket, count.wrapping_sub(*seen));
            *seen = count;
        }
        interval
    }
}

impl Default for IntervalReader {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUANTILES: [f64; 9] = [0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0];

    /// Values of every magnitude, and the edges of the range.
    fn value() -> impl Strategy<Value = u64> {
        let any_magnitude = (0..64_u32, any::<u64>()).prop_map(|(shift, bits)| bits >> shift);
        let max = LatencyRecorder::VALUE_MAX_NS;
        prop_oneof![8 => any_magnitude, 1 => 0..5_000_u64, 1 => max - 2..max + 3]
    }

    #[test]
    fn buckets_are_contiguous_and_cover_the_range() {
        assert_eq!(lowest_of(0), 0);
        for bucket in 0..BUCKETS {
            let lowest = lowest_of(bucket);
            assert_eq!(bucket_of(lowest), bucket);
            if bucket > 0 {
                assert_eq!(bucket_of(lowest - 1), bucket - 1);
            }
        }
        assert_eq!(bucket_of(LatencyRecorder::VALUE_MAX_NS), BUCKETS - 1);
    }

    #[test]
    fn values_beyond_the_range_are_clamped_counted_and_shown() {
        let recorder = LatencyRecorder::new();
        let max = LatencyRecorder::VALUE_MAX_NS;
        for value in [0, 1, max, max + 1, u64::MAX] {
            recorder.record(value);
        }
        let snapshot = recorder.snapshot();
        assert_eq!((snapshot.count(), snapshot.saturated), (5, 2));
        assert_eq!((snapshot.min_ns, snapshot.max_ns), (0, u64::MAX));
        assert_eq!(snapshot.value_at_quantile_ns(1.0), max);
        assert_eq!(snapshot.histogram.count_at(max), 3);
    }

    #[test]
    fn an_empty_recorder_has_an_empty_snapshot() {
        let recorder = LatencyRecorder::new();
        recorder.record_n(7, 0);
        let snapshot = recorder.snapshot();
        assert_eq!((snapshot.count(), snapshot.max_ns, snapshot.saturated), (0, 0, 0));
        assert_eq!(snapshot.value_at_quantile_ns(0.99), 0);
    }

    #[test]
    fn a_quantile_does_not_exceed_the_exact_maximum() {
        let recorder = LatencyRecorder::new();
        recorder.record(1_000_000);
        assert!(recorder.snapshot().histogram.value_at_quantile(0.5) > 1_000_000);
        assert_eq!(recorder.snapshot().value_at_quantile_ns(0.5), 1_000_000);
    }

    proptest! {
        #[test]
        fn percentiles_equal_those_of_hdrhistogram(
            samples in prop::collection::vec((value(), 1..4_u64), 1..300),
        ) {
            let recorder = LatencyRecorder::new();
            let mut model = empty_histogram();
            for &(value, count) in &samples {
                recorder.record_n(value, count);
                model.saturating_record_n(value.min(LatencyRecorder::VALUE_MAX_NS), count);
            }
            let snapshot = recorder.snapshot();
            prop_assert_eq!(snapshot.count(), model.len());
            for quantile in QUANTILES {
                let expected = model.value_at_quantile(quantile);
                prop_assert_eq!(snapshot.histogram.value_at_quantile(quantile), expected);
            }
            prop_assert_eq!(Some(snapshot.max_ns), samples.iter().map(|s| s.0).max());
            prop_assert_eq!(Some(snapshot.min_ns), samples.iter().map(|s| s.0).min());
        }

        #[test]
        fn intervals_neither_lose_nor_double_a_sample(
            intervals in prop::collection::vec(prop::collection::vec(value(), 0..20), 1..8),
        ) {
            let recorder = LatencyRecorder::new();
            let mut reader = IntervalReader::new();
            let mut sum = empty_histogram();
            for values in &intervals {
                values.iter().for_each(|value| recorder.record(*value));
                let interval = reader.read(&recorder);
                prop_assert_eq!(interval.len(), values.len() as u64);
                sum.add(&interval).unwrap();
            }
            prop_assert_eq!(reader.read(&recorder).len(), 0);
            prop_assert_eq!(sum, recorder.snapshot().histogram);
        }
    }

    #[test]
    fn intervals_read_beside_a_recording_thread_add_up() {
        let recorder = LatencyRecorder::new();
        let mut reader = IntervalReader::new();
        let mut sum = empty_histogram();
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (0..50_000).for_each(|value| recorder.record(value)));
            while !writer.is_finished() {
                sum.add(reader.read(&recorder)).unwrap();
            }
        });
        sum.add(reader.read(&recorder)).unwrap();
        assert_eq!(sum, recorder.snapshot().histogram);
        assert_eq!(sum.len(), 50_000);
    }
}
