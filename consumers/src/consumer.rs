//! What user code implements, and what it is handed.

use std::ops::Deref;

use freshlane_quote::{Clock, FeedEvent, Quote};

use crate::gate::Verdict;

/// The end of a lane: what acts on quotes.
///
/// It runs on its lane's core, one call at a time. A call that panics takes this consumer off its
/// lane and nothing else.
pub trait Consumer: Send {
    /// A quote that is fresh at this moment. Called in the lane's order.
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>);

    /// Something happened to a feed or an instrument, at its place among the quotes. `record` is
    /// what carried it, with its times, venue and sequence number. Events do not expire.
    fn on_event(&mut self, event: FeedEvent, record: &Quote) {
        let _ = (event, record);
    }

    /// A turn found the lane empty. Called often: on a spinning core, millions of times a second.
    fn on_idle(&mut self) {}
}

/// A consumer that does nothing, for lanes of which only the account matters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl Consumer for Discard {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        let _ = quote;
    }
}

/// A quote that was fresh when it was handed over, and the means to ask again later.
#[derive(Clone, Copy, Debug)]
pub struct Fresh<'a, C> {
    pub(crate) quote: &'a Quote,
    pub(crate) verdict: Verdict,
    pub(crate) clock: &'a C,
}

impl<C: Clock> Fresh<'_, C> {
    /// How old the quote was at the hand-over, ns since its receive time.
    #[must_use]
    pub const fn age_ns(&self) -> u64 {
        self.verdict.age_ns
    }

    /// How long it stayed fresh from the hand-over on, ns; `u64::MAX` less its age where neither
    /// lane nor quote has a time to live.
    #[must_use]
    pub const fn remaining_ns(&self) -> u64 {
        self.verdict.limit_ns.saturating_sub(self.verdict.age_ns)
    }

    /// Whether it is fresh right now, by a new reading of the clock: to be asked before acting on
    /// a quote that took long to think about.
    #[must_use]
    pub fn still_fresh(&self) -> bool {
        self.clock.now().saturating_sub(self.quote.ts_recv) <= self.verdict.limit_ns
    }
}

impl<C> Deref for Fresh<'_, C> {
    type Target = Quote;

    fn deref(&self) -> &Quote {
        self.quote
    }
}
