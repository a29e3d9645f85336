//! The market itself: all books, who acts next, and the message that says so.
//!
//! Each act of the script (see [`Act`]) writes exactly one message into the buffer. The acts live
//! in the files `reference` (before the day), `flow` and `execution` (continuous trading),
//! `auction` (crosses and their imbalances) and `halt`.

use super::activity::Activity;
use super::book::Book;
use super::encode::{self, Buffer, LEN_MAX, Prefix};
use super::execution::Sweep;
use super::halt::{HaltPace, Halts};
use super::listing::{Side, State, Symbol};
use super::orders::{NONE, Order, Place};
use super::random::Random;
use super::recent::Recent;
use super::script::Act;
use super::{quoting, symbols};

/// Streams of random numbers under one seed.
pub(super) const STREAM_MARKET: u64 = 0;
pub(super) const STREAM_CLOCK: u64 = 1;

/// One in so many orders names its owner.
const ATTRIBUTED_ODDS: u32 = 44;
/// One in so many orders is a stub.
const STUB_ODDS: u32 = 128;

/// Market participants; none of them exists.
pub(super) const PARTICIPANTS: [[u8; 4]; 8] =
    [*b"ALFA", *b"BRVO", *b"CHRL", *b"DLTA", *b"ECHO", *b"FXTR", *b"GOLF", *b"HTEL"];

/// The books and everything that decides what happens to them.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) book: Book,
    pub(super) activity: Activity,
    pub(super) random: Random,
    pub(super) recent: Recent,
    pub(super) halts: Halts,
    pub(super) sweep: Sweep,
    /// The live orders that the population tends to.
    pub(super) population: u32,
    /// The symbol that last got an order.
    pub(super) last_symbol: u32,
    /// A trade that may be taken back later: its symbol and match number.
    pub(super) breakable: Option<(u32, u64)>,
    /// Where the sweep-out at the end of the day stands.
    pub(super) drain_slot: u32,
    /// The time of the message being made, ns since midnight.
    pub(super) now_ns: u64,
    pub(super) buffer: Buffer,
    last_reference: u64,
    last_match: u64,
}

impl Market {
    /// A market without orders. All memory that it will ever need is allocated here.
    pub(super) fn new(symbol_count: u32, population: u32, seed: u64, pace: HaltPace) -> Self {
        let mut random = Random::new(seed, STREAM_MARKET);
        let mut listed: Box<[Symbol]> = symbols::symbols(symbol_count, &mut random)
            .into_iter()
            .map(|stock| Symbol::new(stock, &mut random))
            .collect();
        let activity = Activity::new(symbol_count, &mut random);
        for (rank, symbol) in (0..).zip(activity.by_rank()) {
            let listed = &mut listed[symbol as usize];
            let expected_orders = activity.share_of(population, rank);
            listed.width = ladder_width(expected_orders, listed.spread_ticks);
        }
        Self {
            book: Book::new(listed, activity.by_rank(), orders_max(population)),
            activity,
            random,
            recent: Recent::new(),
            halts: Halts::new(pace),
            sweep: Sweep::default(),
            population,
            last_symbol: 0,
            breakable: None,
            drain_slot: 0,
            now_ns: 0,
            buffer: [0; LEN_MAX],
            last_reference: 0,
            last_match: 0,
        }
    }

    /// Performs an act, the `index`th of its segment, and returns the length of its message.
    pub(super) fn perform(&mut self, act: Act, index: u64, now_ns: u64) -> usize {
        self.now_ns = now_ns;
        match act {
            Act::System(event) => self.system_event(event),
            Act::Directory => self.list(index),
            Act::Resume => self.resume(index),
            Act::RegSho => self.reg_sho(index),
            Act::Participants => self.participant(index),
            Act::DeclineLevels => self.decline_levels(),
            Act::Build => self.build(index),
            Act::Imbalances(cross) => self.imbalance(self.activity.ranked(index), cross),
            Act::Cross(cross) => self.cross(index, cross),
            Act::Trade => self.trade(),
            Act::TradeIntoClose => self.trade_into_close(),
            Act::Drain => self.drain(),
        }
    }

    /// The prefix of a message about that symbol.
    pub(super) fn prefix(&mut self, symbol: u32) -> Prefix {
        let tracking = if self.random.one_in(32) { 2 } else { 0 };
        let locate = u16::try_from(symbol + 1).unwrap_or(u16::MAX);
        Prefix { locate, tracking, ns_since_midnight: self.now_ns }
    }

