//! What a synthetic market is made of, and what cannot be made.

/// The most symbols that a market may have.
pub const SYMBOLS_MAX: u16 = 20_000;

/// The most live orders that a market may have.
pub const LIVE_ORDERS_MAX: u32 = 50_000_000;

/// Live orders per symbol where none are asked for.
const LIVE_ORDERS_PER_SYMBOL: u32 = 60;

/// Messages that every day has: six system events, then `R` and `H` per symbol.
const SYSTEM_EVENTS: u64 = 6;
const MESSAGES_PER_SYMBOL: u64 = 2;

/// One day of a synthetic market.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItchMarketSpec {
    /// How many symbols are listed, 1 to [`SYMBOLS_MAX`].
    pub symbols: u16,
    /// How many messages the day has, all types together, the end included.
    pub messages: u64,
    /// The same seed gives the same bytes, on any machine.
    pub seed: u64,
    /// How many orders are live at a time in continuous trading. `None`: 60 a symbol, but at most
    /// an eighth of the messages.
    pub live_orders: Option<u32>,
}

/// A synthetic market without an end, for live runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveItchMarketSpec {
    /// How many symbols are listed, 1 to [`SYMBOLS_MAX`].
    pub symbols: u16,
    /// The same seed gives the same messages for the same times.
    pub seed: u64,
    /// How many orders are live at a time. `None`: 60 a symbol.
    pub live_orders: Option<u32>,
}

/// Why there is no such market.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// The number of symbols is out of range.
    #[error("a market has 1 to {SYMBOLS_MAX} symbols; {symbols} is out of range")]
    Symbols {
        /// What was asked for.
        symbols: u16,
    },
    /// The day is too short to list its symbols and to begin and end.
    #[error("{messages} messages are too few for {symbols} symbols: a day has at least {needed}")]
    TooFewMessages {
        /// What was asked for.
        messages: u64,
        /// For how many symbols.
        symbols: u16,
        /// The least that works.
        needed: u64,
    },
    /// The day is too short to build up that many live orders, or no day could hold them.
    #[error("{live_orders} live orders are too many here: at most {limit}")]
    TooManyLiveOrders {
        /// What was asked for.
        live_orders: u32,
        /// The most that works.
        limit: u32,
    },
}

impl ItchMarketSpec {
    /// The fewest messages of a day with so many symbols.
    #[must_use]
    pub fn messages_min(symbols: u16) -> u64 {
        SYSTEM_EVENTS + MESSAGES_PER_SYMBOL * u64::from(symbols)
    }

    /// Messages beyond those that every day has.
    ///
    /// # Errors
    /// [`SpecError`] where there is no such day.
    pub(super) fn spare_messages(&self) -> Result<u64, SpecError> {
        let Self { symbols, messages, .. } = *self;
        check_symbols(symbols)?;
        let needed = Self::messages_min(symbols);
        messages.checked_sub(needed).ok_or(SpecError::TooFewMessages { messages, symbols, needed })
    }

    /// The live orders that the population tends to.
    ///
    /// # Errors
    /// [`SpecError`] where there is no such day.
    pub(super) fn population(&self) -> Result<u32, SpecError> {
        let spare = u32::try_from(self.spare_messages()? / 2).unwrap_or(u32::MAX);
        let eighth = u32::try_from(self.messages / 8).unwrap_or(u32::MAX);
        population(self.live_orders, self.symbols, spare, spare.min(eighth))
    }
}

impl LiveItchMarketSpec {
    /// The live orders that the population tends to.
    ///
    /// # Errors
    /// [`SpecError`] where there is no such market.
    pub(super) fn population(&self) -> Result<u32, SpecError> {
        check_symbols(self.symbols)?;
        population(self.live_orders, self.symbols, u32::MAX, u32::MAX)
    }
}

fn check_symbols(symbols: u16) -> Result<(), SpecError> {
    if (1..=SYMBOLS_MAX).contains(&symbols) {
        return Ok(());
    }
    Err(SpecError::Symbols { symbols })
}

fn population(
    asked: Option<u32>,
    symbols: u16,
    asked_max: u32,
    default_max: u32,
) -> Result<u32, SpecError> {
    let limit = asked_max.min(LIVE_ORDERS_MAX);
    match asked {
        None => Ok((u32::from(symbols) * LIVE_ORDERS_PER_SYMBOL).min(default_max)),
        Some(live_orders) if live_orders > limit => {
            Err(SpecError::TooManyLiveOrders { live_orders, limit })
        }
        Some(live_orders) => Ok(live_orders),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(symbols: u16, messages: u64, live_orders: Option<u32>) -> ItchMarketSpec {
        ItchMarketSpec { symbols, messages, seed: 1, live_orders }
    }

    #[test]
    fn what_cannot_be_made_is_named() {
        assert_eq!(day(0, 1_000, None).population(), Err(SpecError::Symbols { symbols: 0 }));
        assert!(day(20_001, 100_000, None).population().is_err());
        assert_eq!(
            day(10, 25, None).population().map_err(|error| error.to_string()),
            Err("25 messages are too few for 10 symbols: a day has at least 26".to_owned())
        );
        assert_eq!(
            day(10, 126, Some(51)).population(),
            Err(SpecError::TooManyLiveOrders { live_orders: 51, limit: 50 })
        );
        assert_eq!(day(10, 126, Some(50)).population(), Ok(50));
        let live = LiveItchMarketSpec { symbols: 1, seed: 1, live_orders: Some(u32::MAX) };
        assert!(live.population().is_err());
    }

    #[test]
    fn the_default_population_is_bounded_by_symbols_and_messages() {
        assert_eq!(day(500, 1_000_000, None).population(), Ok(30_000));
        assert_eq!(day(500, 80_000, None).population(), Ok(10_000));
        assert_eq!(day(1, 8, None).population(), Ok(0));
        let live = LiveItchMarketSpec { symbols: 8_000, seed: 1, live_orders: None };
        assert_eq!(live.population(), Ok(480_000));
    }
}
