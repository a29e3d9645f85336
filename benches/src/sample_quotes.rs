//! Quotes to push around where it does not matter what is quoted.

use std::sync::Arc;

use freshlane_quote::{InstrumentId, Price, Quote, QuoteFlags, SymbolDirectory, VenueId};

/// Instruments that the sample quotes go round.
const INSTRUMENTS: u32 = 1_000;

/// Quotes of one venue and 1,000 instruments.
#[derive(Clone, Debug)]
pub struct SampleQuotes {
    directory: Arc<SymbolDirectory>,
}

impl SampleQuotes {
    /// With a directory that knows the instruments.
    ///
    /// # Panics
    /// Never: the directory has room for all.
    #[must_use]
    pub fn new() -> Self {
        let directory = Arc::new(SymbolDirectory::with_capacity(INSTRUMENTS as usize));
        for number in 0..INSTRUMENTS {
            directory.intern(VenueId(0), &format!("S{number}")).expect("there is room for all");
        }
        Self { directory }
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Arc<SymbolDirectory> {
        &self.directory
    }
}

impl Default for SampleQuotes {
    fn default() -> Self {
        Self::new()
    }
}

/// The sample quote of that number, without times.
#[inline(always)]
#[must_use]
pub fn numbered(number: u64) -> Quote {
    #[allow(clippy::cast_possible_truncation, reason = "a remainder of 1,000")]
    let instrument = InstrumentId((number % u64::from(INSTRUMENTS)) as u32);
    Quote {
        wire_sequence: number,
        bid: Price::from_units(100_000_000_000),
        ask: Price::from_units(100_010_000_000),
        bid_size: 300,
        ask_size: 200,
        instrument,
        flags: QuoteFlags::NONE,
        ..Quote::EMPTY
    }
}
