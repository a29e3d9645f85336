//! A handler that a person can check: one map of orders, every top found by looking at all of them.

use std::collections::BTreeMap;

use freshlane_feed_handlers::itch50::ReceiveTime;
use freshlane_feed_handlers::ledger::Outcome;
use freshlane_quote::event::EventOrigin;
use freshlane_quote::{
    ChannelId, FeedEvent, InstrumentId, Price, Quote, QuoteFlags, TradingState, VenueId,
};

use crate::rig::{FUTURE_LIMIT_NS, INSTRUMENTS_MAX, session};
use crate::step::{Act, LONGEST_DAY_NS, Step};

#[derive(Clone, Copy)]
struct Order {
    locate: u16,
    is_bid: bool,
    price: u32,
    shares: u64,
}

/// Price and shares of the best bid and the best ask.
type Top = [Option<(u32, u64)>; 2];

#[derive(Clone)]
struct Stock {
    instrument: Option<u32>,
    is_test: bool,
    state: TradingState,
    is_stopped_here: bool,
    shown: Top,
    owes_quote: bool,
}

const UNKNOWN_STOCK: Stock = Stock {
    instrument: None,
    is_test: false,
    state: TradingState::Trading,
    is_stopped_here: false,
    shown: [None, None],
    owes_quote: false,
};

impl Stock {
    fn effective_state(&self) -> TradingState {
        if self.is_stopped_here { TradingState::Halted } else { self.state }
    }
}

/// Where and when a message was.
#[derive(Clone, Copy)]
struct Moment {
    wire_sequence: u64,
    ts_event: u64,
    ts_recv: u64,
    is_plausible: bool,
}

pub(crate) struct Model {
    exclude_test_symbols: bool,
    orders: BTreeMap<u64, Order>,
    stocks: Vec<Stock>,
    directory: Vec<&'static str>,
    event_clock_ns: u64,
    midnight_ns: u64,
    counters: BTreeMap<&'static str, u64>,
}

impl Model {
    pub(crate) fn new(exclude_test_symbols: bool) -> Self {
        Self {
            exclude_test_symbols,
            orders: BTreeMap::new(),
            stocks: vec![UNKNOWN_STOCK; 4],
            directory: Vec::new(),
            event_clock_ns: 0,
            midnight_ns: session().midnight_ns(0),
            counters: BTreeMap::new(),
        }
    }

    /// The counter of that name.
    pub(crate) fn counter(&self, name: &str) -> u64 {
        match name {
            "live_orders" => self.orders.len() as u64,
            name => self.counters.get(name).copied().unwrap_or(0),
        }
    }

    fn count(&mut self, name: &'static str, by: i64) {
        let counter = self.counters.entry(name).or_default();
        *counter = counter.checked_add_signed(by).unwrap();
    }

    /// Takes one message; returns its record and the locate that it is about.
    pub(crate) fn take(
        &mut self,
        step: &Step,
        wire_sequence: u64,
        received: ReceiveTime,
    ) -> Option<(Quote, u16)> {
        self.count("received", 1);
        let (outcome, record) = match step {
            Step::Unknown(_) => (Outcome::UnknownType, None),
            Step::Cut { .. } => (Outcome::Malformed, None),
            Step::Whole { locate, ns, act, .. } => {
                let moment = self.moment(*ns, wire_sequence, received);
                self.act(*locate, act, moment)
            }
        };
        let (_, name) = Outcome::NAMES.into_iter().find(|(named, _)| *named == outcome).unwrap();
        self.count(name, 1);
        record
    }

    /// A record of `take` found no room.
    pub(crate) fn refuse(&mut self, record: &Quote, locate: u16) {
        if record.is_event() {
            return self.count("events_refused", 1);
        }
        self.count("quoted", -1);
        self.count("ingress_full", 1);
        self.stocks[usize::from(locate)].owes_quote = true;
    }

    fn moment(&mut self, ns: u64, wire_sequence: u64, received: ReceiveTime) -> Moment {
        let (ts_event, is_plausible) = (self.midnight_ns + ns, ns < LONGEST_DAY_NS);
        if is_plausible {
            self.event_clock_ns = self.event_clock_ns.max(ts_event);
        } else {
            self.count("bad_timestamps", 1);
        }
        let ts_recv = match received {
            ReceiveTime::At(now_ns) => now_ns,
            ReceiveTime::EventTime => self.event_clock_ns,
        };
        Moment { wire_sequence, ts_event, ts_recv, is_plausible }
    }

