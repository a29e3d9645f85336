//! Rivals on one core, in turns.
//!
//! The core's speed has phases of seconds. Rivals that run one after the other for seconds are
//! compared in different phases; rivals that take turns every few milliseconds are not. A round is
//! made of slices from all over the contest, so a drift during it touches all rounds alike, and
//! whoever goes first changes with every slice.

use std::fmt;

use crate::series::Series;
use crate::stopwatch::Cost;

/// One of those who are compared: does the slice of that number and says what it cost.
pub struct Contender<'a> {
    name: String,
    run: Box<dyn FnMut(usize) -> Cost + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender that measures itself. Whatever it only prepares stays outside of its cost.
    pub fn new(name: impl Into<String>, run: impl FnMut(usize) -> Cost + 'a) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }

    /// A contender whose whole slice counts; `run` returns how many operations it was.
    pub fn timed(name: impl Into<String>, mut run: impl FnMut(usize) -> u64 + 'a) -> Self {
        Self::new(name, move |slice| Cost::of(|| run(slice)))
    }
}

impl fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contender").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a contender's operations cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Whose.
    pub name: String,
    /// ns an operation, round by round.
    pub each_ns: Series,
}

/// Runs `slices` slices in `rounds` rounds; slice `s` belongs to round `s % rounds`. Each slice is
/// done by every contender before the next begins. The standings come in the contenders' order.
pub fn contest(rounds: usize, slices: usize, contenders: &mut [Contender<'_>]) -> Vec<Standing> {
    let rounds = rounds.clamp(1, slices.max(1));
    let mut costs = vec![vec![Cost::default(); rounds]; contenders.len()];
    for slice in 0..slices {
        for turn in 0..contenders.len() {
            let who = (slice + turn) % contenders.len();
            let cost = (contenders[who].run)(slice);
            let of_round = &mut costs[who][slice % rounds];
            *of_round = of_round.plus(cost);
        }
    }
    let each_ns =
        |costs: &Vec<Cost>| Series::new(costs.iter().map(|cost| cost.each_ns()).collect());
    contenders
        .iter()
        .zip(&costs)
        .map(|(contender, costs)| Standing {
            name: contender.name.clone(),
            each_ns: each_ns(costs),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn everyone_does_every_slice_and_the_first_turn_goes_round() {
        let turns = RefCell::new(Vec::new());
        let note = |who: char| {
            let turns = &turns;
            Contender::new(who, move |slice| {
                turns.borrow_mut().push((slice, who));
                Cost { ns: 10, operations: 1 }
            })
        };
        contest(2, 4, &mut [note('a'), note('b')]);
        let order: String = turns.borrow().iter().map(|(_, who)| *who).collect();
        assert_eq!(order, "abbaabba");
        assert!(turns.borrow().chunks(2).all(|pair| pair[0].0 == pair[1].0));
    }

    #[test]
    fn a_round_is_made_of_slices_from_all_over() {
        // Slice s costs s ns for one operation: rounds of slices 0, 3 and 1, 4 and 2, 5.
        let mut contenders =
            [Contender::new("a", |slice| Cost { ns: slice as u64, operations: 1 })];
        let standings = contest(3, 6, &mut contenders);
        assert_eq!(standings[0].each_ns.values(), [1.5, 2.5, 3.5]);
    }

    #[test]
    fn there_are_never_more_rounds_than_slices() {
        let mut contenders = [Contender::timed("a", |_| 1)];
        assert_eq!(contest(7, 3, &mut contenders)[0].each_ns.rounds(), 3);
    }
}
