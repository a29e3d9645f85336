//! Trades: aggressive orders that take resting ones, hidden trades, and trades taken back.

use super::encode;
use super::listing::{Side, State};
use super::market::Market;
use super::quoting;

/// One in so many executions has a price of its own.
const PRICED_ODDS: u32 = 20;

/// An aggressive order at work: it takes the best resting orders until it is filled.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Sweep {
    symbol: u32,
    /// The resting side; `None` = no order at work.
    side: Option<Side>,
    shares_left: u32,
}

impl Market {
    /// An aggressive order arrives and takes its first resting order.
    pub(super) fn aggress(&mut self) -> Option<usize> {
        let symbol = self.draw_symbol();
        if !self.trades(symbol) {
            return None;
        }
        let with_trend = self.random.in_64(48);
        let side =
            if with_trend { self.pressed_side(symbol) } else { Side::random(&mut self.random) };
        let shares_left = quoting::size(self.book.symbol(symbol), &mut self.random);
        self.sweep = Sweep { symbol, side: Some(side), shares_left };
        self.sweep_on()
    }

    /// The aggressive order at work takes the next resting order.
    ///
    /// The last order of a side is never taken whole, so that books stay two-sided.
    pub(super) fn sweep_on(&mut self) -> Option<usize> {
        let Sweep { symbol, side, shares_left } = self.sweep;
        let side = side?;
        self.sweep.side = None;
        let slot = self.book.front(symbol, side)?;
        let keeps = u32::from(self.book.is_last(slot));
        let shares = shares_left.min(self.book.orders.get(slot).shares - keeps);
        if shares == 0 {
            return None;
        }
        if shares < shares_left && keeps == 0 {
            self.sweep = Sweep { symbol, side: Some(side), shares_left: shares_left - shares };
        }
        Some(self.execute(symbol, side, slot, shares))
    }

    /// `E`, sometimes `C`.
    fn execute(&mut self, symbol: u32, side: Side, slot: u32, shares: u32) -> usize {
        let order_ref = self.book.orders.get(slot).reference;
        let price_e4 = self.book.price_e4(slot);
        let best = self.book.symbol(symbol).best(side);
        self.book.reduce(slot, shares);
        self.follow_up(symbol, best != self.book.symbol(symbol).best(side));
        let match_number = self.next_match(symbol);
        if !self.random.one_in(PRICED_ODDS) {
            let prefix = self.prefix(symbol);
            let message = encode::OrderExecuted { order_ref, shares, match_number };
            return message.encode(prefix, &mut self.buffer).len();
        }
        // An order may be worth more to its owner than it shows: one tick, or half a cent.
        let gain_e4 = self.random.choice(&[0, 1, self.book.symbol(symbol).tick_e4.div_ceil(2)]);
        let price_e4 = match side {
            Side::Bid => price_e4 + gain_e4,
            Side::Ask => price_e4 - gain_e4,
        };
        let printable = if self.random.one_in(4) { b'N' } else { b'Y' };
        self.execute_priced(
            symbol,
            encode::OrderExecutedWithPrice { order_ref, shares, match_number, printable, price_e4 },
        )
    }

    /// `C`.
    pub(super) fn execute_priced(
        &mut self,
        symbol: u32,
        message: encode::OrderExecutedWithPrice,
    ) -> usize {
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `P`: a hidden order trades inside the spread.
    pub(super) fn hidden_trade(&mut self) -> Option<usize> {
        let symbol = self.draw_symbol();
        let listed = self.book.symbol(symbol);
        let (bid, ask) = (listed.best(Side::Bid)?, listed.best(Side::Ask)?);
        if listed.state != State::Trading {
            return None;
        }
        let (bid, ask) = (listed.price_e4(Side::Bid, bid), listed.price_e4(Side::Ask, ask));
        let (tick_e4, stock) = (listed.tick_e4, listed.stock);
        let shares = quoting::size(listed, &mut self.random);
        let price_e4 = if self.random.one_in(2) {
            u32::midpoint(bid, ask)
        } else {
            bid + tick_e4 * self.random.below((ask - bid) / tick_e4 + 1)
        };
        let match_number = self.next_match(symbol);
        let prefix = self.prefix(symbol);
        let message =
            encode::Trade { order_ref: 0, side: b'B', shares, stock, price_e4, match_number };
        Some(message.encode(prefix, &mut self.buffer).len())
    }

    /// `B`: an earlier trade is taken back.
    pub(super) fn broken_trade(&mut self) -> Option<usize> {
        let (symbol, match_number) = self.breakable.take()?;
        let message = encode::BrokenTrade { match_number };
        let prefix = self.prefix(symbol);
        Some(message.encode(prefix, &mut self.buffer).len())
    }
}
