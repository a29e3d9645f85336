//! What an order looks like: its price relative to the book, and its size.

use super::listing::{Key, MIRROR, Side, Symbol, mirrored};
use super::random::Random;

/// The tail of depths doubles at most so often.
const DEPTH_DOUBLINGS: u32 = 4;

/// A key for a new order of that side: it never meets the other side.
pub(super) fn quote(symbol: &Symbol, side: Side, random: &mut Random) -> Key {
    let key = match (symbol.best(side), symbol.floor(side)) {
        (Some(best), Some(floor)) => near(symbol, side, best, floor, random),
        (Some(best), None) => best + depth(symbol, random),
        (None, Some(floor)) => floor + symbol.spread_ticks - 1 + random.below(2),
        (None, None) => {
            let half = symbol.spread_ticks.div_ceil(2);
            mirrored(side, symbol.open_ticks) + half
        }
    };
    positive(side, key)
}

/// Inside the spread, at the best level, or deeper.
fn near(symbol: &Symbol, side: Side, best: Key, floor: Key, random: &mut Random) -> Key {
    let gap = best - floor;
    let excess = (gap + 1).saturating_sub(symbol.spread_ticks);
    let improves = random.in_64(if excess > 0 { 16 } else { 1 });
    if improves && gap > 0 {
        return best - 1 - random.below(excess.clamp(1, gap));
    }
    let under_pressure = symbol.trend.side_under_pressure() == Some(side);
    if random.in_64(if under_pressure { 1 } else { 5 }) {
        return best;
    }
    best + depth(symbol, random)
}

/// How far behind the best level: a heavy tail, at most half of the window.
fn depth(symbol: &Symbol, random: &mut Random) -> u32 {
    let unit = symbol.width >> (DEPTH_DOUBLINGS + 1);
    let span = unit << random.halvings(DEPTH_DOUBLINGS);
    1 + random.below(span)
}

/// A bid of at least one tick.
fn positive(side: Side, key: Key) -> Key {
    match side {
        Side::Bid => key.min(MIRROR - 1),
        Side::Ask => key,
    }
}

/// The size of a new order: round lots, odd lots and a few blocks.
pub(super) fn size(symbol: &Symbol, random: &mut Random) -> u32 {
    let lot = symbol.round_lot;
    match random.below(64) {
        0..16 => 1 + random.below(lot),
        16..42 => lot,
        42..56 => lot * (1 + random.below(10)),
        56..63 => lot * (1 + random.below(30)) + random.below(lot),
        _ => lot * 10 * (1 + random.below(50)),
    }
}

/// The price of a stub quote, Price(4): the lowest or the highest that there is.
pub(super) const fn stub_price_e4(symbol: &Symbol, side: Side) -> u32 {
    match side {
        Side::Bid => symbol.tick_e4,
        Side::Ask => 1_999_999_900,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(bid: u32, ask: u32) -> Symbol {
        let mut symbol = Symbol::new([b' '; 8], &mut Random::new(1, 0));
        symbol.width = 64;
        symbol.spread_ticks = 1;
        symbol.best = [mirrored(Side::Bid, bid), mirrored(Side::Ask, ask)];
        symbol
    }

    #[test]
    fn a_quote_never_meets_the_other_side() {
        let mut random = Random::new(1, 0);
        for (bid, ask) in [(1, 2), (1_000, 1_001), (1_000, 1_002), (1_000, 1_040)] {
            let symbol = symbol(bid, ask);
            for _ in 0..5_000 {
                let new_bid = mirrored(Side::Bid, quote(&symbol, Side::Bid, &mut random));
                let new_ask = quote(&symbol, Side::Ask, &mut random);
                assert!((1..ask).contains(&new_bid), "{new_bid} against {ask}");
                assert!(new_ask > bid, "{new_ask} against {bid}");
            }
        }
    }

    #[test]
    fn a_wide_spread_attracts_better_quotes() {
        let mut random = Random::new(1, 0);
        let symbol = symbol(1_000, 1_040);
        let better = (0..1_000)
            .filter(|_| mirrored(Side::Bid, quote(&symbol, Side::Bid, &mut random)) > 1_000)
            .count();
        assert!((150..400).contains(&better), "{better}");
    }

    #[test]
    fn sizes_are_round_and_odd() {
        let mut random = Random::new(1, 0);
        let mut symbol = symbol(1_000, 1_001);
        symbol.round_lot = 100;
        let sizes: Vec<u32> = (0..1_000).map(|_| size(&symbol, &mut random)).collect();
        assert!(sizes.iter().all(|&size| size > 0));
        assert!(sizes.iter().filter(|&&size| size % 100 == 0).count() > 500);
        assert!(sizes.iter().filter(|&&size| size < 100).count() > 150);
        symbol.round_lot = 1;
        assert!((0..1_000).all(|_| size(&symbol, &mut random) > 0));
    }
}
