//! What a feed knows of each stock locate.

use std::fmt;
use std::sync::Arc;

use freshlane_quote::{InstrumentId, SymbolDirectory, TradingState, VenueId};

use super::field::Alpha;
use crate::book::{Best, Top};

/// A stock locate's instrument, state and last quoted top: 32 bytes, two to a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Listing {
    bid_shares: u64,
    ask_shares: u64,
    bid_price: u32,
    ask_price: u32,
    /// [`InstrumentId::NONE`] until the locate is defined.
    pub(crate) instrument: InstrumentId,
    /// As the regulator or the primary market declares it.
    pub(crate) state: TradingState,
    /// Whether this Nasdaq market alone has stopped it.
    pub(crate) is_operationally_halted: bool,
    /// Whether it is a test symbol.
    pub(crate) is_test: bool,
    /// Whether the last top did not reach the bus, so that the next message quotes again.
    pub(crate) must_requote: bool,
}

const UNLISTED: Listing = Listing {
    bid_shares: 0,
    ask_shares: 0,
    bid_price: 0,
    ask_price: 0,
    instrument: InstrumentId::NONE,
    state: TradingState::Trading,
    is_operationally_halted: false,
    is_test: false,
    must_requote: false,
};

impl Listing {
    /// The top that was quoted last.
    #[inline(always)]
    pub(crate) fn top(&self) -> Top {
        Top {
            bid: Best { price: self.bid_price, shares: self.bid_shares },
            ask: Best { price: self.ask_price, shares: self.ask_shares },
        }
    }

    /// Remembers the top as quoted.
    #[inline(always)]
    pub(crate) fn set_top(&mut self, top: Top) {
        (self.bid_price, self.bid_shares) = (top.bid.price, top.bid.shares);
        (self.ask_price, self.ask_shares) = (top.ask.price, top.ask.shares);
    }

    /// The state in which this market really is.
    #[inline(always)]
    pub(crate) fn effective_state(&self) -> TradingState {
        if self.is_operationally_halted { TradingState::Halted } else { self.state }
    }
}

/// All locates of one feed.
pub(crate) struct Listings {
    by_locate: Box<[Listing]>,
    directory: Arc<SymbolDirectory>,
    venue: VenueId,
}

impl Listings {
    pub(crate) fn new(directory: Arc<SymbolDirectory>, venue: VenueId) -> Self {
        let by_locate = vec![UNLISTED; usize::from(u16::MAX) + 1].into_boxed_slice();
        Self { by_locate, directory, venue }
    }

    #[inline(always)]
    pub(crate) fn get(&self, locate: u16) -> &Listing {
        &self.by_locate[usize::from(locate)]
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, locate: u16) -> &mut Listing {
        &mut self.by_locate[usize::from(locate)]
    }

    /// Brings the listing into the cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, locate: u16) {
        crate::book::prefetch(self.get(locate));
    }

    /// Gives `locate` the instrument of `stock`. A full directory leaves it without one; its
    /// quotes are then counted as `directory_full`. Locate 0 and an empty symbol name no stock.
    #[cold]
    pub(crate) fn list(&mut self, locate: u16, stock: Alpha<8>) {
        let symbol = stock.as_str();
        if locate != 0 && !symbol.is_empty() {
            let instrument = self.directory.intern(self.venue, symbol);
            self.get_mut(locate).instrument = instrument.unwrap_or(InstrumentId::NONE);
        }
    }

    /// The same, unless the locate has an instrument.
    pub(crate) fn list_if_new(&mut self, locate: u16, stock: Alpha<8>) {
        if self.get(locate).instrument == InstrumentId::NONE {
            self.list(locate, stock);
        }
    }
}

impl fmt::Debug for Listings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listings").field("venue", &self.venue).finish_non_exhaustive()
    }
}
