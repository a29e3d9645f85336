//! The line that turns raw ticks into engine time, and how it reaches every reader.

use crate::sync::{AtomicU64, Ordering, fence};

/// Nanoseconds per raw tick, fixed point with 32 fraction bits: 0.5 ppb at 2.3 GHz.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rate(i64);

impl Rate {
    const FRACTION_BITS: u32 = 32;

    /// One nanosecond per tick: what the OS clock counts.
    pub(crate) const NANOSECOND: Self = Self(1 << Self::FRACTION_BITS);

    /// The rate at which `ticks` take `elapsed_ns`; `None` where that is no rate at all.
    pub(crate) fn of(elapsed_ns: u64, ticks: u64) -> Option<Self> {
        let rate = (u128::from(elapsed_ns) << Self::FRACTION_BITS).checked_div(ticks.into())?;
        i64::try_from(rate).ok().filter(|rate| *rate > 0).map(Self)
    }

    /// `ticks` in nanoseconds, rounded down, saturating.
    #[inline]
    pub(crate) fn nanoseconds(self, ticks: i64) -> i64 {
        let ns = (i128::from(ticks) * i128::from(self.0)) >> Self::FRACTION_BITS;
        i64::try_from(ns).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
    }

    /// This rate with `ppb` parts per billion more.
    pub(crate) fn adjusted(self, ppb: i64) -> Self {
        let change = i128::from(self.0) * i128::from(ppb) / 1_000_000_000;
        let rate = i128::from(self.0) + change;
        Self(i64::try_from(rate).unwrap_or(i64::MAX).max(1))
    }

    /// How much faster a source of this rate counts than one of `nominal`, parts per billion:
    /// positive when it counts more ticks in the same time.
    pub(crate) fn drift_ppb(self, nominal: Self) -> i64 {
        let excess = i128::from(nominal.0) - i128::from(self.0);
        let ppb = excess * 1_000_000_000 / i128::from(self.0);
        i64::try_from(ppb).unwrap_or(if excess < 0 { i64::MIN } else { i64::MAX })
    }

    /// Ticks per second, rounded down.
    pub(crate) fn ticks_hz(self) -> u64 {
        let hz = (1_000_000_000_u128 << Self::FRACTION_BITS) / u128::from(self.0.unsigned_abs());
        u64::try_from(hz).unwrap_or(u64::MAX)
    }
}

/// Engine time as a line over raw ticks: through (`anchor_raw`, `anchor_ns`) at `rate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parameters {
    /// Raw ticks at the anchor.
    pub(crate) anchor_raw: u64,
    /// Engine time at the anchor, ns since the Unix epoch.
    pub(crate) anchor_ns: u64,
    /// The slope, slew included.
    pub(crate) rate: Rate,
}

impl Parameters {
    /// Engine time at `raw`, ns since the Unix epoch, saturating. Ticks before the anchor count
    /// back from it, since another core's counter may lag a little.
    #[inline]
    pub(crate) fn at(&self, raw: u64) -> u64 {
        let ticks = raw.wrapping_sub(self.anchor_raw).cast_signed();
        self.anchor_ns.saturating_add_signed(self.rate.nanoseconds(ticks))
    }
}

/// A seqlock over [`Parameters`]: one writer, any number of readers, nobody waits.
///
/// The sequence is odd while a publication is under way. A reader that meets one gets nothing and
/// goes on with the parameters that it has: both lines run through the anchor of the new one, so
/// they agree to parts per million for the moment that the writer takes. A writer that is
/// descheduled half-way therefore holds up no reader.
#[derive(Debug)]
pub(crate) struct ParameterCell {
    sequence: AtomicU64,
    words: [AtomicU64; 3],
}

impl ParameterCell {
    /// A cell that holds `parameters` under sequence 0.
    pub(crate) fn new(parameters: Parameters) -> Self {
        Self { sequence: AtomicU64::new(0), words: words_of(parameters).map(AtomicU64::new) }
    }

