//! Fresh or not at all: the decision at the hand-over.

use freshlane_bus::LaneSpec;
use freshlane_quote::{Clock, Quote, QuoteFlags, VenueId};

/// The freshness gate of one lane.
///
/// **The rule.** The age of a quote is engine now − `ts_recv`, and 0 for a receive time ahead of
/// the clock. Its limit is the smaller of the lane's time to live and its own (where either is
/// given) less the lane's margin, and 0 where the margin is larger. It is fresh while age ≤ limit.
/// Only the engine clock is asked; the venue's time plays no part.
///
/// **The clock.** A precise reading costs more than copying a quote, so one serves many decisions:
/// it is taken once per chunk ([`Gate::refresh`]) and is good until the clock's coarse tick moves
/// ([`Gate::tick_moved`], a load), which ends the chunk. A tick that comes late must not matter
/// either: within [`Gate::SLACK_NS`] of its limit, a quote is decided by a reading of its own.
#[derive(Debug)]
pub struct Gate<C> {
    clock: C,
    /// Lane time to live less margin, ns; `u64::MAX` = no lane limit.
    lane_limit_ns: u64,
    margin_ns: u64,
    now_ns: u64,
    tick_ns: u64,
}

/// What the gate says: how old a quote is, and how old it may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Its age, ns.
    pub age_ns: u64,
    /// The age up to which it is fresh, ns; `u64::MAX` where nothing limits it.
    pub limit_ns: u64,
}

impl Verdict {
    /// Whether the quote is to be handed over.
    #[inline]
    #[must_use]
    pub const fn is_fresh(self) -> bool {
        self.age_ns <= self.limit_ns
    }
}

impl<C: Clock> Gate<C> {
    /// How close to its limit a quote is decided by a reading of its own, ns: 25 ticks of the
    /// engine clock, so that a thread which moves the tick may be late by that much.
    pub const SLACK_NS: u64 = 25_000_000;

    /// The gate of a lane, by `clock`.
    #[must_use]
    pub fn new(spec: &LaneSpec, clock: C) -> Self {
        let lane_limit_ns = spec.ttl_ns.map_or(u64::MAX, |ttl| ttl.saturating_sub(spec.margin_ns));
        let (tick_ns, now_ns) = (clock.tick(), clock.now());
        Self { clock, lane_limit_ns, margin_ns: spec.margin_ns, now_ns, tick_ns }
    }

    /// Whether the lane has a time to live of its own.
    #[must_use]
    pub const fn has_lane_ttl(&self) -> bool {
        self.lane_limit_ns != u64::MAX
    }

    /// Reads the clock.
    #[inline]
    pub fn refresh(&mut self) {
        // The tick first: where it moves in between, the next look at it reads the clock once more
        // than needed, and never once too few.
        self.tick_ns = self.clock.tick();
        self.now_ns = self.clock.now();
    }

    /// Whether the last reading has grown old: then no further quote may be judged by it.
    #[inline]
    #[must_use]
    pub fn tick_moved(&self) -> bool {
        self.clock.tick() != self.tick_ns
    }

    /// The last reading, ns since the Unix epoch.
    #[inline]
    #[must_use]
    pub const fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// The clock that decides.
    #[inline]
    #[must_use]
    pub const fn clock(&self) -> &C {
        &self.clock
    }

    /// Whether every one of `records` is an ordinary quote that is fresh by the last reading, well
    /// before its limit: no event, no time to live of its own, all of one venue, with plausible
    /// times. Such a chunk needs no further judgement while the tick stands still.
    ///
    /// One pass without a branch; it also brings the records' cache lines over from the bus's core
    /// all at once.
    #[inline]
    pub(crate) fn are_all_ordinary<const LANE_TTL: bool>(&self, records: &[Quote]) -> bool {
        let venue = records.first().map_or(VenueId(0), |first| first.venue);
        let (mut flags, mut venues_differ, mut own_ttl) = (QuoteFlags::NONE, 0, 0);
        let (mut ts_event_min, mut ts_recv_min) = (u64::MAX, u64::MAX);
        for record in records {
            flags |= record.flags;
            venues_differ |= record.venue.0 ^ venue.0;
            own_ttl |= record.ttl_us;
            ts_event_min = ts_event_min.min(record.ts_event);
            ts_recv_min = ts_recv_min.min(record.ts_recv);
        }
        let is_special = flags.contains(QuoteFlags::FEED_EVENT)
            || flags.contains(QuoteFlags::BAD_TIMESTAMP)
            || ts_event_min == 0;
        let age_max_ns = self.now_ns.saturating_sub(ts_recv_min);
        let is_young = !LANE_TTL || age_max_ns < self.lane_limit_ns.saturating_sub(Self::SLACK_NS);
        !is_special && venues_differ == 0 && own_ttl == 0 && is_young
    }

    /// What is said of each record of a chunk that [`Gate::are_all_ordinary`].
    #[inline]
    pub(crate) fn verdict_on_ordinary(&self, quote: &Quote) -> Verdict {
        Verdict { age_ns: self.age_ns(quote), limit_ns: self.lane_limit_ns }
    }

    /// Judges a quote. `LANE_TTL` is [`Gate::has_lane_ttl`], known when the loop is compiled: on a
    /// lane without a time to live only a quote's own costs anything.
    #[inline]
    pub fn judge<const LANE_TTL: bool>(&mut self, quote: &Quote) -> Verdict {
        let age_ns = self.age_ns(quote);
        if !LANE_TTL && quote.ttl_us == 0 {
            return Verdict { age_ns, limit_ns: u64::MAX };
        }
        let limit_ns = self.limit_ns(quote);
        if age_ns < limit_ns.saturating_sub(Self::SLACK_NS) {
            return Verdict { age_ns, limit_ns };
        }
        Verdict { age_ns: self.age_looked_at_closely_ns(quote, limit_ns), limit_ns }
    }

    /// The age of a quote that is near its limit or beyond, by a reading of its own.
    #[inline(never)]
    fn age_looked_at_closely_ns(&mut self, quote: &Quote, limit_ns: u64) -> u64 {
        // Beyond it by an old reading is beyond it: a backlog expires without a reading each.
        if self.age_ns(quote) <= limit_ns {
            self.refresh();
        }
        self.age_ns(quote)
    }

    #[inline]
    fn age_ns(&self, quote: &Quote) -> u64 {
        self.now_ns.saturating_sub(quote.ts_recv)
    }

    #[inline]
    fn limit_ns(&self, quote: &Quote) -> u64 {
        if quote.ttl_us == 0 {
            return self.lane_limit_ns;
        }
        let own_ns = u64::from(quote.ttl_us) * 1_000;
        self.lane_limit_ns.min(own_ns.saturating_sub(self.margin_ns))
    }
}
