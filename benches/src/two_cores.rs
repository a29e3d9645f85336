//! Rivals on two cores, in turns, with the distance probed before and after each.

use crate::hop::{CoreDistance, hop_ns};
use crate::pair::Pair;
use crate::series::Series;
use crate::session::progress;
use crate::stopwatch::Cost;

/// One of those who are compared: runs once on the pair and gives its figure.
pub type Run<'a> = &'a mut dyn FnMut(&Pair) -> f64;

/// Rounds at one distance.
#[derive(Clone, PartialEq, Debug)]
pub struct AtDistance {
    /// Which.
    pub distance: CoreDistance,
    /// The mean hop of each round, ns one way.
    pub hop_ns: Series,
    /// The figures of each contender, in their order.
    pub figures: Vec<Series>,
}

/// All rounds.
#[derive(Clone, PartialEq, Debug)]
pub struct TwoCoreRounds {
    /// The rounds that stayed at one distance; a distance that occurred in less than half of the
    /// wanted rounds is not there.
    pub at: Vec<AtDistance>,
    /// Rounds in which the distance changed. They count for nothing.
    pub flipped: usize,
}

struct Round {
    distance: CoreDistance,
    hop_ns: f64,
    figures: Vec<f64>,
}

/// Lets every contender run once a round, the first turn going round, until `wanted` rounds stayed
/// at one distance and as many more were tried in the hope of the other distance.
pub fn two_core_rounds(pair: &Pair, wanted: usize, contenders: &mut [Run<'_>]) -> TwoCoreRounds {
    let mut rounds = Vec::new();
    let mut tries = 0;
    while tries < 3 * wanted && !is_enough(&rounds, wanted, tries) {
        rounds.extend(one_round(pair, tries, contenders));
        tries += 1;
    }
    let flipped = tries - rounds.len();
    if flipped > 0 {
        progress(&format!("{flipped} of {tries} rounds dropped: the cores changed their distance"));
    }
    let at = CoreDistance::ALL
        .into_iter()
        .filter_map(|distance| at_distance(&rounds, distance, contenders.len()))
        .filter(|at| 2 * at.hop_ns.rounds() >= wanted)
        .collect();
    TwoCoreRounds { at, flipped }
}

fn is_enough(rounds: &[Round], wanted: usize, tries: usize) -> bool {
    let near = rounds.iter().filter(|round| round.distance == CoreDistance::Near).count();
    let far = rounds.len() - near;
    near.min(far) >= wanted || (near.max(far) >= wanted && tries >= 2 * wanted)
}

/// `None` where the distance changed on the way.
fn one_round(pair: &Pair, number: usize, contenders: &mut [Run<'_>]) -> Option<Round> {
    let mut probes = vec![hop_ns(pair)];
    let mut figures = vec![f64::NAN; contenders.len()];
    for turn in 0..contenders.len() {
        let who = (number + turn) % contenders.len();
        figures[who] = (contenders[who])(pair);
        probes.push(hop_ns(pair));
    }
    let distance = CoreDistance::of(probes[0]);
    let hop_ns = probes.iter().sum::<f64>() / probes.len() as f64;
    let stayed = probes.iter().all(|probe| CoreDistance::of(*probe) == distance);
    stayed.then_some(Round { distance, hop_ns, figures })
}

fn at_distance(rounds: &[Round], distance: CoreDistance, contenders: usize) -> Option<AtDistance> {
    let rounds: Vec<_> = rounds.iter().filter(|round| round.distance == distance).collect();
    let series = |figure: &dyn Fn(&Round) -> f64| {
        Series::new(rounds.iter().map(|round| figure(round)).collect())
    };
    (!rounds.is_empty()).then(|| AtDistance {
        distance,
        hop_ns: series(&|round| round.hop_ns),
        figures: (0..contenders).map(|who| series(&|round| round.figures[who])).collect(),
    })
}

/// Makes a run of a fixed time out of one of a fixed count: `run` does as many operations as it is
/// told, and the number follows from what they cost the last time.
pub fn for_about<'a>(
    target_ns: u64,
    mut run: impl FnMut(&Pair, u64) -> Cost + 'a,
) -> impl FnMut(&Pair) -> f64 + 'a {
    // More than any ring has slots, so that all their pages are there afterwards.
    const FIRST: u64 = 70_000;
    let mut count = FIRST;
    let mut is_first = true;
    move |pair| {
        if is_first {
            count = fitting(target_ns, run(pair, FIRST));
            is_first = false;
        }
        let cost = run(pair, count);
        count = fitting(target_ns, cost);
        cost.each_ns()
    }
}

fn fitting(target_ns: u64, cost: Cost) -> u64 {
    (target_ns * cost.operations.max(1) / cost.ns.max(1)).clamp(1_000, 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::Cores;

    #[test]
    fn the_count_follows_from_the_cost() {
        assert_eq!(fitting(1_000_000, Cost { ns: 10_000, operations: 100 }), 10_000);
        assert_eq!(fitting(1_000_000, Cost { ns: u64::MAX, operations: 1 }), 1_000);
        assert_eq!(fitting(1_000_000_000, Cost { ns: 0, operations: 0 }), 10_000_000);
    }

    #[test]
    fn every_round_has_a_figure_of_each_contender_and_one_distance() {
        let Some(pair) = Pair::on(Cores::of_process()) else { return };
        let rounds = two_core_rounds(&pair, 2, &mut [&mut |_: &Pair| 1.0, &mut |_: &Pair| 2.0]);
        let counted: usize = rounds.at.iter().map(|at| at.hop_ns.rounds()).sum();
        assert!(counted + rounds.flipped <= 6);
        for at in &rounds.at {
            assert!(at.figures[0].values().iter().all(|figure| *figure == 1.0));
            assert!(at.figures[1].values().iter().all(|figure| *figure == 2.0));
            assert!(at.hop_ns.values().iter().all(|hop| CoreDistance::of(*hop) == at.distance));
        }
    }
}
