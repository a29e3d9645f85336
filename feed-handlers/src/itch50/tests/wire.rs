//! Messages as a venue sends them, in one line each.

use crate::synthetic::encode::{
    AddOrder, Buffer, LEN_MAX, OperationalHalt, OrderCancel, OrderDelete, OrderExecuted,
    OrderReplace, Prefix, StockDirectory, SystemEvent, TradingAction,
};

/// 09:30:00, ns since midnight: when every message here is sent, unless [`at`] says otherwise.
pub(super) const OPEN_NS: u64 = 34_200_000_000_000;

/// The stock that every message here is about, unless [`of`] says otherwise.
pub(super) const LOCATE: u16 = 1;
/// Its symbol.
pub(super) const STOCK: [u8; 8] = *b"TEST    ";

const OPEN: Prefix = Prefix { locate: LOCATE, tracking: 0, ns_since_midnight: OPEN_NS };

fn made(encode: impl FnOnce(Prefix, &mut Buffer) -> &[u8]) -> Vec<u8> {
    encode(OPEN, &mut [0; LEN_MAX]).to_vec()
}

/// The bytes that `text` spells, spaces aside.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

/// `message` sent at `ns` since midnight, of which 48 bits are written.
pub(super) fn at(ns: u64, mut message: Vec<u8>) -> Vec<u8> {
    message[5..11].copy_from_slice(&ns.to_be_bytes()[2..]);
    message
}

/// `message` about another stock locate.
pub(super) fn of(locate: u16, mut message: Vec<u8>) -> Vec<u8> {
    message[1..3].copy_from_slice(&locate.to_be_bytes());
    message
}

/// `A` for `stock`.
pub(super) fn add_of(
    stock: [u8; 8],
    order_ref: u64,
    side: u8,
    shares: u32,
    price_e4: u32,
) -> Vec<u8> {
    made(|prefix, out| AddOrder { order_ref, side, shares, stock, price_e4 }.encode(prefix, out))
}

/// `A`.
pub(super) fn add(order_ref: u64, side: u8, shares: u32, price_e4: u32) -> Vec<u8> {
    add_of(STOCK, order_ref, side, shares, price_e4)
}

/// `E`.
pub(super) fn executed(order_ref: u64, shares: u32) -> Vec<u8> {
    made(|prefix, out| OrderExecuted { order_ref, shares, match_number: 1 }.encode(prefix, out))
}

/// `X`.
pub(super) fn cancel(order_ref: u64, shares: u32) -> Vec<u8> {
    made(|prefix, out| OrderCancel { order_ref, shares }.encode(prefix, out))
}

/// `D`.
pub(super) fn delete(order_ref: u64) -> Vec<u8> {
    made(|prefix, out| OrderDelete { order_ref }.encode(prefix, out))
}

/// `U`.
pub(super) fn replace(order_ref: u64, new_order_ref: u64, shares: u32, price_e4: u32) -> Vec<u8> {
    made(|prefix, out| {
        OrderReplace { order_ref, new_order_ref, shares, price_e4 }.encode(prefix, out)
    })
}

/// `H`.
pub(super) fn action(state: u8, reason: [u8; 4]) -> Vec<u8> {
    made(|prefix, out| {
        TradingAction { stock: STOCK, state, reserved: b' ', reason }.encode(prefix, out)
    })
}

/// `h`.
pub(super) fn operational(market: u8, action: u8) -> Vec<u8> {
    made(|prefix, out| OperationalHalt { stock: STOCK, market, action }.encode(prefix, out))
}

/// `S`.
pub(super) fn system(event: u8) -> Vec<u8> {
    of(0, made(|prefix, out| SystemEvent { event }.encode(prefix, out)))
}

/// `R` for `stock`.
pub(super) fn directory(stock: [u8; 8], authenticity: u8) -> Vec<u8> {
    let listing = StockDirectory {
        stock,
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
    };
    made(|prefix, out| listing.encode(prefix, out))
}
