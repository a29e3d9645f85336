//! A handler that is fed message by message and watched.

use std::sync::Arc;

use freshlane_quote::{ChannelId, FeedEvent, Quote, SymbolDirectory, VenueId};

use super::wire::OPEN_NS;
use crate::itch50::{HandlerSpec, Itch50Handler, ReceiveTime};
use crate::ledger::Outcome;
use crate::session_time::{SessionTime, parse_date};

/// How far ahead of the receive time a quote may be here, ns.
pub(super) const FUTURE_LIMIT_NS: u64 = 100_000_000;

pub(super) struct Rig {
    pub(super) handler: Itch50Handler,
    pub(super) directory: Arc<SymbolDirectory>,
    /// When the next message is received.
    pub(super) received: ReceiveTime,
    pub(super) next_sequence: u64,
    midnight_ns: u64,
}

impl Rig {
    /// NASDAQ on 15 January 2026, test symbols held back; every message is received at the open.
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same with another specification.
    pub(super) fn with(change: impl FnOnce(&mut HandlerSpec)) -> Self {
        let mut spec = HandlerSpec {
            directory: Arc::new(SymbolDirectory::with_capacity(8)),
            venue: VenueId(3),
            channel: ChannelId(5),
            market_code: b'Q',
            session: SessionTime::new(parse_date("2026-01-15").unwrap(), "America/New_York")
                .unwrap(),
            future_limit_ns: FUTURE_LIMIT_NS,
            orders_expected: 16,
            exclude_test_symbols: true,
        };
        change(&mut spec);
        let midnight_ns = spec.session.midnight_ns(0);
        Self {
            directory: spec.directory.clone(),
            handler: Itch50Handler::new(spec),
            received: ReceiveTime::At(midnight_ns + OPEN_NS),
            next_sequence: 1,
            midnight_ns,
        }
    }

    /// UTC of `ns` since the session's first midnight.
    pub(super) fn utc(&self, ns: u64) -> u64 {
        self.midnight_ns + ns
    }

    /// Feeds `messages` as one batch and returns what came of it.
    pub(super) fn batch(&mut self, messages: &[Vec<u8>]) -> Vec<Quote> {
        let views: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        self.handler.on_batch(&views, self.next_sequence, self.received);
        self.next_sequence += messages.len() as u64;
        assert_eq!(self.handler.ledger().imbalance(), 0);
        self.handler.records().to_vec()
    }

    /// Feeds a message that changes no top and no state.
    #[track_caller]
    pub(super) fn silent(&mut self, message: Vec<u8>) {
        assert_eq!(self.batch(&[message]), []);
    }

    /// Feeds a message that gives one quote.
    #[track_caller]
    pub(super) fn quote(&mut self, message: Vec<u8>) -> Quote {
        let records = self.batch(&[message]);
        assert_eq!(records.len(), 1, "{records:?}");
        assert!(!records[0].is_event(), "{records:?}");
        records[0]
    }

    /// Feeds a message that gives one feed event.
    #[track_caller]
    pub(super) fn event(&mut self, message: Vec<u8>) -> FeedEvent {
        let records = self.batch(&[message]);
        assert_eq!(records.len(), 1, "{records:?}");
        FeedEvent::from_record(&records[0]).unwrap()
    }

    /// How many messages came to `outcome`.
    pub(super) fn outcome(&self, outcome: Outcome) -> u64 {
        self.handler.ledger().outcome(outcome)
    }

    /// How many orders live.
    pub(super) fn live_orders(&self) -> u64 {
        self.handler.ledger().live_orders.get()
    }
}

/// Bid, bid size, ask and ask size as a person writes them; `-` = no price.
pub(super) fn top(quote: &Quote) -> String {
    format!("{} x {} / {} x {}", quote.bid, quote.bid_size, quote.ask, quote.ask_size)
}

/// The names of a quote's flags.
pub(super) fn flags(quote: &Quote) -> Vec<&'static str> {
    quote.flags.names().collect()
}
