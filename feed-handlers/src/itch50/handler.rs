//! ITCH 5.0 messages in, quotes and feed events out.

use std::sync::Arc;

use freshlane_quote::event::EventOrigin;
use freshlane_quote::{
    ChannelId, FeedEvent, InstrumentId, Quote, SymbolDirectory, TradingState, VenueId,
};

use super::field::{Alpha, Code};
use super::listing::Listing;
use super::lookahead::{self, side};
use super::message::{
    AddOrder, DecodeError, Message, OrderCancel, OrderDelete, OrderExecuted, OrderReplace, Prefix,
};
use super::quoting::{Context, build_quote};
use super::tally::{MessageCounts, RefusalSamples};
use crate::book::{Applied, NewOrder, OrderBooks, Refused, Replacement, Top};
use crate::ledger::{FeedLedger, Outcome, Tally};
use crate::session_time::SessionTime;

/// The most messages of one batch. Prefetching pays from 8 and stops paying at about 32.
pub const BATCH_MAX: usize = 32;

/// A message gives at most one quote or one event.
const RECORDS_MAX: usize = BATCH_MAX;

/// When the bytes of a batch were received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReceiveTime {
    /// At this engine time, ns since the Unix epoch.
    At(u64),
    /// Each message when its venue sent it, never backwards: replay in event time.
    EventTime,
}

/// What a handler is made for.
#[derive(Clone, Debug)]
pub struct HandlerSpec {
    /// Where instruments get their ids.
    pub directory: Arc<SymbolDirectory>,
    /// The venue's id.
    pub venue: VenueId,
    /// The feed session's id.
    pub channel: ChannelId,
    /// The market whose operational halts (`h`) concern this feed: `Q` Nasdaq, `B` BX, `X` PSX.
    pub market_code: u8,
    /// Date and time zone.
    pub session: SessionTime,
    /// How far `ts_event` may lie ahead of the receive time, ns; beyond it the quote is refused.
    pub future_limit_ns: u64,
    /// Live orders to have memory for.
    pub orders_expected: usize,
    /// Whether quotes of test symbols (authenticity `T`) are held back.
    pub exclude_test_symbols: bool,
}

/// Decoder, books and quote building of one ITCH 5.0 feed.
#[derive(Debug)]
pub struct Itch50Handler {
    books: OrderBooks<Listing>,
    directory: Arc<SymbolDirectory>,
    session: SessionTime,
    venue: VenueId,
    channel: ChannelId,
    market_code: u8,
    future_limit_ns: u64,
    exclude_test_symbols: bool,
    /// The running maximum of plausible event times: the receive time of a replay.
    event_clock_ns: u64,
    output: Output,
    ledger: Arc<FeedLedger>,
    counts: MessageCounts,
    samples: RefusalSamples,
}

/// The records of one batch, each with the book that it came from.
#[derive(Debug)]
struct Output {
    records: [Quote; RECORDS_MAX],
    books: [u16; RECORDS_MAX],
    len: usize,
}

/// The order that an add message, with or without attribution, describes.
macro_rules! new_order {
    ($message:ident) => {
        NewOrder {
            reference: $message.order_reference_number(),
            book: $message.prefix().stock_locate,
            side: side($message.buy_sell_indicator()),
            price: $message.price().0,
            shares: shares_on_side($message.buy_sell_indicator(), $message.shares()),
        }
    };
}

impl Output {
    const EMPTY: Self =
        Self { records: [Quote::EMPTY; RECORDS_MAX], books: [0; RECORDS_MAX], len: 0 };

    #[inline(always)]
    fn push(&mut self, record: Quote, book: u16) {
        self.records[self.len] = record;
        self.books[self.len] = book;
        self.len += 1;
    }
}

impl Itch50Handler {
    /// A handler with all its memory allocated and touched.
    #[must_use]
    pub fn new(spec: HandlerSpec) -> Self {
        Self {
            books: OrderBooks::with_expected(spec.orders_expected, Listing::UNKNOWN),
            directory: spec.directory,
            session: spec.session,
            venue: spec.venue,
            channel: spec.channel,
            market_code: spec.market_code,
            future_limit_ns: spec.future_limit_ns,
            exclude_test_symbols: spec.exclude_test_symbols,
            event_clock_ns: 0,
            output: Output::EMPTY,
            ledger: Arc::new(FeedLedger::new()),
            counts: MessageCounts::default(),
            samples: RefusalSamples::default(),
        }
    }

    /// The feed's counters, for any thread.
    #[must_use]
    pub fn ledger(&self) -> &Arc<FeedLedger> {
        &self.ledger
    }

    /// Messages by type, as this handler saw them.
    #[must_use]
    pub fn counts(&self) -> &MessageCounts {
        &self.counts
    }

