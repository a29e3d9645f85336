//! A synthetic market for a day, and one for ever.

use super::burst_clock::BurstClock;
use super::market::{Market, STREAM_CLOCK};
use super::random::Random;
use super::script::Script;
use super::spec::{ItchMarketSpec, LiveItchMarketSpec, SpecError};

/// One ITCH 5.0 message, without a length in front.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyntheticMessage<'a> {
    /// Its bytes, the type first.
    pub bytes: &'a [u8],
    /// Its time, ns since midnight, as it also stands in the bytes.
    pub ns_since_midnight: u64,
}

/// A whole day of a synthetic NASDAQ market.
///
/// ```
/// use freshlane_feed_handlers::synthetic::{ItchMarket, ItchMarketSpec};
///
/// let spec = ItchMarketSpec { symbols: 10, messages: 1_000, seed: 7, live_orders: None };
/// let mut market = ItchMarket::new(&spec)?;
/// let mut messages = 0;
/// while let Some(message) = market.next_message() {
///     assert!(message.bytes.len() >= 12);
///     messages += 1;
/// }
/// assert_eq!(messages, 1_000);
/// # Ok::<(), freshlane_feed_handlers::synthetic::SpecError>(())
/// ```
#[derive(Debug)]
pub struct ItchMarket {
    market: Market,
    script: Script,
    clock: BurstClock,
}

impl ItchMarket {
    /// The market before its first message. All memory is allocated here.
    ///
    /// # Errors
    /// [`SpecError`] says what cannot be made.
    pub fn new(spec: &ItchMarketSpec) -> Result<Self, SpecError> {
        let script = Script::of_day(spec)?;
        let pace = Script::day_halts(spec);
        Ok(Self {
            market: Market::new(u32::from(spec.symbols), spec.population()?, spec.seed, pace),
            script,
            clock: BurstClock::new(Random::new(spec.seed, STREAM_CLOCK)),
        })
    }

    /// The next message of the day; `None` after its last, `S` with event `C`.
    pub fn next_message(&mut self) -> Option<SyntheticMessage<'_>> {
        let (act, index, begun) = self.script.advance()?;
        if let Some(segment) = begun {
            self.clock.enter(segment.start_ns, segment.end_ns, segment.messages);
        }
        let ns_since_midnight = self.clock.next_ns();
        let len = self.market.perform(act, index, ns_since_midnight);
        Some(SyntheticMessage { bytes: &self.market.buffer[..len], ns_since_midnight })
    }

    /// Orders live after the last message.
    #[must_use]
    pub fn live_orders(&self) -> u32 {
        self.market.book.orders.live()
    }
}

/// A synthetic NASDAQ market that never closes; the caller says what time it is.
#[derive(Debug)]
pub struct LiveItchMarket {
    market: Market,
    script: Script,
}

impl LiveItchMarket {
    /// The market before its first message. All memory is allocated here.
    ///
    /// # Errors
    /// [`SpecError`] says what cannot be made.
    pub fn new(spec: &LiveItchMarketSpec) -> Result<Self, SpecError> {
        let script = Script::of_live(spec)?;
        let pace = Script::live_halts();
        let population = spec.population()?;
        Ok(Self {
            market: Market::new(u32::from(spec.symbols), population, spec.seed, pace),
            script,
        })
    }

    /// How many of the first messages list the symbols, build the opening books and open the
    /// market: a burst to be sent at once.
    #[must_use]
    pub fn opening_messages(&self) -> u64 {
        self.script.opening_messages()
    }

    /// The next message, stamped with a time of the caller's choice; there is always one.
    ///
    /// Times should not fall, except at midnight. Only the low 48 bits are sent.
    pub fn next_message_at(&mut self, ns_since_midnight: u64) -> SyntheticMessage<'_> {
        // Trading has 2^64 - 1 messages: the script does not end while anybody listens.
        let len = match self.script.advance() {
            Some((act, index, _)) => self.market.perform(act, index, ns_since_midnight),
            None => self.market.system_event(b'C'),
        };
        SyntheticMessage { bytes: &self.market.buffer[..len], ns_since_midnight }
    }

    /// Orders live after the last message.
    #[must_use]
    pub fn live_orders(&self) -> u32 {
        self.market.book.orders.live()
    }
}
