//! From the top of a book to a quote.

use freshlane_quote::{ChannelId, Price, Quote, QuoteFlags, TradingState, VenueId};

use super::listing::Listing;
use crate::book::{Best, Top};
use crate::session_time::EventTime;

/// What a message's time and place are.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) wire_sequence: u64,
    pub(super) time: EventTime,
    pub(super) ts_recv: u64,
}

/// The quote of `top`.
#[inline(always)]
pub(super) fn build_quote(
    top: Top,
    listing: Listing,
    context: Context,
    venue: VenueId,
    channel: ChannelId,
) -> Quote {
    let (bid, bid_size, bid_clamped) = quote_side(top.bid);
    let (ask, ask_size, ask_clamped) = quote_side(top.ask);
    let both = bid.is_some() && ask.is_some();
    Quote {
        ts_event: context.time.ts_event,
        ts_recv: context.ts_recv,
        wire_sequence: context.wire_sequence,
        bid,
        ask,
        bid_size,
        ask_size,
        instrument: listing.instrument,
        venue,
        flags: QuoteFlags::ONE_SIDED.when(!both)
            | QuoteFlags::LOCKED.when(both && bid == ask)
            | QuoteFlags::CROSSED.when(both && bid > ask)
            | QuoteFlags::HALTED.when(listing.effective_state() != TradingState::Trading)
            | QuoteFlags::SIZE_CLAMPED.when(bid_clamped || ask_clamped)
            | QuoteFlags::BAD_TIMESTAMP.when(!context.time.is_plausible),
        ttl_us: 0,
        channel,
        reserved: 0,
    }
}

/// Price, size and whether the size was clamped.
#[inline(always)]
fn quote_side(best: Best) -> (Price, u32, bool) {
    if best.shares == 0 {
        return (Price::NONE, 0, false);
    }
    let size = u32::try_from(best.shares);
    (Price::from_price4(best.price), size.unwrap_or(u32::MAX), size.is_err())
}