    /// The first messages that could not be decoded.
    #[must_use]
    pub fn samples(&self) -> &RefusalSamples {
        &self.samples
    }

    /// The records of the last batch, in wire order.
    #[inline]
    #[must_use]
    pub fn records(&self) -> &[Quote] {
        &self.output.records[..self.output.len]
    }

    /// Says that the records of the last batch from `accepted` on found no room downstream. They
    /// are counted as such, and the next message of each such book quotes its top again.
    pub fn refuse_records_from(&mut self, accepted: usize) {
        let refused = accepted..self.output.len;
        for (record, &book) in
            self.output.records[refused.clone()].iter().zip(&self.output.books[refused])
        {
            if record.is_event() {
                self.ledger.events_refused.increment();
            } else {
                self.ledger.move_quoted(Outcome::IngressFull, 1);
                self.books.attachment_mut(book).must_requote = true;
            }
        }
    }

    /// Handles up to [`BATCH_MAX`] messages; [`Itch50Handler::records`] holds what came of them.
    ///
    /// `first_sequence` is the wire sequence of the first message; the others follow by one.
    ///
    /// # Panics
    /// When there are more than [`BATCH_MAX`] messages.
    pub fn on_batch(&mut self, messages: &[&[u8]], first_sequence: u64, received: ReceiveTime) {
        assert!(messages.len() <= BATCH_MAX, "a batch holds at most {BATCH_MAX} messages");
        self.output.len = 0;
        lookahead::prefetch(&self.books, messages);
        let mut tally = Tally::default();
        for (index, message) in (0_u64..).zip(messages) {
            // The sequence comes from outside and may be the last there is.
            let wire_sequence = first_sequence.wrapping_add(index);
            let outcome = self.on_message(message, wire_sequence, received, &mut tally);
            tally.outcomes[outcome as usize] += 1;
            tally.bytes += message.len() as u64;
        }
        #[allow(clippy::cast_possible_truncation, reason = "at most BATCH_MAX")]
        {
            tally.received = messages.len() as u32;
        }
        self.ledger.add(&tally);
        self.ledger.live_orders.set(self.books.live_orders() as u64);
        self.ledger.book_growths.set(self.books.growths());
    }

    #[inline(always)]
    fn on_message(
        &mut self,
        bytes: &[u8],
        wire_sequence: u64,
        received: ReceiveTime,
        tally: &mut Tally,
    ) -> Outcome {
        // One jump by the type byte, and not one to decode and another to handle: each is a coin
        // toss to a branch predictor. Whatever is not a whole order message takes the slow way.
        match bytes.first() {
            Some(&AddOrder::TYPE) => {
                if let Some(m) = AddOrder::view(bytes) {
                    let context =
                        self.context(AddOrder::TYPE, m.prefix(), wire_sequence, received, tally);
                    return self.on_add(m.stock(), new_order!(m), context);
                }
            }
            Some(&OrderDelete::TYPE) => {
                if let Some(m) = OrderDelete::view(bytes) {
                    let context =
                        self.context(OrderDelete::TYPE, m.prefix(), wire_sequence, received, tally);
                    let applied = self.books.delete(m.order_reference_number());
                    return self.settle(applied, context, tally);
                }
            }
            Some(&OrderReplace::TYPE) => {
                if let Some(m) = OrderReplace::view(bytes) {
                    let context = self.context(
                        OrderReplace::TYPE,
                        m.prefix(),
                        wire_sequence,
                        received,
                        tally,
                    );
                    return self.on_replace(m, context, tally);
                }
            }
            Some(&OrderExecuted::TYPE) => {
                if let Some(m) = OrderExecuted::view(bytes) {
                    let context = self.context(
                        OrderExecuted::TYPE,
                        m.prefix(),
                        wire_sequence,
                        received,
                        tally,
                    );
                    return self.on_reduce(
                        m.order_reference_number(),
                        m.executed_shares(),
                        context,
                        tally,
                    );
                }
            }
            Some(&OrderCancel::TYPE) => {
                if let Some(m) = OrderCancel::view(bytes) {
                    let context =
                        self.context(OrderCancel::TYPE, m.prefix(), wire_sequence, received, tally);
                    return self.on_reduce(
                        m.order_reference_number(),
                        m.cancelled_shares(),
                        context,
                        tally,
                    );
                }
            }
            _ => {}
        }
        self.on_rare_message(bytes, wire_sequence, received, tally)
    }

