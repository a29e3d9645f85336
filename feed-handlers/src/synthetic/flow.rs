//! Continuous trading: orders join, leave, shrink, are replaced and trade.

use super::encode;
use super::listing::Side;
use super::market::Market;
use super::orders::{Order, Place};
use super::quoting;

/// What happens next, in parts of 10,000. Trades come in runs, so the parts of messages differ a
/// little from these.
const JOIN_OR_LEAVE: u32 = 8_710;
const REPLACE: u32 = JOIN_OR_LEAVE + 800;
const SHRINK: u32 = REPLACE + 210;
const AGGRESS: u32 = SHRINK + 150;
const HIDDEN_TRADE: u32 = AGGRESS + 100;

/// One in so many orders that leave is at the touch of a side under pressure.
const LEAVE_TOUCH_ODDS: u32 = 28;
/// One in so many messages before the close is an imbalance.
const IMBALANCE_ODDS: u32 = 24;
/// Parts of 64 of what befalls orders befalls young ones.
const YOUNG_PARTS: u32 = 56;
/// How hard the population is pulled to its target.
const POPULATION_GAIN: i64 = 8;

impl Market {
    /// One message of continuous trading.
    pub(super) fn trade(&mut self) -> usize {
        if let Some(len) = self.sweep_on().or_else(|| self.halt_step()) {
            return len;
        }
        let happens = match self.random.below(10_000) {
            0..JOIN_OR_LEAVE => None,
            JOIN_OR_LEAVE..REPLACE => self.replace(),
            REPLACE..SHRINK => self.shrink(),
            SHRINK..AGGRESS => self.aggress(),
            AGGRESS..HIDDEN_TRADE => self.hidden_trade(),
            _ => self.rarity(),
        };
        happens.unwrap_or_else(|| self.join_or_leave())
    }

    /// [`Market::trade`] with the imbalances before the closing cross.
    pub(super) fn trade_into_close(&mut self) -> usize {
        if self.random.one_in(IMBALANCE_ODDS) {
            let symbol = self.draw_symbol();
            return self.imbalance(symbol, b'C');
        }
        self.trade()
    }

    /// The opening population, order by order: first both sides of each symbol, then by activity.
    pub(super) fn build(&mut self, index: u64) -> usize {
        let both_sides = 2 * u64::from(self.activity.count());
        if index < both_sides && u64::from(self.population) > both_sides {
            let side = if index.is_multiple_of(2) { Side::Bid } else { Side::Ask };
            return self.join(self.activity.ranked(index / 2), side);
        }
        let symbol = self.draw_symbol();
        let side = self.side_in_need(symbol);
        self.join(symbol, side)
    }

    /// After the close: order by order leaves.
    pub(super) fn drain(&mut self) -> usize {
        match self.book.orders.first_live(self.drain_slot) {
            Some(slot) => {
                self.drain_slot = slot + 1;
                self.delete(slot)
            }
            None => self.participant(self.now_ns),
        }
    }

    fn join_or_leave(&mut self) -> usize {
        let joins = self.wants_more() && !self.book.orders.is_full();
        let first = if joins { self.join_somewhere() } else { self.leave() };
        first
            .or_else(|| if joins { self.leave() } else { self.join_somewhere() })
            .unwrap_or_else(|| self.participant(self.now_ns))
    }

    /// A coin, weighted so that the population tends to its target.
    fn wants_more(&mut self) -> bool {
        let target = i64::from(self.population.max(1));
        let missing = target - i64::from(self.book.orders.live());
        let bias = (missing * POPULATION_GAIN * 32_768 / target).clamp(-28_000, 28_000);
        i64::from(self.random.below(65_536)) < 32_768 + bias
    }

    fn join_somewhere(&mut self) -> Option<usize> {
        let symbol = if self.random.one_in(2) { self.last_symbol } else { self.draw_symbol() };
        if self.book.orders.is_full() || !self.takes_orders(symbol) {
            return None;
        }
        let side = self.side_in_need(symbol);
        Some(self.join(symbol, side))
    }

    /// A random side, but never one that has far more orders than the other.
    fn side_in_need(&mut self, symbol: u32) -> Side {
        let side = Side::random(&mut self.random);
        let count = self.book.symbol(symbol).count;
        let crowded = count[side as usize] > 2 * count[side.other() as usize] + 1;
        if crowded { side.other() } else { side }
    }

    fn leave(&mut self) -> Option<usize> {
        if self.random.one_in(LEAVE_TOUCH_ODDS)
            && let Some(len) = self.leave_touch()
        {
            return Some(len);
        }
        let slot = (0..4).find_map(|_| self.draw_order().filter(|&slot| !self.book.is_last(slot)));
        slot.map(|slot| self.delete(slot))
    }

