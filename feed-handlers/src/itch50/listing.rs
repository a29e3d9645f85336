//! What a feed knows of each stock locate.

use freshlane_quote::{InstrumentId, TradingState};

use crate::book::{Best, Top};

/// A stock locate's instrument, state and last quoted top: 32 bytes beside its book.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
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

const _: () = assert!(size_of::<Listing>() == 32);

impl Listing {
    /// A locate of which nothing is known: trading, as far as anybody said.
    pub(crate) const UNKNOWN: Self = Self {
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