    fn act(&mut self, locate: u16, act: &Act, moment: Moment) -> (Outcome, Option<(Quote, u16)>) {
        match *act {
            Act::Add { reference, side, shares, symbol, price, .. } => {
                self.list_if_new(locate, symbol);
                let side = [b'B', b'S'].contains(&side).then_some(side == b'B');
                match self.enter(reference, locate, side, shares, price) {
                    Ok(()) => self.settle(locate, moment),
                    Err(outcome) => (outcome, None),
                }
            }
            Act::Execute { reference, shares, .. } | Act::Cancel { reference, shares } => {
                self.reduce(reference, u64::from(shares), moment)
            }
            Act::Delete { reference } => match self.orders.remove(&reference) {
                Some(order) => self.settle(order.locate, moment),
                None => (Outcome::UnknownReference, None),
            },
            Act::Replace { reference, new_reference, shares, price } => {
                let Some(old) = self.orders.remove(&reference) else {
                    return (Outcome::UnknownReference, None);
                };
                let side = Some(old.is_bid);
                if self.enter(new_reference, old.locate, side, shares, price).is_err() {
                    self.count("refused_replacements", 1);
                }
                self.settle(old.locate, moment)
            }
            _ => (Outcome::Administrative, self.administrate(locate, act, moment)),
        }
    }

    fn enter(
        &mut self,
        reference: u64,
        locate: u16,
        is_bid: Option<bool>,
        shares: u32,
        price: u32,
    ) -> Result<(), Outcome> {
        let is_bid = is_bid.filter(|_| reference != 0 && shares != 0 && price != 0);
        let is_bid = is_bid.ok_or(Outcome::InvalidOrder)?;
        if self.orders.contains_key(&reference) {
            return Err(Outcome::DuplicateReference);
        }
        self.orders.insert(reference, Order { locate, is_bid, price, shares: shares.into() });
        Ok(())
    }

    fn reduce(
        &mut self,
        reference: u64,
        shares: u64,
        moment: Moment,
    ) -> (Outcome, Option<(Quote, u16)>) {
        let Some(order) = self.orders.get_mut(&reference) else {
            return (Outcome::UnknownReference, None);
        };
        let (locate, before) = (order.locate, order.shares);
        order.shares = before.saturating_sub(shares);
        if order.shares == 0 {
            self.orders.remove(&reference);
        }
        if shares > before {
            self.count("clamped", 1);
        }
        self.settle(locate, moment)
    }

    fn top(&self, locate: u16) -> Top {
        [true, false].map(|is_bid| {
            let side = || self.orders.values().filter(|o| o.locate == locate && o.is_bid == is_bid);
            let prices = side().map(|order| order.price);
            let best = if is_bid { prices.max() } else { prices.min() }?;
            Some((best, side().filter(|o| o.price == best).map(|o| o.shares).sum()))
        })
    }

    fn settle(&mut self, locate: u16, moment: Moment) -> (Outcome, Option<(Quote, u16)>) {
        let top = self.top(locate);
        let exclude_test_symbols = self.exclude_test_symbols;
        let stock = &mut self.stocks[usize::from(locate)];
        if top == stock.shown && !stock.owes_quote {
            return (Outcome::Unchanged, None);
        }
        let is_held_back = stock.is_test && exclude_test_symbols;
        let is_future = moment.ts_event > moment.ts_recv + FUTURE_LIMIT_NS;
        let is_quotable = !is_held_back && stock.instrument.is_some();
        stock.owes_quote = is_quotable && is_future;
        if !stock.owes_quote {
            stock.shown = top;
        }
        match stock.instrument {
            _ if is_held_back => (Outcome::TestSymbol, None),
            None => (Outcome::DirectoryFull, None),
            Some(_) if is_future => (Outcome::Future, None),
            Some(instrument) => {
                let is_halted = stock.effective_state() != TradingState::Trading;
                (Outcome::Quoted, Some((quote(top, instrument, is_halted, moment), locate)))
            }
        }
    }

