//! One symbol: what it is, and the state of its book and its trading.

use super::random::Random;

/// A side of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Side {
    Bid = 0,
    Ask = 1,
}

impl Side {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Bid => Self::Ask,
            Self::Ask => Self::Bid,
        }
    }

    pub(super) const fn wire(self) -> u8 {
        match self {
            Self::Bid => b'B',
            Self::Ask => b'S',
        }
    }

    pub(super) fn random(random: &mut Random) -> Self {
        if random.one_in(2) { Self::Bid } else { Self::Ask }
    }
}

/// A price level as a number that is the lower the better it is, on both sides.
///
/// Ask: the price in ticks. Bid: [`MIRROR`] minus the price in ticks. So one piece of code serves
/// both sides.
pub(super) type Key = u32;

/// Above any price in ticks: 199,999.99 is 19,999,999 ticks of a cent.
pub(super) const MIRROR: Key = 1 << 25;

/// No level: a side without orders.
pub(super) const NO_KEY: Key = Key::MAX;

/// The key of a price, and back: the mapping is its own inverse.
pub(super) const fn mirrored(side: Side, value: u32) -> u32 {
    match side {
        Side::Bid => MIRROR - value,
        Side::Ask => value,
    }
}

/// Which way a price goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Trend {
    Up,
    Flat,
    Down,
}

impl Trend {
    /// The side that is run over.
    pub(super) const fn side_under_pressure(self) -> Option<Side> {
        match self {
            Self::Up => Some(Side::Ask),
            Self::Flat => None,
            Self::Down => Some(Side::Bid),
        }
    }
}

/// Whether a symbol trades.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum State {
    Trading = b'T',
    Halted = b'H',
    Paused = b'P',
    QuotationOnly = b'Q',
}

/// One symbol: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Symbol {
    pub(super) stock: [u8; 8],
    /// Best key by side; [`NO_KEY`] = empty.
    pub(super) best: [Key; 2],
    /// Orders on the ladder, by side.
    pub(super) count: [u32; 2],
    /// First level of its ladder.
    pub(super) ladder_base: u32,
    /// Levels that a side of its ladder spans; a power of two, at least 64.
    pub(super) width: u32,
    /// One tick in Price(4): 1 below a dollar, else 100.
    pub(super) tick_e4: u32,
    /// The price at which the day starts, ticks.
    pub(super) open_ticks: u32,
    /// What its spread tends to, ticks; at least 1.
    pub(super) spread_ticks: u32,
    /// Shares in a round lot.
    pub(super) round_lot: u32,
    pub(super) trend: Trend,
    pub(super) state: State,
}

const _: () = assert!(size_of::<Symbol>() == 64);

/// Opening prices: parts of 64, from, to (Price(4)). Below a dollar the tick is 0.0001.
const PRICE_BANDS: [(u32, u32, u32); 6] = [
    (3, 500, 6_000),
    (14, 15_000, 100_000),
    (25, 100_000, 500_000),
    (15, 500_000, 2_000_000),
    (5, 2_000_000, 10_000_000),
    (2, 10_000_000, 60_000_000),
];

/// One dollar.
const DOLLAR_E4: u32 = 10_000;

impl Symbol {
    /// A symbol at a random price, without orders and without a ladder.
    pub(super) fn new(stock: [u8; 8], random: &mut Random) -> Self {
        let price_e4 = opening_price_e4(random);
        let tick_e4 = if price_e4 < DOLLAR_E4 { 1 } else { 100 };
        let open_ticks = price_e4 / tick_e4;
        // One to three hundredths of a percent.
        let spread_ticks = (open_ticks * (1 + random.below(3)) / 10_000).clamp(1, 12);
        Self {
            stock,
            best: [NO_KEY; 2],
            count: [0; 2],
            ladder_base: 0,
            width: 0,
            tick_e4,
            open_ticks,
            spread_ticks,
            round_lot: round_lot(price_e4),
            trend: random.choice(&[Trend::Up, Trend::Flat, Trend::Down]),
            state: State::Trading,
        }
    }