    /// The prefix of a message that is about no symbol.
    pub(super) const fn market_prefix(&self) -> Prefix {
        Prefix { locate: 0, tracking: 0, ns_since_midnight: self.now_ns }
    }

    pub(super) fn stock(&self, symbol: u32) -> [u8; 8] {
        self.book.symbol(symbol).stock
    }

    /// A symbol by its activity.
    pub(super) fn draw_symbol(&mut self) -> u32 {
        self.activity.draw(&mut self.random)
    }

    /// The next order reference: ascending, in irregular steps (hidden orders take some).
    pub(super) fn next_reference(&mut self) -> u64 {
        let step = 1 + self.random.halvings(6);
        let leap = if self.random.one_in(256) { self.random.below(64) } else { 0 };
        self.last_reference += u64::from(step + leap);
        self.last_reference
    }

    /// The next match number, for a trade in that symbol: ascending, in irregular steps.
    pub(super) fn next_match(&mut self, symbol: u32) -> u64 {
        self.last_match += u64::from(1 + self.random.halvings(3));
        if self.breakable.is_none() || self.random.one_in(64) {
            self.breakable = Some((symbol, self.last_match));
        }
        self.last_match
    }

    /// An order joins the book of `symbol`; the pool must have room.
    ///
    /// Where the ladder could not span the new price, the order that is farthest off leaves instead.
    pub(super) fn join(&mut self, symbol: u32, side: Side) -> usize {
        let listed = self.book.symbol(symbol);
        let (place, key) = if self.random.one_in(STUB_ODDS) {
            (Place::Stub, quoting::stub_price_e4(listed, side))
        } else {
            (Place::Ladder, quoting::quote(listed, side, &mut self.random))
        };
        let shares = quoting::size(listed, &mut self.random);
        if place == Place::Ladder
            && let Some(slot) = self.book.in_the_way(symbol, side, key)
        {
            return self.delete(slot);
        }
        let reference = self.next_reference();
        let slot = self.book.add(Order {
            reference,
            shares,
            key,
            next: NONE,
            previous: NONE,
            symbol: u16::try_from(symbol).unwrap_or(u16::MAX),
            side,
            place,
        });
        self.recent.push(slot, reference);
        self.last_symbol = symbol;
        self.announce(slot)
    }

    /// `A`, sometimes `F`, for the order in that slot.
    fn announce(&mut self, slot: u32) -> usize {
        let Order { reference, shares, symbol, side, .. } = *self.book.orders.get(slot);
        let prefix = self.prefix(u32::from(symbol));
        let stock = self.stock(u32::from(symbol));
        let (order_ref, side, price_e4) = (reference, side.wire(), self.book.price_e4(slot));
        if self.random.one_in(ATTRIBUTED_ODDS) {
            let mpid = self.random.choice(&PARTICIPANTS);
            let message =
                encode::AddOrderAttributed { order_ref, side, shares, stock, price_e4, mpid };
            return message.encode(prefix, &mut self.buffer).len();
        }
        let message = encode::AddOrder { order_ref, side, shares, stock, price_e4 };
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `D`: the order in that slot leaves.
    pub(super) fn delete(&mut self, slot: u32) -> usize {
        let Order { reference, symbol, .. } = *self.book.orders.get(slot);
        self.book.remove(slot);
        let prefix = self.prefix(u32::from(symbol));
        encode::OrderDelete { order_ref: reference }.encode(prefix, &mut self.buffer).len()
    }

    /// Whether new orders of that symbol are taken.
    pub(super) fn takes_orders(&self, symbol: u32) -> bool {
        self.book.symbol(symbol).state != State::Halted
    }

    /// Whether that symbol trades.
    pub(super) fn trades(&self, symbol: u32) -> bool {
        self.book.symbol(symbol).state == State::Trading
    }
}

/// Room for the population and its fluctuations.
const fn orders_max(population: u32) -> u32 {
    population.saturating_add(population / 8).saturating_add(256)
}

/// The levels of a side: more for symbols with more orders and wider spreads.
fn ladder_width(expected_orders: u64, spread_ticks: u32) -> u32 {
    let by_orders = match expected_orders {
        0..32 => 64,
        32..256 => 128,
        256..2_048 => 256,
        _ => 512,
    };
    by_orders.max((32 * spread_ticks).next_power_of_two())
}
