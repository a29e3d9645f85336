//! A slow and simple reader of the stream that panics at the first thing that is wrong.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::synthetic::SyntheticMessage;
use crate::synthetic::encode::LENGTHS;

/// A live order as the reader knows it.
#[derive(Clone, Copy, Debug)]
struct Order {
    locate: u16,
    side: u8,
    shares: u32,
    price_e4: u32,
}

/// Price → shares there, references in order of arrival.
type Levels = BTreeMap<u32, (u64, VecDeque<u64>)>;

#[derive(Default, Debug)]
struct Stock {
    symbol: [u8; 8],
    state: u8,
    bids: Levels,
    asks: Levels,
}

type Touch = [Option<(u32, u64)>; 2];

impl Stock {
    fn side(&mut self, side: u8) -> &mut Levels {
        if side == b'B' { &mut self.bids } else { &mut self.asks }
    }

    /// Best price and its shares, bid and ask.
    fn touch(&self) -> Touch {
        let level = |(price, level): (&u32, &(u64, _))| (*price, level.0);
        [self.bids.last_key_value().map(level), self.asks.first_key_value().map(level)]
    }

    /// The first order at the best price of a side.
    fn front(&self, side: u8) -> Option<u64> {
        let best = match side {
            b'B' => self.bids.last_key_value(),
            _ => self.asks.first_key_value(),
        };
        best.and_then(|(_, level)| level.1.front().copied())
    }
}

/// Follows the stream and checks it, message by message.
#[derive(Default, Debug)]
pub(super) struct NaiveBook {
    stocks: BTreeMap<u16, Stock>,
    orders: BTreeMap<u64, Order>,
    matches: BTreeSet<u64>,
    last_reference: u64,
    last_ns: u64,
    /// Messages by type.
    pub(super) by_kind: BTreeMap<char, u64>,
    /// Messages in all.
    pub(super) messages: u64,
    /// Messages that changed the best bid or offer of their stock, in price or size.
    pub(super) touches: u64,
    /// System events and when they came.
    pub(super) events: Vec<(char, u64)>,
    /// States that the stocks went through after the open.
    pub(super) states: BTreeSet<char>,
}

impl NaiveBook {
    /// Live orders.
    pub(super) fn live(&self) -> usize {
        self.orders.len()
    }

    /// Share of the messages that have that type, in parts of 10,000.
    pub(super) fn share(&self, kind: char) -> u64 {
        self.by_kind.get(&kind).unwrap_or(&0) * 10_000 / self.messages
    }

    /// The symbols of the directory, by locate.
    pub(super) fn symbols(&self) -> Vec<[u8; 8]> {
        self.stocks.values().map(|stock| stock.symbol).collect()
    }

    /// The middle of each stock's book, Price(4); 0 where a side is empty.
    pub(super) fn mids_e4(&self) -> Vec<u32> {
        let mid = |stock: &Stock| match stock.touch() {
            [Some((bid, _)), Some((ask, _))] => u32::midpoint(bid, ask),
            _ => 0,
        };
        self.stocks.values().map(mid).collect()
    }

    /// Takes the next message.
    pub(super) fn follow(&mut self, message: SyntheticMessage<'_>) {
        let bytes = message.bytes;
        self.check_frame(&message);
        let locate = u16::from_be_bytes([bytes[1], bytes[2]]);
        let before = self.stocks.get(&locate).map(Stock::touch);
        self.apply(locate, bytes);
        let after = self.stocks.get(&locate).map(Stock::touch);
        self.touches += u64::from(before.is_some() && before != after);
        if let Some([Some((bid, _)), Some((ask, _))]) = after {
            assert!(bid < ask, "locate {locate} is locked or crossed: {bid} {ask}");
        }
    }

    fn check_frame(&mut self, message: &SyntheticMessage<'_>) {
        let bytes = message.bytes;
        let kind = char::from(bytes[0]);
        let len = LENGTHS.iter().find(|(known, _)| *known == bytes[0]).map(|(_, len)| *len);
        assert_eq!(Some(bytes.len()), len, "length of {kind}");
        let stamp = u64_at(&[&[0, 0], &bytes[5..11]].concat(), 0);
        assert_eq!(stamp, message.ns_since_midnight);
        assert!(stamp >= self.last_ns, "time fell from {} to {stamp}", self.last_ns);
        self.last_ns = stamp;
        self.messages += 1;
        *self.by_kind.entry(kind).or_default() += 1;
    }