    /// Publishes `parameters`. Single writer.
    pub(crate) fn publish(&self, parameters: Parameters) {
        // Relaxed: the one writer reads its own last store.
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Ordering::Relaxed);
        // Release fence pairs with the acquire fence in `try_read`: whoever sees one of the words
        // below sees the odd sequence above.
        fence(Ordering::Release);
        self.store_words(parameters);
        // Release pairs with the acquire loads of the sequence: whoever sees it sees every word.
        self.sequence.store(sequence.wrapping_add(2), Ordering::Release);
    }

    /// The sequence that stands: it changes with every publication.
    #[inline]
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence.load(Ordering::Acquire)
    }

    /// The parameters and their sequence; `None` while a publication is under way.
    pub(crate) fn try_read(&self) -> Option<(u64, Parameters)> {
        // Acquire pairs with the release of the even sequence in `publish`.
        let before = self.sequence();
        let parameters = self.load_words();
        // Acquire fence pairs with the release fence in `publish`: had a word been of a later
        // publication, the load below would see that publication's odd sequence.
        fence(Ordering::Acquire);
        let after = self.sequence.load(Ordering::Relaxed);
        (before == after && before.is_multiple_of(2)).then_some((before, parameters))
    }

    fn store_words(&self, parameters: Parameters) {
        for (word, value) in self.words.iter().zip(words_of(parameters)) {
            word.store(value, Ordering::Relaxed);
        }
    }

    fn load_words(&self) -> Parameters {
        let [anchor_raw, anchor_ns, rate] = &self.words;
        Parameters {
            anchor_raw: anchor_raw.load(Ordering::Relaxed),
            anchor_ns: anchor_ns.load(Ordering::Relaxed),
            rate: Rate(rate.load(Ordering::Relaxed).cast_signed()),
        }
    }
}

fn words_of(parameters: Parameters) -> [u64; 3] {
    [parameters.anchor_raw, parameters.anchor_ns, parameters.rate.0.cast_unsigned()]
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_rate_is_nanoseconds_per_tick() {
        let rate = Rate::of(1_000_000_000, 2_300_000_000).unwrap();
        assert_eq!(rate.nanoseconds(2_300_000), 999_999); // Rounded down at both steps.
        assert!(rate.ticks_hz().abs_diff(2_300_000_000) < 3);
        assert_eq!(Rate::of(5, 5), Some(Rate::NANOSECOND));
        assert_eq!(Rate::of(5, 0), None);
        assert_eq!(Rate::of(0, 5), None);
        assert_eq!(Rate::of(u64::MAX, 1), None);
    }

    #[test]
    fn drift_is_positive_when_the_source_runs_fast() {
        let nominal = Rate::of(1_000_000, 1_000_000).unwrap();
        let fast = Rate::of(1_000_000, 1_000_100).unwrap();
        assert!(fast.drift_ppb(nominal).abs_diff(100_000) <= 1);
        assert!(nominal.adjusted(-500_000).drift_ppb(nominal).abs_diff(500_250) <= 1);
    }

    #[test]
    fn ticks_before_the_anchor_count_back() {
        let line = Parameters { anchor_raw: 100, anchor_ns: 5_000, rate: Rate::NANOSECOND };
        assert_eq!([line.at(90), line.at(100), line.at(117)], [4_990, 5_000, 5_017]);
    }

    #[test]
    fn a_published_line_is_read_back_under_a_new_even_sequence() {
        let first = Parameters { anchor_raw: 1, anchor_ns: 2, rate: Rate::NANOSECOND };
        let cell = ParameterCell::new(first);
        assert_eq!(cell.try_read(), Some((0, first)));
        let second = Parameters { anchor_raw: 3, ..first };
        cell.publish(second);
        assert_eq!(cell.try_read(), Some((2, second)));
        assert_eq!(cell.sequence(), 2);
    }

    #[test]
    fn a_reader_that_meets_a_publication_gets_nothing_and_does_not_wait() {
        let line = Parameters { anchor_raw: 1, anchor_ns: 2, rate: Rate::NANOSECOND };
        let cell = ParameterCell::new(line);
        cell.sequence.store(1, Ordering::Relaxed);
        assert_eq!(cell.try_read(), None);
    }

    proptest! {
        #[test]
        fn a_line_never_falls_and_never_overflows(
            anchor_raw: u64, anchor_ns: u64, rate in 1..=i64::MAX, ticks: i64, more in 0..i64::MAX,
        ) {
            let line = Parameters { anchor_raw, anchor_ns, rate: Rate(rate) };
            let earlier = anchor_raw.wrapping_add_signed(ticks);
            let later = anchor_raw.wrapping_add_signed(ticks.saturating_add(more));
            prop_assert!(line.at(earlier) <= line.at(later));
        }
    }
}