    /// The price of a level, Price(4).
    pub(super) const fn price_e4(&self, side: Side, key: Key) -> u32 {
        mirrored(side, key) * self.tick_e4
    }

    /// The best key of a side.
    pub(super) const fn best(&self, side: Side) -> Option<Key> {
        match self.best[side as usize] {
            NO_KEY => None,
            key => Some(key),
        }
    }

    /// The lowest key at which a new order of this side does not meet the other side.
    pub(super) const fn floor(&self, side: Side) -> Option<Key> {
        match self.best(side.other()) {
            Some(other) => Some(MIRROR - other + 1),
            None => None,
        }
    }

    /// Where it trades, ticks: the middle of its book, else what there is.
    pub(super) fn mid_ticks(&self) -> u32 {
        let ticks = |side| self.best(side).map(|key| mirrored(side, key));
        match (ticks(Side::Bid), ticks(Side::Ask)) {
            (Some(bid), Some(ask)) => u32::midpoint(bid, ask),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.open_ticks,
        }
    }

    /// [`Symbol::mid_ticks`] as Price(4).
    pub(super) fn mid_e4(&self) -> u32 {
        self.mid_ticks() * self.tick_e4
    }

    /// A new trend: mostly random, but back towards the opening price when it is far off.
    pub(super) fn turn(&mut self, random: &mut Random) {
        let (mid, open) = (self.mid_ticks(), self.open_ticks);
        self.trend = if mid < open - open / 6 {
            Trend::Up
        } else if mid > open + open / 6 {
            Trend::Down
        } else {
            random.choice(&[Trend::Up, Trend::Flat, Trend::Down])
        };
    }
}

fn opening_price_e4(random: &mut Random) -> u32 {
    let mut part = random.below(64);
    for (parts, from, to) in PRICE_BANDS {
        if part < parts {
            return skewed(from, to, random);
        }
        part -= parts;
    }
    DOLLAR_E4 * 10
}

/// Between `from` and `to`, the lower half of the range more often.
fn skewed(from: u32, to: u32, random: &mut Random) -> u32 {
    let span = to - from;
    from + random.below(span).min(random.below(span))
}

/// The round lot by price, as of November 2025.
fn round_lot(price_e4: u32) -> u32 {
    match price_e4 / DOLLAR_E4 {
        0..=250 => 100,
        251..=1_000 => 40,
        1_001..=10_000 => 10,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_prices_reach_from_cents_to_thousands() {
        let mut random = Random::new(1, 0);
        let symbols: Vec<Symbol> =
            (0..5_000).map(|_| Symbol::new([b' '; 8], &mut random)).collect();
        let price = |symbol: &Symbol| symbol.open_ticks * symbol.tick_e4;
        assert!(symbols.iter().any(|symbol| price(symbol) < DOLLAR_E4 && symbol.tick_e4 == 1));
        assert!(symbols.iter().any(|symbol| price(symbol) > 3_000 * DOLLAR_E4));
        assert!(symbols.iter().all(|symbol| (1..=12).contains(&symbol.spread_ticks)));
        assert!(symbols.iter().any(|symbol| symbol.round_lot == 10));
        assert_eq!(PRICE_BANDS.iter().map(|band| band.0).sum::<u32>(), 64);
    }

    #[test]
    fn a_floor_is_one_tick_inside_the_other_side() {
        let mut symbol = Symbol::new([b' '; 8], &mut Random::new(1, 0));
        assert_eq!(symbol.floor(Side::Bid), None);
        symbol.best = [mirrored(Side::Bid, 1_000), mirrored(Side::Ask, 1_003)];
        assert_eq!(symbol.floor(Side::Bid), Some(mirrored(Side::Bid, 1_002)));
        assert_eq!(symbol.floor(Side::Ask), Some(mirrored(Side::Ask, 1_001)));
        assert_eq!(symbol.mid_ticks(), 1_001);
    }
}
