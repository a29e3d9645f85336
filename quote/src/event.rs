//! Feed events: what a consumer must know that is not a price, in-band with the quotes.

use crate::ids::{ChannelId, InstrumentId, VenueId};
use crate::price::Price;
use crate::quote::{Quote, QuoteFlags};

/// The trading state of one instrument, as its venue declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum TradingState {
    /// Trading.
    Trading,
    /// Halted across all markets, by the regulator or the primary market.
    Halted,
    /// Paused by a limit-up limit-down band.
    Paused,
    /// Quotes are accepted and shown, but nothing trades yet.
    QuotationOnly,
}

impl TradingState {
    /// The name in output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trading => "trading",
            Self::Halted => "halted",
            Self::Paused => "paused",
            Self::QuotationOnly => "quotation_only",
        }
    }

    const fn code(self) -> i64 {
        match self {
            Self::Trading => 0,
            Self::Halted => 1,
            Self::Paused => 2,
            Self::QuotationOnly => 3,
        }
    }

    const fn from_code(code: i64) -> Option<Self> {
        match code {
            0 => Some(Self::Trading),
            1 => Some(Self::Halted),
            2 => Some(Self::Paused),
            3 => Some(Self::QuotationOnly),
            _ => None,
        }
    }
}

/// Something that happened to a feed or an instrument.
///
/// It travels as a [`Quote`] record with [`QuoteFlags::FEED_EVENT`], so it keeps its place among
/// the quotes of its lane; the gate hands it to `Consumer::on_event`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeedEvent {
    /// The instrument's trading state changed.
    TradingStateChanged {
        /// Which instrument.
        instrument: InstrumentId,
        /// The new state.
        state: TradingState,
        /// The venue's reason code, space padded (`T1  `, `LUDP`); spaces where none was given.
        reason: [u8; 4],
    },
    /// The venue ended its session: no further message will come.
    EndOfSession,
}

const KIND_TRADING_STATE: u32 = 1;
const KIND_END_OF_SESSION: u32 = 2;

/// Where and when a record was made: what an event needs to become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventOrigin {
    /// The venue's time, ns since the Unix epoch.
    pub ts_event: u64,
    /// The engine's receive time, ns since the Unix epoch.
    pub ts_recv: u64,
    /// The venue's sequence number of the message.
    pub wire_sequence: u64,
    /// The venue.
    pub venue: VenueId,
    /// The feed session.
    pub channel: ChannelId,
}

impl FeedEvent {
    /// The event as a record: `bid_size` is the kind, `ask` the state, `ask_size` the reason.
    #[must_use]
    pub fn to_record(self, origin: EventOrigin) -> Quote {
        let blank = Quote {
            ts_event: origin.ts_event,
            ts_recv: origin.ts_recv,
            wire_sequence: origin.wire_sequence,
            venue: origin.venue,
            channel: origin.channel,
            flags: QuoteFlags::FEED_EVENT,
            ..Quote::EMPTY
        };
        match self {
            Self::TradingStateChanged { instrument, state, reason } => Quote {
                instrument,
                bid_size: KIND_TRADING_STATE,
                ask: Price::from_units(state.code()),
                ask_size: u32::from_be_bytes(reason),
                flags: QuoteFlags::FEED_EVENT
                    | QuoteFlags::HALTED.when(state != TradingState::Trading),
                ..blank
            },
            Self::EndOfSession => Quote { bid_size: KIND_END_OF_SESSION, ..blank },
        }
    }

    /// The event that a record carries; `None` for a price or an event of a later version.
    #[must_use]
    pub fn from_record(record: &Quote) -> Option<Self> {
        if !record.is_event() {
            return None;
        }
        match record.bid_size {
            KIND_TRADING_STATE => Some(Self::TradingStateChanged {
                instrument: record.instrument,
                state: TradingState::from_code(record.ask.units())?,
                reason: record.ask_size.to_be_bytes(),
            }),
            KIND_END_OF_SESSION => Some(Self::EndOfSession),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_survive_their_record() {
        let origin = EventOrigin {
            ts_event: 1,
            ts_recv: 2,
            wire_sequence: 3,
            venue: VenueId(4),
            channel: ChannelId(5),
        };
        for state in [
            TradingState::Trading,
            TradingState::Halted,
            TradingState::Paused,
            TradingState::QuotationOnly,
        ] {
            let event = FeedEvent::TradingStateChanged {
                instrument: InstrumentId(7),
                state,
                reason: *b"LUDP",
            };
            let record = event.to_record(origin);
            assert_eq!(FeedEvent::from_record(&record), Some(event));
            assert_eq!(
                record.flags.contains(QuoteFlags::HALTED),
                state != TradingState::Trading,
                "{state:?}"
            );
            assert_eq!((record.ts_event, record.ts_recv, record.wire_sequence), (1, 2, 3));
        }
        let end = FeedEvent::EndOfSession.to_record(origin);
        assert_eq!(FeedEvent::from_record(&end), Some(FeedEvent::EndOfSession));
        assert_eq!(FeedEvent::from_record(&Quote::EMPTY), None);
    }
}
