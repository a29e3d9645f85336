//! Who is active: symbols drawn by Zipf's law, in constant time.

use super::random::{Random, scale};

/// How far Zipf's head is flattened: the first symbol is 3/2 as active as the second, not twice.
const RANK_SHIFT: u64 = 2;

/// Walker's alias table over the symbols, weight 1 / (rank + shift) with a floor.
#[derive(Debug)]
pub(super) struct Activity {
    /// Per column: how much of it is its own, as a fraction of 2^32, and who has the rest.
    columns: Box<[(u32, u32)]>,
    /// Symbols from the most active to the least.
    by_rank: Box<[u32]>,
    /// Weight by rank; their sum.
    weights: Box<[u64]>,
    weight_sum: u64,
}

impl Activity {
    /// `count` symbols, ranks given out at random.
    pub(super) fn new(count: u32, random: &mut Random) -> Self {
        let by_rank = shuffled(count, random);
        let weights: Box<[u64]> = (0..u64::from(count))
            .map(|rank| (1 << 32) / (rank + RANK_SHIFT) + (1 << 32) / (8 * u64::from(count)))
            .collect();
        let weight_sum = weights.iter().sum();
        let columns = alias_columns(&by_rank, &weights, weight_sum);
        Self { columns, by_rank, weights, weight_sum }
    }

    /// A symbol, by its weight.
    #[inline]
    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        let bits = random.bits();
        let column = scale(bits, self.count());
        let (own, other) = self.columns[column as usize];
        #[allow(clippy::cast_possible_truncation, reason = "the low half is the coin")]
        let coin = bits as u32;
        if coin < own { column } else { other }
    }

    /// How many symbols there are.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.columns.len()).unwrap_or(u32::MAX)
    }

    /// The symbols from the most active to the least.
    pub(super) fn by_rank(&self) -> impl Iterator<Item = u32> {
        self.by_rank.iter().copied()
    }

    /// The symbol of that rank (0 = the most active), round and round.
    pub(super) fn ranked(&self, rank: u64) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "the remainder is an index")]
        let index = (rank % self.by_rank.len() as u64) as usize;
        self.by_rank[index]
    }

    /// How much of `total` falls to the symbol of that rank.
    pub(super) fn share_of(&self, total: u32, rank: u32) -> u64 {
        let weight = u128::from(self.weights[rank as usize]);
        let share = u128::from(total) * weight / u128::from(self.weight_sum);
        u64::try_from(share).unwrap_or(u64::MAX)
    }
}

/// 0 to `count` - 1 in random order.
fn shuffled(count: u32, random: &mut Random) -> Box<[u32]> {
    let mut numbers: Box<[u32]> = (0..count).collect();
    for last in (1..count).rev() {
        numbers.swap(last as usize, random.below(last + 1) as usize);
    }
    numbers
}

/// Vose's method in integers: scale the mean weight to 2^32 and fill light columns from heavy ones.
fn alias_columns(by_rank: &[u32], weights: &[u64], weight_sum: u64) -> Box<[(u32, u32)]> {
    const FULL: u64 = 1 << 32;
    let count = by_rank.len() as u128;
    let mut columns = vec![(u32::MAX, 0); by_rank.len()].into_boxed_slice();
    let (mut light, mut heavy) = (Vec::new(), Vec::new());
    for (&symbol, &weight) in by_rank.iter().zip(weights) {
        columns[symbol as usize].1 = symbol;
        let scaled = u128::from(weight) * count * u128::from(FULL) / u128::from(weight_sum);
        let scaled = u64::try_from(scaled).unwrap_or(u64::MAX);
        if scaled < FULL { light.push((symbol, scaled)) } else { heavy.push((symbol, scaled)) }
    }
    while let (Some((poor, own)), Some((rich, has))) = (light.pop(), heavy.pop()) {
        columns[poor as usize] = (u32::try_from(own).unwrap_or(u32::MAX), rich);
        let left = has - (FULL - own);
        if left < FULL { light.push((rich, left)) } else { heavy.push((rich, left)) }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_weights() {
        let mut random = Random::new(3, 0);
        let activity = Activity::new(100, &mut random);
        let mut hits = [0_u32; 100];
        for _ in 0..1_000_000 {
            hits[activity.draw(&mut random) as usize] += 1;
        }
        for rank in [0, 1, 5, 20, 99] {
            let expected = activity.share_of(1_000_000, rank);
            let seen = u64::from(hits[activity.ranked(u64::from(rank)) as usize]);
            assert!(seen.abs_diff(expected) < expected / 10, "rank {rank}: {seen} of {expected}");
        }
    }

    #[test]
    fn ranks_are_a_permutation() {
        let activity = Activity::new(1_000, &mut Random::new(1, 0));
        let mut symbols: Vec<u32> = (0..1_000).map(|rank| activity.ranked(rank)).collect();
        symbols.sort_unstable();
        assert!(symbols.into_iter().eq(0..1_000));
    }

    #[test]
    fn one_symbol_gets_everything() {
        let mut random = Random::new(1, 0);
        let activity = Activity::new(1, &mut random);
        assert_eq!((activity.draw(&mut random), activity.ranked(9)), (0, 0));
        assert_eq!(activity.share_of(1_000, 0), 1_000);
    }
}
