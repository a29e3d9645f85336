//! What became of every message of a feed.

use freshlane_quote::Counter;

/// The one thing that became of a message. Every message that was framed has exactly one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(usize)]
pub enum Outcome {
    /// It changed the best bid or offer: a quote was handed on.
    Quoted,
    /// It changed an order but not the best bid or offer.
    Unchanged,
    /// It touches no order: directory, state, trade or auction messages.
    Administrative,
    /// It would have been a quote of a test symbol.
    TestSymbol,
    /// It would have been a quote, but its time lies too far ahead of the engine clock.
    Future,
    /// It would have been a quote, but the ingress ring was full.
    IngressFull,
    /// It would have been a quote, but the symbol directory has no room for its instrument.
    DirectoryFull,
    /// It names an order that is not there.
    UnknownReference,
    /// It adds an order whose reference is live already.
    DuplicateReference,
    /// It adds an order with reference, shares or price 0, or on neither side.
    InvalidOrder,
    /// It has fewer bytes than its type needs.
    Malformed,
    /// Its type is not in the specification.
    UnknownType,
}

impl Outcome {
    /// Every outcome with its name in metrics and reports.
    pub const NAMES: [(Self, &'static str); 12] = [
        (Self::Quoted, "quoted"),
        (Self::Unchanged, "unchanged"),
        (Self::Administrative, "administrative"),
        (Self::TestSymbol, "test_symbol"),
        (Self::Future, "future"),
        (Self::IngressFull, "ingress_full"),
        (Self::DirectoryFull, "directory_full"),
        (Self::UnknownReference, "unknown_reference"),
        (Self::DuplicateReference, "duplicate_reference"),
        (Self::InvalidOrder, "invalid_order"),
        (Self::Malformed, "malformed"),
        (Self::UnknownType, "unknown_type"),
    ];

    /// How many outcomes there are.
    pub const COUNT: usize = Self::NAMES.len();
}

/// The counters of one feed. One thread writes; any thread reads.
///
/// Identity: `received` is the sum over all outcomes. It holds after every batch.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct FeedLedger {
    /// Messages framed and looked at.
    pub received: Counter,
    outcomes: [Counter; Outcome::COUNT],
    /// Feed events handed on (trading states, end of session).
    pub events: Counter,
    /// Feed events that the full ingress ring refused.
    pub events_refused: Counter,
    /// Reductions by more shares than were left; the order ended. Counted beside the outcome.
    pub clamped: Counter,
    /// Replaces whose new order was refused while the old one ended. Counted beside the outcome.
    pub refused_replacements: Counter,
    /// Messages whose time was beyond a day. Counted beside the outcome.
    pub bad_timestamps: Counter,
    /// Bytes of whole records.
    pub bytes: Counter,
    /// Orders that live.
    pub live_orders: Counter,
    /// Times that the order or level memory had to grow.
    pub book_growths: Counter,
}

impl FeedLedger {
    /// A ledger at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many messages came to `outcome`.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize].get()
    }

    /// `received` minus the sum over all outcomes: 0, or something was lost. Between two batches
    /// only; while the writer writes it may be off by the batch.
    #[must_use]
    pub fn imbalance(&self) -> i64 {
        let sum: u64 = self.outcomes.iter().map(Counter::get).sum();
        self.received.get().wrapping_sub(sum).cast_signed()
    }

    /// Adds a batch's tally.
    pub(crate) fn add(&self, tally: &Tally) {
        for (counter, count) in self.outcomes.iter().zip(tally.outcomes) {
            if count != 0 {
                counter.add(count.into());
            }
        }
        self.received.add(tally.received.into());
        self.events.add(tally.events.into());
        self.clamped.add(tally.clamped.into());
        self.refused_replacements.add(tally.refused_replacements.into());
        self.bad_timestamps.add(tally.bad_timestamps.into());
        self.bytes.add(tally.bytes);
    }

    /// Moves quotes that were refused downstream from `quoted` to another outcome.
    pub(crate) fn move_quoted(&self, to: Outcome, count: u64) {
        let quoted = &self.outcomes[Outcome::Quoted as usize];
        quoted.set(quoted.get() - count);
        self.outcomes[to as usize].add(count);
    }
}

/// One batch's counts, kept in registers and cache until the batch is done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) received: u32,
    pub(crate) outcomes: [u32; Outcome::COUNT],
    pub(crate) events: u32,
    pub(crate) clamped: u32,
    pub(crate) refused_replacements: u32,
    pub(crate) bad_timestamps: u32,
    pub(crate) bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_at_their_discriminants() {
        for (index, (outcome, _)) in Outcome::NAMES.into_iter().enumerate() {
            assert_eq!(outcome as usize, index);
        }
    }

    #[test]
    fn a_lost_message_shows_as_imbalance() {
        let ledger = FeedLedger::new();
        let mut tally = Tally { received: 2, ..Tally::default() };
        tally.outcomes[Outcome::Quoted as usize] = 1;
        ledger.add(&tally);
        assert_eq!(ledger.imbalance(), 1);
        ledger.move_quoted(Outcome::IngressFull, 1);
        assert_eq!((ledger.outcome(Outcome::Quoted), ledger.imbalance()), (0, 1));
    }
}