    fn administrate(&mut self, locate: u16, act: &Act, moment: Moment) -> Option<(Quote, u16)> {
        let index = usize::from(locate);
        let before = self.stocks[index].effective_state();
        let reason = match *act {
            Act::Directory { symbol, authenticity } => {
                self.list(locate, symbol);
                self.stocks[index].is_test = authenticity == b'T';
                return None;
            }
            Act::Action { symbol, state } => {
                self.list_if_new(locate, symbol);
                self.stocks[index].state = match state {
                    b'T' => TradingState::Trading,
                    b'H' => TradingState::Halted,
                    b'P' => TradingState::Paused,
                    b'Q' => TradingState::QuotationOnly,
                    _ => self.stocks[index].state,
                };
                *b"T1  "
            }
            Act::Operational { symbol, market, action } => {
                self.list_if_new(locate, symbol);
                if market == b'Q' && action != b'?' {
                    self.stocks[index].is_stopped_here = action == b'H';
                }
                *b"    "
            }
            Act::System { event: b'C' } => {
                return Some(self.event(FeedEvent::EndOfSession, locate, moment));
            }
            Act::Interest { symbol } => {
                self.list_if_new(locate, symbol);
                return None;
            }
            _ => return None,
        };
        let stock = &self.stocks[index];
        let (state, is_held_back) =
            (stock.effective_state(), stock.is_test && self.exclude_test_symbols);
        let instrument = InstrumentId(stock.instrument?);
        let event = FeedEvent::TradingStateChanged { instrument, state, reason };
        (state != before && !is_held_back).then(|| self.event(event, locate, moment))
    }

    fn event(&mut self, event: FeedEvent, locate: u16, moment: Moment) -> (Quote, u16) {
        self.count("events", 1);
        let Moment { wire_sequence, ts_event, ts_recv, .. } = moment;
        let (venue, channel) = (VenueId(1), ChannelId(2));
        (event.to_record(EventOrigin { ts_event, ts_recv, wire_sequence, venue, channel }), locate)
    }

    fn list_if_new(&mut self, locate: u16, symbol: &'static str) {
        if self.stocks[usize::from(locate)].instrument.is_none() {
            self.list(locate, symbol);
        }
    }

    fn list(&mut self, locate: u16, symbol: &'static str) {
        if locate == 0 || symbol.is_empty() {
            return;
        }
        if !self.directory.contains(&symbol) && self.directory.len() < INSTRUMENTS_MAX {
            self.directory.push(symbol);
        }
        let id = self.directory.iter().position(|known| *known == symbol);
        let instrument = id.map(|id| u32::try_from(id).unwrap());
        let has_orders = self.top(locate) != [None, None];
        let stock = &mut self.stocks[usize::from(locate)];
        // Nobody has seen the top of these orders under the new instrument.
        stock.owes_quote |= has_orders && instrument != stock.instrument;
        stock.instrument = instrument;
    }
}

fn quote(top: Top, instrument: u32, is_halted: bool, moment: Moment) -> Quote {
    let [bid, ask] = top.map(|side| {
        side.map_or(Price::NONE, |(price, _)| Price::from_units(i64::from(price) * 100_000))
    });
    let [bid_size, ask_size] =
        top.map(|side| side.map_or(0, |(_, shares)| u32::try_from(shares).unwrap_or(u32::MAX)));
    let both = bid.is_some() && ask.is_some();
    let is_clamped = top.iter().flatten().any(|(_, shares)| *shares > u32::MAX.into());
    Quote {
        ts_event: moment.ts_event,
        ts_recv: moment.ts_recv,
        wire_sequence: moment.wire_sequence,
        bid,
        ask,
        bid_size,
        ask_size,
        instrument: InstrumentId(instrument),
        venue: VenueId(1),
        channel: ChannelId(2),
        flags: QuoteFlags::ONE_SIDED.when(!both)
            | QuoteFlags::LOCKED.when(both && bid == ask)
            | QuoteFlags::CROSSED.when(both && bid > ask)
            | QuoteFlags::HALTED.when(is_halted)
            | QuoteFlags::SIZE_CLAMPED.when(is_clamped)
            | QuoteFlags::BAD_TIMESTAMP.when(!moment.is_plausible),
        ..Quote::EMPTY
    }
}
