//! Crosses and the imbalances that announce them.

use super::encode;
use super::listing::Side;
use super::market::Market;
use super::quoting;

/// In one of so many crosses a resting order takes part; its `C` comes right before the `Q`.
const CROSSES_PER_EXECUTION: u64 = 4;

/// One in so many crosses finds nobody: no shares, no price.
const EMPTY_CROSS_ODDS: u32 = 8;

/// How many messages that many crosses make.
pub(super) const fn cross_messages(crosses: u64) -> u64 {
    crosses + crosses.div_ceil(CROSSES_PER_EXECUTION)
}

impl Market {
    /// The `index`th message of a round of crosses, from the most active symbol on.
    pub(super) fn cross(&mut self, index: u64, cross: u8) -> usize {
        let group = index / (CROSSES_PER_EXECUTION + 1);
        let first = self.activity.ranked(group * CROSSES_PER_EXECUTION);
        match index % (CROSSES_PER_EXECUTION + 1) {
            0 => self.execute_in_cross(first, cross),
            1 => self.cross_trade(first, cross),
            part => {
                let symbol = self.activity.ranked(group * CROSSES_PER_EXECUTION + part - 1);
                self.cross_trade(symbol, cross)
            }
        }
    }

    /// `C`: the first order of the best bid takes part, or else the imbalance is told once more.
    fn execute_in_cross(&mut self, symbol: u32, cross: u8) -> usize {
        let slot = self.book.front(symbol, Side::Bid).filter(|&slot| !self.book.is_last(slot));
        let Some(slot) = slot else {
            return self.imbalance(symbol, cross);
        };
        let price_e4 = self.book.price_e4(slot);
        let order = *self.book.orders.get(slot);
        self.book.reduce(slot, order.shares);
        let match_number = self.next_match(symbol);
        self.execute_priced(
            symbol,
            encode::OrderExecutedWithPrice {
                order_ref: order.reference,
                shares: order.shares,
                match_number,
                printable: b'N',
                price_e4,
            },
        )
    }

    /// `Q`.
    pub(super) fn cross_trade(&mut self, symbol: u32, cross: u8) -> usize {
        let listed = self.book.symbol(symbol);
        let (stock, mid_e4) = (listed.stock, listed.mid_e4());
        let shares = u64::from(quoting::size(listed, &mut self.random)) * 20;
        let is_empty = cross != b'H' && self.random.one_in(EMPTY_CROSS_ODDS);
        let (shares, price_e4) = if is_empty { (0, 0) } else { (shares, mid_e4) };
        let match_number = self.next_match(symbol);
        let message = encode::CrossTrade { shares, stock, price_e4, match_number, cross };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `I`.
    pub(super) fn imbalance(&mut self, symbol: u32, cross: u8) -> usize {
        let listed = self.book.symbol(symbol);
        let (stock, reference_e4, tick_e4) = (listed.stock, listed.mid_e4(), listed.tick_e4);
        let paired_shares = u64::from(quoting::size(listed, &mut self.random)) * 10;
        let direction = self.random.choice(b"BSNO");
        let open_shares = u64::from(quoting::size(self.book.symbol(symbol), &mut self.random));
        let message = encode::Imbalance {
            paired_shares,
            imbalance_shares: if b"BS".contains(&direction) { open_shares } else { 0 },
            direction,
            stock,
            far_e4: reference_e4 + tick_e4 * self.random.below(4),
            near_e4: reference_e4 + tick_e4 * self.random.below(2),
            reference_e4,
            cross,
            price_variation: self.random.choice(b"LL12"),
        };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `J`: the collar of the auction that will end a pause.
    pub(super) fn auction_collar(&mut self, symbol: u32) -> usize {
        let reference_e4 = self.book.symbol(symbol).mid_e4();
        let message = encode::AuctionCollar {
            stock: self.stock(symbol),
            reference_e4,
            upper_e4: reference_e4 + reference_e4 / 20,
            lower_e4: reference_e4 - reference_e4 / 20,
            extension: 0,
        };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }
}
