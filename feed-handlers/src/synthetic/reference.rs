//! What is sent before the day and seldom in it: the directory, states, participants, levels.

use super::encode;
use super::listing::State;
use super::market::{Market, PARTICIPANTS};
use super::symbols::TEST_SYMBOLS;

/// The index at yesterday's close, 8 decimals; the breaker's levels lie 7, 13 and 20 % below.
const INDEX_E8: u64 = 6_850 * 100_000_000;

impl Market {
    /// `S`.
    pub(super) fn system_event(&mut self, event: u8) -> usize {
        encode::SystemEvent { event }.encode(self.market_prefix(), &mut self.buffer).len()
    }

    /// `R` of the `index`th symbol.
    pub(super) fn list(&mut self, index: u64) -> usize {
        let symbol = self.by_locate(index);
        let listed = self.book.symbol(symbol);
        let (stock, round_lot) = (listed.stock, listed.round_lot);
        let market_category = self.random.choice(b"QQQGSNNAPPZ");
        let at_nasdaq = b"QGS".contains(&market_category);
        let is_fund = self.random.one_in(4);
        let message = encode::StockDirectory {
            stock,
            market_category,
            financial_status: if at_nasdaq { b'N' } else { b' ' },
            round_lot,
            round_lots_only: b'N',
            classification: if is_fund { b'Q' } else { self.random.choice(b"CCCAOPRW") },
            subtype: if is_fund { *b"E " } else { *b"Z " },
            authenticity: if TEST_SYMBOLS.contains(&&stock) { b'T' } else { b'P' },
            short_sale_threshold: if self.random.one_in(64) { b'Y' } else { b'N' },
            ipo: if self.random.one_in(512) { b'Y' } else { b'N' },
            luld_tier: self.random.choice(b"12222 "),
            etp: if is_fund { b'Y' } else { b'N' },
            etp_leverage: if is_fund { self.random.choice(&[0, 0, 0, 2, 3]) } else { 0 },
            inverse: if is_fund && self.random.one_in(8) { b'Y' } else { b'N' },
        };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `H`: the `index`th symbol trades.
    pub(super) fn resume(&mut self, index: u64) -> usize {
        self.trading_action(self.by_locate(index), State::Trading, *b"    ")
    }

    /// `H`: a symbol changes its state.
    pub(super) fn trading_action(&mut self, symbol: u32, state: State, reason: [u8; 4]) -> usize {
        self.book.symbol_mut(symbol).state = state;
        let stock = self.stock(symbol);
        let message = encode::TradingAction { stock, state: state as u8, reserved: b' ', reason };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `Y` of the `index`th symbol.
    pub(super) fn reg_sho(&mut self, index: u64) -> usize {
        let action = if self.random.one_in(32) { b'2' } else { b'0' };
        self.reg_sho_action(self.by_locate(index), action)
    }

    /// `Y` in the day: the price test begins.
    pub(super) fn reg_sho_change(&mut self, symbol: u32) -> usize {
        self.reg_sho_action(symbol, b'1')
    }

    fn reg_sho_action(&mut self, symbol: u32, action: u8) -> usize {
        let message = encode::RegSho { stock: self.stock(symbol), action };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `L`: round the symbols by activity, participant by participant.
    pub(super) fn participant(&mut self, index: u64) -> usize {
        let symbol = self.activity.ranked(index);
        let round = index / u64::from(self.activity.count());
        #[allow(clippy::cast_possible_truncation, reason = "the remainder is an index")]
        let mpid = PARTICIPANTS[((round + u64::from(symbol)) % PARTICIPANTS.len() as u64) as usize];
        self.participant_position(symbol, mpid, b'A')
    }

    /// `L` in the day.
    pub(super) fn participant_change(&mut self, symbol: u32) -> usize {
        let mpid = self.random.choice(&PARTICIPANTS);
        let state = self.random.choice(b"AAAEWS");
        self.participant_position(symbol, mpid, state)
    }

    fn participant_position(&mut self, symbol: u32, mpid: [u8; 4], state: u8) -> usize {
        let primary = if self.random.one_in(4) { b'Y' } else { b'N' };
        let stock = self.stock(symbol);
        let message = encode::ParticipantPosition { mpid, stock, primary, mode: b'N', state };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `N`.
    pub(super) fn retail_interest(&mut self, symbol: u32) -> usize {
        let interest = self.random.choice(b"BSAN");
        let message = encode::RetailInterest { stock: self.stock(symbol), interest };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `V`.
    pub(super) fn decline_levels(&mut self) -> usize {
        let message = encode::DeclineLevels {
            level_1_e8: INDEX_E8 / 100 * 93,
            level_2_e8: INDEX_E8 / 100 * 87,
            level_3_e8: INDEX_E8 / 100 * 80,
        };
        message.encode(self.market_prefix(), &mut self.buffer).len()
    }

    /// `K`: an offering will be quoted in five minutes.
    pub(super) fn ipo_quoting(&mut self, symbol: u32) -> usize {
        let cancelled = self.random.one_in(8);
        let release_time_s = u32::try_from(self.now_ns / 1_000_000_000).unwrap_or(0) + 300;
        let listed = self.book.symbol(symbol);
        let message = encode::IpoQuoting {
            stock: listed.stock,
            release_time_s: if cancelled { 0 } else { release_time_s },
            qualifier: if cancelled { b'C' } else { b'A' },
            price_e4: listed.open_ticks * listed.tick_e4,
        };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// `O`: a direct listing looks for its price.
    pub(super) fn direct_listing(&mut self, symbol: u32) -> usize {
        let near_e4 = self.book.symbol(symbol).mid_e4();
        let message = encode::DirectListing {
            stock: self.stock(symbol),
            eligible: self.random.choice(b"YYYN"),
            min_e4: near_e4 / 5 * 4,
            max_e4: near_e4 / 5 * 9,
            near_e4,
            near_time_ns: self.now_ns,
            lower_e4: near_e4 / 10 * 9,
            upper_e4: near_e4 / 10 * 11,
        };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }

    /// The symbol of the `index`th locate.
    fn by_locate(&self, index: u64) -> u32 {
        u32::try_from(index).unwrap_or(0) % self.activity.count()
    }
}
