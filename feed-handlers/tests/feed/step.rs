//! Random messages about few orders and few stocks, so that they meet.

use freshlane_feed_handlers::synthetic::encode::{
    AddOrder, AddOrderAttributed, Buffer, LEN_MAX, OperationalHalt, OrderCancel, OrderDelete,
    OrderExecuted, OrderExecutedWithPrice, OrderReplace, Prefix, RetailInterest, StockDirectory,
    SystemEvent, TradingAction,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// One more than the directory of these tests holds, and none.
const SYMBOLS: [&str; 5] = ["", "AA", "B.B", "CCCCCCCC", "D"];
/// The longest local day, ns: stamps from here on are bad.
pub(crate) const LONGEST_DAY_NS: u64 = 25 * 3_600_000_000_000;

/// What a message says.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Add { reference: u64, side: u8, shares: u32, symbol: &'static str, price: u32, mpid: bool },
    Execute { reference: u64, shares: u32, priced: bool },
    Cancel { reference: u64, shares: u32 },
    Delete { reference: u64 },
    Replace { reference: u64, new_reference: u64, shares: u32, price: u32 },
    Directory { symbol: &'static str, authenticity: u8 },
    Action { symbol: &'static str, state: u8 },
    Operational { symbol: &'static str, market: u8, action: u8 },
    Interest { symbol: &'static str },
    System { event: u8 },
}

/// One message, as it comes over the wire.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A message of the specification, with so many bytes more than it needs.
    Whole { locate: u16, ns: u64, act: Act, grown: usize },
    /// One that ends early.
    Cut { locate: u16, act: Act, missing: usize },
    /// Bytes of a type that nobody knows, or none.
    Unknown(Vec<u8>),
}

fn stock(symbol: &str) -> [u8; 8] {
    std::array::from_fn(|i| symbol.as_bytes().get(i).copied().unwrap_or(b' '))
}

impl Act {
    fn encode(self, prefix: Prefix, out: &mut Buffer) -> &[u8] {
        match self {
            Self::Add { reference, side, shares, symbol, price, mpid } => {
                let (stock, mpid_text) = (stock(symbol), *b"MPID");
                let (order_ref, price_e4) = (reference, price);
                if mpid {
                    let mpid = mpid_text;
                    return AddOrderAttributed { order_ref, side, shares, stock, price_e4, mpid }
                        .encode(prefix, out);
                }
                AddOrder { order_ref, side, shares, stock, price_e4 }.encode(prefix, out)
            }
            Self::Execute { reference: order_ref, shares, priced: false } => {
                OrderExecuted { order_ref, shares, match_number: 9 }.encode(prefix, out)
            }
            Self::Execute { reference: order_ref, shares, priced: true } => {
                let (printable, price_e4) = (b'N', 77);
                OrderExecutedWithPrice { order_ref, shares, match_number: 9, printable, price_e4 }
                    .encode(prefix, out)
            }
            Self::Cancel { reference: order_ref, shares } => {
                OrderCancel { order_ref, shares }.encode(prefix, out)
            }
            Self::Delete { reference: order_ref } => OrderDelete { order_ref }.encode(prefix, out),
            Self::Replace { reference, new_reference, shares, price } => OrderReplace {
                order_ref: reference,
                new_order_ref: new_reference,
                shares,
                price_e4: price,
            }
            .encode(prefix, out),
            Self::Directory { symbol, authenticity } => {
                listing(symbol, authenticity).encode(prefix, out)
            }
            Self::Action { symbol, state } => {
                let (stock, reason) = (stock(symbol), *b"T1  ");
                TradingAction { stock, state, reserved: b' ', reason }.encode(prefix, out)
            }
            Self::Operational { symbol, market, action } => {
                OperationalHalt { stock: stock(symbol), market, action }.encode(prefix, out)
            }
            Self::Interest { symbol } => {
                RetailInterest { stock: stock(symbol), interest: b'B' }.encode(prefix, out)
            }
            Self::System { event } => SystemEvent { event }.encode(prefix, out),
        }
    }
}

fn listing(symbol: &str, authenticity: u8) -> StockDirectory {
    StockDirectory {
        stock: stock(symbol),
        market_category: b'Q',
        financial_status: b'N',
        round_lot: 100,
        round_lots_only: b'N',
        classification: b'C',
        subtype: *b"Z ",
        authenticity,
        short_sale_threshold: b'N',
        ipo: b'N',
        luld_tier: b'1',
        etp: b'N',
        etp_leverage: 0,
        inverse: b'N',
    }
}

impl Step {
    /// The message's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self.clone() {
            Self::Unknown(bytes) => bytes,
            Self::Whole { locate, ns, act, grown } => {
                let prefix = Prefix { locate, tracking: 3, ns_since_midnight: ns };
                let mut bytes = act.encode(prefix, &mut [0; LEN_MAX]).to_vec();
                bytes.resize(bytes.len() + grown, 0xee);
                bytes
            }
            Self::Cut { locate, act, missing } => {
                let prefix = Prefix { locate, tracking: 3, ns_since_midnight: 0 };
                let mut bytes = act.encode(prefix, &mut [0; LEN_MAX]).to_vec();
                bytes.truncate(bytes.len().saturating_sub(missing).max(1));
                bytes
            }
        }
    }
}

fn reference() -> impl Strategy<Value = u64> {
    0..10_u64
}

fn shares() -> impl Strategy<Value = u32> {
    prop_oneof![1 => Just(0), 9 => 1..5_u32, 1 => Just(u32::MAX)]
}

fn price() -> impl Strategy<Value = u32> {
    prop_oneof![1 => Just(0), 9 => 100..105_u32, 1 => 1..300_u32, 1 => Just(u32::MAX)]
}

fn symbol() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&SYMBOLS[..])
}