    /// Messages that are few, or that cannot be decoded.
    #[inline(never)]
    fn on_rare_message(
        &mut self,
        bytes: &[u8],
        wire_sequence: u64,
        received: ReceiveTime,
        tally: &mut Tally,
    ) -> Outcome {
        let message = match Message::decode(bytes) {
            Ok(message) => message,
            Err(error) => return self.on_undecodable(bytes, wire_sequence, error),
        };
        let context =
            self.context(message.message_type(), message.prefix(), wire_sequence, received, tally);
        match message {
            Message::AddOrderMpid(m) => self.on_add(m.stock(), new_order!(m), context),
            Message::OrderExecutedWithPrice(m) => {
                self.on_reduce(m.order_reference_number(), m.executed_shares(), context, tally)
            }
            other => self.on_administrative(other, context, tally),
        }
    }

    #[inline(always)]
    fn on_reduce(
        &mut self,
        reference: u64,
        shares: u32,
        context: Context,
        tally: &mut Tally,
    ) -> Outcome {
        let applied = self.books.reduce(reference, shares);
        self.settle(applied, context, tally)
    }

    #[inline(always)]
    fn context(
        &mut self,
        message_type: u8,
        prefix: Prefix,
        wire_sequence: u64,
        received: ReceiveTime,
        tally: &mut Tally,
    ) -> Context {
        self.counts.count(message_type);
        let time = self.session.event_time(prefix.timestamp_ns);
        tally.bad_timestamps += u32::from(!time.is_plausible);
        if time.is_plausible {
            self.event_clock_ns = self.event_clock_ns.max(time.ts_event);
            self.counts.see_time(time.ts_event);
        }
        let ts_recv = match received {
            ReceiveTime::At(now_ns) => now_ns,
            ReceiveTime::EventTime => self.event_clock_ns,
        };
        Context { wire_sequence, time, ts_recv }
    }

    #[inline(always)]
    fn on_add(&mut self, stock: Alpha<8>, new: NewOrder, context: Context) -> Outcome {
        if self.books.attachment(new.book).instrument == InstrumentId::NONE {
            self.list(new.book, stock);
        }
        match self.books.add(new) {
            Ok(applied) => self.quote_if_changed(applied, context),
            Err(refused) => outcome_of(refused),
        }
    }

    #[inline(always)]
    fn on_replace(&mut self, m: OrderReplace<'_>, context: Context, tally: &mut Tally) -> Outcome {
        let new = Replacement {
            reference: m.new_order_reference_number(),
            price: m.price().0,
            shares: m.shares(),
        };
        match self.books.replace(m.order_reference_number(), new) {
            Ok(applied) => self.quote_if_changed(applied, context),
            Err((_, Some(ended))) => {
                tally.refused_replacements += 1;
                self.quote_if_changed(ended, context)
            }
            Err((refused, None)) => outcome_of(refused),
        }
    }

    #[inline(always)]
    fn settle(
        &mut self,
        applied: Result<Applied, Refused>,
        context: Context,
        tally: &mut Tally,
    ) -> Outcome {
        match applied {
            Ok(applied) => {
                tally.clamped += u32::from(applied.clamped());
                self.quote_if_changed(applied, context)
            }
            Err(refused) => outcome_of(refused),
        }
    }

    #[inline(always)]
    fn quote_if_changed(&mut self, applied: Applied, context: Context) -> Outcome {
        if !applied.touched_best() && !self.books.attachment(applied.book()).must_requote {
            return Outcome::Unchanged;
        }
        let top = self.books.top(applied.book());
        let listing = self.books.attachment_mut(applied.book());
        if top == listing.top() && !listing.must_requote {
            return Outcome::Unchanged;
        }
        if listing.is_test && self.exclude_test_symbols {
            listing.must_requote = false;
            listing.set_top(top);
            return Outcome::TestSymbol;
        }
        if listing.instrument == InstrumentId::NONE {
            listing.must_requote = false;
            listing.set_top(top);
            return Outcome::DirectoryFull;
        }
        if context.time.ts_event > context.ts_recv.saturating_add(self.future_limit_ns) {
            listing.must_requote = true;
            return Outcome::Future;
        }
        listing.must_requote = false;
        listing.set_top(top);
        let quote = build_quote(top, *listing, context, self.venue, self.channel);
        self.output.push(quote, applied.book());
        Outcome::Quoted
    }

    #[cold]
    fn on_undecodable(&mut self, bytes: &[u8], wire_sequence: u64, error: DecodeError) -> Outcome {
        self.samples.keep(bytes, wire_sequence);
        match error {
            DecodeError::UnknownType { message_type } => {
                self.counts.count(message_type);
                Outcome::UnknownType
            }
            DecodeError::TooShort { .. } | DecodeError::Empty => Outcome::Malformed,
        }
    }