/// Exhaustive: one publication against one reader needs no bound. The writer runs on the model's
/// main thread: see the models of [`Counter`](crate::Counter).
#[cfg(loom)]
#[cfg(test)]
mod loom_models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// A line whose three words agree, so that a torn one shows.
    fn line(n: u32) -> Parameters {
        Parameters { anchor_raw: n.into(), anchor_ns: n.into(), rate: Rate(n.into()) }
    }

    fn assert_whole(read: Option<(u64, Parameters)>) {
        if let Some((sequence, parameters)) = read {
            let n = u32::try_from(1 + sequence / 2).unwrap();
            assert_eq!(parameters, line(n), "torn");
        }
    }

    /// Runs `publish` of a second line against `read`.
    fn model(
        publish: fn(&ParameterCell, Parameters),
        read: fn(&ParameterCell) -> Option<(u64, Parameters)>,
    ) {
        loom::model(move || {
            let cell = Arc::new(ParameterCell::new(line(1)));
            let reader = thread::spawn({
                let cell = Arc::clone(&cell);
                move || assert_whole(read(&cell))
            });
            publish(&cell, line(2));
            reader.join().unwrap();
            assert_eq!(cell.try_read(), Some((2, line(2))));
        });
    }

    #[test]
    fn loom_a_reader_never_sees_a_torn_line() {
        model(ParameterCell::publish, ParameterCell::try_read);
    }

    /// Two publications in a row: a reader that straddles both takes neither's words for the
    /// other's. Bounded to three preemptions: a second, where the exhaustive run takes 15 and finds
    /// no more, since a reader that is torn needs to be preempted only once on each side.
    #[test]
    fn loom_a_reader_survives_two_publications() {
        let mut bounded = loom::model::Builder::new();
        bounded.preemption_bound = Some(3);
        bounded.check(|| {
            let cell = Arc::new(ParameterCell::new(line(1)));
            let reader = thread::spawn({
                let cell = Arc::clone(&cell);
                move || assert_whole(cell.try_read())
            });
            (2..=3).for_each(|n| cell.publish(line(n)));
            reader.join().unwrap();
        });
    }

    /// The protocol without the writer's fence, to show that the model would notice.
    #[test]
    #[should_panic(expected = "torn")]
    fn loom_without_the_release_fence_a_line_is_torn() {
        fn publish_unfenced(cell: &ParameterCell, parameters: Parameters) {
            let sequence = cell.sequence.load(Ordering::Relaxed);
            cell.sequence.store(sequence + 1, Ordering::Relaxed);
            cell.store_words(parameters);
            cell.sequence.store(sequence + 2, Ordering::Release);
        }
        model(publish_unfenced, ParameterCell::try_read);
    }

    /// The protocol without the reader's fence.
    #[test]
    #[should_panic(expected = "torn")]
    fn loom_without_the_acquire_fence_a_line_is_torn() {
        fn read_unfenced(cell: &ParameterCell) -> Option<(u64, Parameters)> {
            let before = cell.sequence();
            let parameters = cell.load_words();
            let after = cell.sequence.load(Ordering::Relaxed);
            (before == after && before.is_multiple_of(2)).then_some((before, parameters))
        }
        model(ParameterCell::publish, read_unfenced);
    }
}