fn letter(letters: &'static [u8]) -> impl Strategy<Value = u8> {
    proptest::sample::select(letters)
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (reference(), letter(b"BBBBSSSS?"), shares(), symbol(), price(), any::<bool>())
            .prop_map(|(reference, side, shares, symbol, price, mpid)| {
                Act::Add { reference, side, shares, symbol, price, mpid }
            }),
        3 => (reference(), shares(), any::<bool>())
            .prop_map(|(reference, shares, priced)| Act::Execute { reference, shares, priced }),
        2 => (reference(), shares())
            .prop_map(|(reference, shares)| Act::Cancel { reference, shares }),
        3 => reference().prop_map(|reference| Act::Delete { reference }),
        3 => (reference(), reference(), shares(), price()).prop_map(
            |(reference, new_reference, shares, price)| {
                Act::Replace { reference, new_reference, shares, price }
            }
        ),
        1 => (symbol(), letter(b"PPPT"))
            .prop_map(|(symbol, authenticity)| Act::Directory { symbol, authenticity }),
        1 => (symbol(), letter(b"HPQTTT?"))
            .prop_map(|(symbol, state)| Act::Action { symbol, state }),
        1 => (symbol(), letter(b"QQB"), letter(b"HTT?"))
            .prop_map(|(symbol, market, action)| Act::Operational { symbol, market, action }),
        1 => symbol().prop_map(|symbol| Act::Interest { symbol }),
        1 => letter(b"OC").prop_map(|event| Act::System { event }),
    ]
}

/// Stamps within half a day, so that no midnight is suspected; some are bad.
fn ns() -> impl Strategy<Value = u64> {
    const HALF_DAY_NS: u64 = 12 * 3_600_000_000_000;
    prop_oneof![
        20 => 0..1_000_000_u64,
        2 => 0..HALF_DAY_NS,
        1 => LONGEST_DAY_NS..1 << 48,
    ]
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let locate = 0..4_u16;
    let grown = prop_oneof![9 => Just(0_usize), 1 => 1..20_usize];
    let unknown = (letter(b"\0az~\xff"), vec(any::<u8>(), 0..60))
        .prop_map(|(message_type, rest)| Step::Unknown([vec![message_type], rest].concat()));
    prop_oneof![
        20 => (locate.clone(), ns(), act(), grown)
            .prop_map(|(locate, ns, act, grown)| Step::Whole { locate, ns, act, grown }),
        1 => (locate, act(), 1..50_usize)
            .prop_map(|(locate, act, missing)| Step::Cut { locate, act, missing }),
        1 => unknown,
    ]
}

/// A stream of such messages.
pub(crate) fn stream(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<u8>>> {
    vec(step().prop_map(|step| step.bytes()), len)
}