    #[inline(never)]
    fn on_administrative(
        &mut self,
        message: Message<'_>,
        context: Context,
        tally: &mut Tally,
    ) -> Outcome {
        let locate = message.prefix().stock_locate;
        match message {
            Message::StockDirectory(m) => {
                self.list(locate, m.stock());
                self.books.attachment_mut(locate).is_test = m.authenticity().byte() == b'T';
            }
            Message::StockTradingAction(m) => {
                self.list_if_new(locate, m.stock());
                if let Some(state) = trading_state(m.trading_state()) {
                    let old = self.books.attachment(locate).effective_state();
                    self.books.attachment_mut(locate).state = state;
                    self.state_event(locate, old, m.reason(), context, tally);
                }
            }
            Message::OperationalHalt(m) => {
                self.list_if_new(locate, m.stock());
                let action = m.operational_halt_action().byte();
                if m.market_code().byte() == self.market_code && matches!(action, b'H' | b'T') {
                    let old = self.books.attachment(locate).effective_state();
                    self.books.attachment_mut(locate).is_operationally_halted = action == b'H';
                    self.state_event(locate, old, Alpha(*b"    "), context, tally);
                }
            }
            Message::SystemEvent(m) if m.event_code().byte() == b'C' => {
                self.push_event(FeedEvent::EndOfSession, locate, context, tally);
            }
            other => self.list_by_stock(locate, other),
        }
        Outcome::Administrative
    }

    /// Messages that name a stock define it where the directory message was missed.
    fn list_by_stock(&mut self, locate: u16, message: Message<'_>) {
        let stock = match message {
            Message::RegShoRestriction(m) => m.stock(),
            Message::MarketParticipantPosition(m) => m.stock(),
            Message::IpoQuotingPeriodUpdate(m) => m.stock(),
            Message::LuldAuctionCollar(m) => m.stock(),
            Message::TradeNonCross(m) => m.stock(),
            Message::CrossTrade(m) => m.stock(),
            Message::NetOrderImbalance(m) => m.stock(),
            Message::RetailPriceImprovement(m) => m.stock(),
            Message::DirectListingPriceDiscovery(m) => m.stock(),
            _ => return,
        };
        self.list_if_new(locate, stock);
    }

    /// Gives `locate` the instrument of `stock`. A full directory leaves it without one; its quotes
    /// are then counted as `directory_full`. Locate 0 and an empty symbol name no stock.
    #[cold]
    fn list(&mut self, locate: u16, stock: Alpha<8>) {
        let symbol = stock.as_str();
        if locate != 0 && !symbol.is_empty() {
            let instrument = self.directory.intern(self.venue, symbol);
            let instrument = instrument.unwrap_or(InstrumentId::NONE);
            let has_orders = self.books.top(locate) != Top::default();
            let listing = self.books.attachment_mut(locate);
            // Nobody has seen the top of these orders under this instrument.
            listing.must_requote |= has_orders && instrument != listing.instrument;
            listing.instrument = instrument;
        }
    }

    fn list_if_new(&mut self, locate: u16, stock: Alpha<8>) {
        if self.books.attachment(locate).instrument == InstrumentId::NONE {
            self.list(locate, stock);
        }
    }

    fn state_event(
        &mut self,
        locate: u16,
        old: TradingState,
        reason: Alpha<4>,
        context: Context,
        tally: &mut Tally,
    ) {
        let listing = *self.books.attachment(locate);
        let state = listing.effective_state();
        let concerns_nobody = listing.is_test && self.exclude_test_symbols;
        if state != old && listing.instrument != InstrumentId::NONE && !concerns_nobody {
            let event = FeedEvent::TradingStateChanged {
                instrument: listing.instrument,
                state,
                reason: reason.0,
            };
            self.push_event(event, locate, context, tally);
        }
    }

    fn push_event(&mut self, event: FeedEvent, locate: u16, context: Context, tally: &mut Tally) {
        let origin = EventOrigin {
            ts_event: context.time.ts_event,
            ts_recv: context.ts_recv,
            wire_sequence: context.wire_sequence,
            venue: self.venue,
            channel: self.channel,
        };
        self.output.push(event.to_record(origin), locate);
        tally.events += 1;
    }
}

/// The shares of a new order; 0, which refuses it, where it is on neither side.
#[inline(always)]
fn shares_on_side(indicator: Code, shares: u32) -> u32 {
    if matches!(indicator.byte(), b'B' | b'S') { shares } else { 0 }
}

fn trading_state(code: Code) -> Option<TradingState> {
    match code.byte() {
        b'T' => Some(TradingState::Trading),
        b'H' => Some(TradingState::Halted),
        b'P' => Some(TradingState::Paused),
        b'Q' => Some(TradingState::QuotationOnly),
        _ => None,
    }
}

fn outcome_of(refused: Refused) -> Outcome {
    match refused {
        Refused::UnknownReference => Outcome::UnknownReference,
        Refused::DuplicateReference => Outcome::DuplicateReference,
        Refused::InvalidOrder => Outcome::InvalidOrder,
    }
}