    /// An order at the best level of the side that is run over leaves.
    fn leave_touch(&mut self) -> Option<usize> {
        let symbol = self.draw_symbol();
        let side = self.pressed_side(symbol);
        let slot = if self.random.one_in(2) {
            self.book.front(symbol, side)
        } else {
            self.book.back(symbol, side)
        };
        let slot = slot.filter(|&slot| !self.book.is_last(slot))?;
        let best = self.book.symbol(symbol).best(side);
        let len = self.delete(slot);
        self.follow_up(symbol, best != self.book.symbol(symbol).best(side));
        Some(len)
    }

    pub(super) fn pressed_side(&mut self, symbol: u32) -> Side {
        let pressed = self.book.symbol(symbol).trend.side_under_pressure();
        pressed.unwrap_or_else(|| Side::random(&mut self.random))
    }

    /// A trend mostly outlives a move of the price, and now and then ends without one.
    pub(super) fn follow_up(&mut self, symbol: u32, price_moved: bool) {
        if self.random.one_in(if price_moved { 4 } else { 256 }) {
            self.book.symbols[symbol as usize].turn(&mut self.random);
        }
    }

    /// A live order: mostly a young one, sometimes any.
    fn draw_order(&mut self) -> Option<u32> {
        if self.random.in_64(YOUNG_PARTS) {
            for _ in 0..2 {
                let (slot, reference) = self.recent.draw(&mut self.random);
                if self.is_alive(slot, reference) {
                    return Some(slot);
                }
            }
        }
        self.book.orders.draw(&mut self.random)
    }

    fn is_alive(&self, slot: u32, reference: u64) -> bool {
        let order = self.book.orders.get(slot);
        order.shares > 0 && order.reference == reference
    }

    /// `U`: a new price, a new size, or both; sometimes of an order that was just replaced.
    fn replace(&mut self) -> Option<usize> {
        let (newest, newest_reference) = self.recent.newest();
        let slot = if self.random.one_in(8) && self.is_alive(newest, newest_reference) {
            newest
        } else {
            self.draw_order()?
        };
        let order = *self.book.orders.get(slot);
        let symbol = u32::from(order.symbol);
        if !self.takes_orders(symbol) {
            return None;
        }
        let key = self.new_key(&order);
        let resizes = key == order.key || self.random.one_in(2);
        let listed = self.book.symbol(symbol);
        let shares = if resizes { quoting::size(listed, &mut self.random) } else { order.shares };
        let new_order_ref = self.next_reference();
        self.book.replace(slot, new_order_ref, shares, key);
        self.recent.push(slot, new_order_ref);
        let price_e4 = self.book.price_e4(slot);
        let prefix = self.prefix(symbol);
        let message =
            encode::OrderReplace { order_ref: order.reference, new_order_ref, shares, price_e4 };
        Some(message.encode(prefix, &mut self.buffer).len())
    }

    /// The level of an order after its replacement: mostly another one.
    fn new_key(&mut self, order: &Order) -> u32 {
        if order.place == Place::Stub || self.random.in_64(20) {
            return order.key;
        }
        let symbol = u32::from(order.symbol);
        let key = quoting::quote(self.book.symbol(symbol), order.side, &mut self.random);
        match self.book.in_the_way(symbol, order.side, key) {
            Some(_) => order.key,
            None => key,
        }
    }

    /// `X`: an order loses some of its shares, never all.
    fn shrink(&mut self) -> Option<usize> {
        let slot = self.draw_order()?;
        let Order { reference, shares, symbol, .. } = *self.book.orders.get(slot);
        if shares < 2 {
            return None;
        }
        let cancelled =
            if self.random.one_in(3) { shares / 2 } else { 1 + self.random.below(shares - 1) };
        self.book.reduce(slot, cancelled);
        let prefix = self.prefix(u32::from(symbol));
        let message = encode::OrderCancel { order_ref: reference, shares: cancelled };
        Some(message.encode(prefix, &mut self.buffer).len())
    }

    /// What happens a few times in a thousand messages.
    fn rarity(&mut self) -> Option<usize> {
        let symbol = self.draw_symbol();
        match self.random.below(64) {
            0..36 => Some(self.retail_interest(symbol)),
            36..56 => Some(self.participant_change(symbol)),
            56..58 => Some(self.reg_sho_change(symbol)),
            58..60 => Some(self.ipo_quoting(symbol)),
            60..62 => Some(self.direct_listing(symbol)),
            _ => self.broken_trade(),
        }
    }
}