    fn apply(&mut self, locate: u16, bytes: &[u8]) {
        match bytes[0] {
            b'S' => self.events.push((char::from(bytes[11]), self.last_ns)),
            b'V' => assert_eq!(locate, 0),
            b'R' => self.list(locate, bytes),
            b'H' => self.change_state(locate, bytes, bytes[19]),
            b'h' => self.change_state(locate, bytes, bytes[20]),
            b'A' | b'F' => {
                self.check_stock(locate, bytes, 24);
                let price_e4 = u32_at(bytes, 32);
                let order = Order { locate, side: bytes[19], shares: u32_at(bytes, 20), price_e4 };
                self.add(u64_at(bytes, 11), order);
            }
            b'E' | b'C' => self.execute(bytes),
            b'X' => {
                let (reference, shares) = (u64_at(bytes, 11), u32_at(bytes, 19));
                assert!(shares > 0 && shares < self.orders[&reference].shares, "X takes all");
                self.reduce(reference, shares);
            }
            b'D' => {
                self.remove(u64_at(bytes, 11), locate);
            }
            b'U' => {
                let old = self.remove(u64_at(bytes, 11), locate);
                let (shares, price_e4) = (u32_at(bytes, 27), u32_at(bytes, 31));
                self.add(u64_at(bytes, 19), Order { shares, price_e4, ..old });
            }
            b'P' => {
                assert_eq!((u64_at(bytes, 11), bytes[19]), (0, b'B'));
                assert_eq!(self.stocks[&locate].state, b'T');
                self.check_stock(locate, bytes, 24);
                self.check_match(u64_at(bytes, 36));
            }
            b'Q' => {
                self.check_stock(locate, bytes, 19);
                self.check_match(u64_at(bytes, 31));
            }
            b'B' => assert!(self.matches.contains(&u64_at(bytes, 11)), "B of no trade"),
            b'I' => self.check_stock(locate, bytes, 28),
            b'L' => self.check_stock(locate, bytes, 15),
            b'Y' | b'K' | b'J' | b'N' | b'O' => self.check_stock(locate, bytes, 11),
            kind => panic!("a type that should not be there: {}", char::from(kind)),
        }
    }

    fn list(&mut self, locate: u16, bytes: &[u8]) {
        let symbol = bytes[11..19].try_into().unwrap();
        let stock = Stock { symbol, ..Stock::default() };
        assert!(self.stocks.insert(locate, stock).is_none(), "locate {locate} twice");
    }

    fn check_stock(&self, locate: u16, bytes: &[u8], at: usize) {
        assert_eq!(self.stocks[&locate].symbol, bytes[at..at + 8]);
    }

    fn change_state(&mut self, locate: u16, bytes: &[u8], state: u8) {
        self.check_stock(locate, bytes, 11);
        self.stocks.get_mut(&locate).unwrap().state = state;
        if self.events.iter().any(|(event, _)| *event == 'Q') {
            self.states.insert(char::from(state));
        }
    }

    fn add(&mut self, reference: u64, order: Order) {
        assert!(reference > self.last_reference, "references must ascend");
        self.last_reference = reference;
        let Order { locate, side, shares, price_e4 } = order;
        assert!(shares > 0 && price_e4 > 0 && price_e4 < 2_000_000_000, "{order:?}");
        assert!(price_e4 < 10_000 || price_e4.is_multiple_of(100), "finer than a cent: {order:?}");
        let stock = self.stocks.get_mut(&locate).unwrap();
        assert_ne!(stock.state, b'H', "a halted stock takes no orders");
        let level = stock.side(side).entry(price_e4).or_default();
        level.0 += u64::from(shares);
        level.1.push_back(reference);
        self.orders.insert(reference, order);
    }

    fn execute(&mut self, bytes: &[u8]) {
        let (reference, shares) = (u64_at(bytes, 11), u32_at(bytes, 19));
        let Order { locate, side, .. } = self.orders[&reference];
        let stock = &self.stocks[&locate];
        assert_eq!(stock.front(side), Some(reference), "not the first of the best price");
        assert!(stock.state == b'T' || bytes[0] == b'C', "a trade while {}", stock.state);
        self.check_match(u64_at(bytes, 23));
        self.reduce(reference, shares);
    }

    fn check_match(&mut self, number: u64) {
        assert!(self.matches.last().is_none_or(|last| *last < number), "matches must ascend");
        self.matches.insert(number);
    }

    fn reduce(&mut self, reference: u64, shares: u32) {
        let order = self.orders.get_mut(&reference).expect("unknown reference");
        assert!(shares > 0);
        let left = order.shares.checked_sub(shares).expect("more shares than there are");
        order.shares = left;
        let Order { locate, side, price_e4, .. } = *order;
        let levels = self.stocks.get_mut(&locate).unwrap().side(side);
        levels.get_mut(&price_e4).unwrap().0 -= u64::from(shares);
        if left == 0 {
            self.remove(reference, locate);
        }
    }

    fn remove(&mut self, reference: u64, locate: u16) -> Order {
        let order = self.orders.remove(&reference).expect("unknown reference");
        assert_eq!(order.locate, locate);
        let levels = self.stocks.get_mut(&locate).unwrap().side(order.side);
        let level = levels.get_mut(&order.price_e4).unwrap();
        level.0 -= u64::from(order.shares);
        level.1.retain(|waiting| *waiting != reference);
        if level.1.is_empty() {
            levels.remove(&order.price_e4);
        }
        order
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap())
}
