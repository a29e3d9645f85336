//! The live clock: one counter read and one line, shared by handles that never go back.

use std::cell::Cell;
use std::sync::Arc;

use crossbeam_utils::CachePadded;

use super::metrics::{ClockMetrics, Published};
use super::parameters::{ParameterCell, Parameters};
use super::source::TimeSource;
use super::start::ClockSource;
use crate::clock::Clock;
use crate::sync::{AtomicU64, Ordering};

/// A published tick that is further than this from a precise reading is late, ns: its thread is
/// starved or gone, and [`Clock::tick`] reads precisely until it is back.
pub(crate) const TICK_LATE_NS: u64 = 5 * EngineClock::TICK_NS;
/// The most calls of [`Clock::tick`] that trust the published tick between two precise readings.
/// At 64 the check costs each call about a third of a nanosecond.
const TRUST_MAX: u64 = 64;

/// What all handles share. Each part has its own cache line, by who writes it and how often.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Written by the timekeeper, ten times a second.
    pub(crate) parameters: CachePadded<ParameterCell>,
    /// The coarse time, ns since the Unix epoch; written about every millisecond.
    pub(crate) tick: CachePadded<AtomicU64>,
    pub(crate) published: CachePadded<Published>,
    pub(crate) kind: ClockSource,
}

impl Shared {
    pub(crate) fn new(parameters: Parameters, kind: ClockSource) -> Self {
        Self {
            parameters: CachePadded::new(ParameterCell::new(parameters)),
            tick: CachePadded::new(AtomicU64::new(0)),
            published: CachePadded::new(Published::default()),
            kind,
        }
    }
}

/// The live engine clock: a handle for one thread, made by [`EngineClock::start`] and cloned once
/// per agent.
///
/// [`Clock::now`] reads the CPU's counter and puts it through the line that the
/// [`Timekeeper`](super::Timekeeper) published last. No reading waits for another thread: a handle
/// that meets a publication half-way goes on with the line it has. A handle never reads less than
/// before; when the counter falls back it stands still until the timekeeper has noticed (at its
/// next poll), and counts that in [`ClockMetrics::clock_backwards`].
///
/// [`Clock::tick`] returns what the timekeeper, or any agent through [`EngineClock::publish_tick`],
/// published last. A reader concludes from an unmoved tick that little time has passed, so a tick
/// whose thread is starved or gone must not stand: once in at most 64 calls the handle takes a
/// precise reading, and sooner at a slow pace, so that about a millisecond lies between two of
/// them (every second call is checked when calls are further apart than that; the pace is the one
/// since the last check, so read the time at the start of a batch that may turn slow). A tick that is late
/// by more than 5 ms is not trusted from then on; [`Clock::tick`] is then a precise reading until
/// the tick is back. [`Clock::now`] withdraws the trust, too, when it sees a late tick.
#[derive(Clone, Debug)]
pub struct EngineClock {
    shared: Arc<Shared>,
    source: TimeSource,
    /// The line in use and the sequence under which it was published.
    parameters: Cell<Parameters>,
    sequence: Cell<u64>,
    /// The last reading, ns since the Unix epoch.
    last_ns: Cell<u64>,
    /// Calls of `tick` that still go unchecked.
    trust: Cell<u64>,
    /// How many calls the last check let through, and when it was, ns since the Unix epoch.
    trust_given: Cell<u64>,
    checked_ns: Cell<u64>,
}

impl EngineClock {
    pub(crate) fn new(shared: Arc<Shared>, source: TimeSource, parameters: Parameters) -> Self {
        Self {
            shared,
            source,
            parameters: Cell::new(parameters),
            sequence: Cell::new(0),
            last_ns: Cell::new(0),
            trust: Cell::new(0),
            trust_given: Cell::new(1),
            checked_ns: Cell::new(0),
        }
    }

    /// The clock's health.
    #[must_use]
    pub fn metrics(&self) -> ClockMetrics {
        ClockMetrics { shared: Arc::clone(&self.shared) }
    }

    /// Moves the tick on to `now`, a reading of this clock, for everyone. An agent that reads the
    /// clock in every turn may call it each time: it writes only when half a period has gone by.
    ///
    /// Not for an agent that itself relies on [`Clock::tick`] during long work: its own tick stands
    /// still meanwhile.
    #[inline]
    pub fn publish_tick(&self, now: u64) {
        // Relaxed: the tick is a hint about time and orders nothing.
        let tick = self.shared.tick.load(Ordering::Relaxed);
        if now.saturating_sub(tick) >= Self::TICK_NS / 2 {
            self.shared.tick.fetch_max(now, Ordering::Relaxed);
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn source(&self) -> &TimeSource {
        &self.source
    }

    #[cold]
    fn reload(&self) {
        if let Some((sequence, parameters)) = self.shared.parameters.try_read() {
            self.sequence.set(sequence);
            self.parameters.set(parameters);
        }
    }

    #[cold]
    fn stand_still(&self) -> u64 {
        let held_ns = self.last_ns.get();
        // Relaxed: numbers that order nothing.
        self.shared.published.clock_backwards.fetch_add(1, Ordering::Relaxed);
        self.shared.published.held_ns.fetch_max(held_ns, Ordering::Relaxed);
        held_ns
    }

    /// The tick, checked against a precise reading; the reading itself when the tick is late.
    #[cold]
    fn checked_tick(&self) -> u64 {
        let now = self.now();
        let tick = self.shared.tick.load(Ordering::Relaxed);
        if is_late(tick, now) {
            return now;
        }
        // As many calls as fit into a period at the pace since the last check.
        let elapsed_ns = now.saturating_sub(self.checked_ns.get()).max(1);
        let paced = (self.trust_given.get() + 1) * Self::TICK_NS / elapsed_ns;
        self.trust_given.set(paced.clamp(1, TRUST_MAX));
        self.trust.set(self.trust_given.get());
        self.checked_ns.set(now);
        tick
    }
}

#[inline]
fn is_late(tick: u64, now: u64) -> bool {
    tick.abs_diff(now) > TICK_LATE_NS
}

impl Clock for EngineClock {
    #[inline]
    fn now(&self) -> u64 {
        if self.shared.parameters.sequence() != self.sequence.get() {
            self.reload();
        }
        let reading = self.parameters.get().at(self.source.raw());
        if reading < self.last_ns.get() {
            return self.stand_still();
        }
        self.last_ns.set(reading);
        if is_late(self.shared.tick.load(Ordering::Relaxed), reading) {
            self.trust.set(0);
        }
        reading
    }

    #[inline]
    fn tick(&self) -> u64 {
        match self.trust.get() {
            0 => self.checked_tick(),
            trust => {
                self.trust.set(trust - 1);
                self.shared.tick.load(Ordering::Relaxed)
            }
        }
    }
}
