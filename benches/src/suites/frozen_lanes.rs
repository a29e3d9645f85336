//! What lanes whose consumers have stopped cost the publisher and the other lanes.
//!
//! Four lanes, `frozen` of which nobody polls and which are full. The publisher sends bursts that
//! the living lanes hold, and waits between two of them until those are drained, so that no living
//! lane is ever full; only the bursts are timed. The latency of lone quotes is that of the first
//! lane.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use freshlane_bus::{LaneConsumer, OverflowPolicy};
use freshlane_quote::{Agent, Quote, VenueId};

use crate::hop::CoreDistance;
use crate::paced::{Latencies, Pace, paced};
use crate::pair::Pair;
use crate::path::{BusRig, Count, plain_lane};
use crate::plan::Suite;
use crate::row::{Comparison, Row};
use crate::sample_quotes::{SampleQuotes, numbered};
use crate::session::{Session, SessionError};
use crate::stopwatch::Cost;
use crate::two_cores::{AtDistance, Run, for_about, two_core_rounds};

const LANES: usize = 4;
const LANE_CAPACITY: usize = 1 << 14;
/// Quotes of a burst: half of what a lane holds.
const BURST: u64 = 1 << 13;
const BATCH: usize = 32;
/// "Do not move": what a frozen lane may add, as a factor.
const GOAL: f64 = 1.1;

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    let Some(pair) = session.pair().filter(|_| session.wants(Suite::FrozenLanes)) else {
        return Ok(());
    };
    let run_ns = session.scale().run_ns();
    let publishers: Vec<_> =
        (0..LANES).map(FrozenRig::new).map(|rig| publisher(rig, run_ns)).collect();
    rows(session, &pair, ("publisher", "ns/quote"), publishers)?;
    let pace = Pace::of(session.scale().paced_quotes());
    for (what, quantile) in [("lone quote on lane 1, p50", 0.5), ("lone quote on lane 1, p90", 0.9)]
    {
        let latencies: Vec<_> =
            (0..LANES).map(FrozenRig::new).map(|rig| first_lane(rig, pace, quantile)).collect();
        rows(session, &pair, (what, "ns"), latencies)?;
    }
    Ok(())
}

fn rows(
    session: &mut Session,
    pair: &Pair,
    (what, unit): (&str, &str),
    mut runs: Vec<impl FnMut(&Pair) -> f64>,
) -> Result<(), SessionError> {
    let mut runs: Vec<Run<'_>> = runs.iter_mut().map(|run| run as Run<'_>).collect();
    let rounds = two_core_rounds(pair, session.scale().pair_rounds(), &mut runs);
    for at in &rounds.at {
        for frozen in 1..LANES {
            session.add(row(what, unit, at, frozen))?;
        }
    }
    Ok(())
}

fn row(what: &str, unit: &str, at: &AtDistance, frozen: usize) -> Row {
    let name = format!("{frozen} of {LANES} frozen");
    let row = Row::at(Suite::FrozenLanes, what, unit, at, (frozen, &name))
        .against("none frozen", &at.figures[0], Comparison::Times)
        .note("A full lane that refuses is cheaper than one that takes the quotes.");
    // A tail is judged by its median only: see how such machines lose time.
    let is_judged = at.distance == CoreDistance::Near || unit == "ns/quote";
    if is_judged { row.goal(GOAL) } else { row }
}

/// A bus with living lanes and full ones that nobody polls.
struct FrozenRig {
    rig: BusRig,
    /// Held and not polled: a lane whose consumer is gone would be detached instead.
    frozen: Vec<LaneConsumer>,
    sent: u64,
}

impl FrozenRig {
    fn new(frozen: usize) -> Self {
        let lane = |name| plain_lane(name, LANE_CAPACITY, OverflowPolicy::DropNewest);
        let specs = ["1", "2", "3", "4"].map(lane).into();
        let mut rig = BusRig::new(SampleQuotes::new().directory(), specs);
        let frozen = rig.lanes.split_off(LANES - frozen);
        let mut this = Self { rig, frozen, sent: 0 };
        // Full, and once around, so that every slot of every lane has been in use.
        for _ in 0..4 * LANE_CAPACITY as u64 / BURST {
            this.burst();
            this.rig.lanes.iter_mut().for_each(|lane| drain(lane, &mut Count::default()));
        }
        assert!(this.frozen.iter().all(|lane| !lane.shared().is_detached()), "frozen, not gone");
        this
    }

    /// Publishes a burst; returns how many quotes that were.
    fn burst(&mut self) -> u64 {
        let mut batch = [Quote::EMPTY; BATCH];
        for _ in 0..BURST / BATCH as u64 {
            for quote in &mut batch {
                *quote = numbered(self.sent);
                self.sent += 1;
            }
            self.rig.ring.push_batch(&batch);
            self.rig.bus.do_work();
        }
        BURST
    }

    fn publish(&mut self, pair: &Pair, quotes: u64) -> Cost {
        let (taken, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        let mut living = std::mem::take(&mut self.rig.lanes);
        let (bursts, lanes) = (quotes.div_ceil(BURST), living.len());
        let run = pair.run(
            || {
                let cost = self.publish_bursts(bursts, lanes, &taken);
                is_over.store(true, Ordering::Release);
                cost
            },
            || {
                let mut count = Count::default();
                while !is_over.load(Ordering::Acquire) {
                    living.iter_mut().for_each(|lane| drain(lane, &mut count));
                    taken.store(count.quotes, Ordering::Release);
                }
            },
        );
        self.rig.lanes = living;
        run.produced
    }

    fn publish_bursts(&mut self, bursts: u64, living: usize, taken: &AtomicU64) -> Cost {
        let mut cost = Cost::default();
        for burst in 1..=bursts {
            cost = cost.plus(Cost::of(|| self.burst()));
            let expected = burst * BURST * living as u64;
            while taken.load(Ordering::Acquire) < expected {
                hint::spin_loop();
            }
        }
        cost
    }
}

fn drain(lane: &mut LaneConsumer, count: &mut Count) {
    while let Some(chunk) = lane.chunk(64) {
        chunk.records().iter().for_each(|quote| count.see(quote));
        let quotes = chunk.records().len();
        chunk.release(quotes);
        lane.shared().ledger().delivered(VenueId(0), quotes as u64);
    }
}

fn publisher(mut rig: FrozenRig, run_ns: u64) -> impl FnMut(&Pair) -> f64 {
    for_about(run_ns, move |pair, quotes| rig.publish(pair, quotes))
}

fn first_lane(mut rig: FrozenRig, pace: Pace, quantile: f64) -> impl FnMut(&Pair) -> f64 {
    move |pair| {
        let FrozenRig { rig: BusRig { ring, bus, lanes }, .. } = &mut rig;
        lone_quotes(pair, pace, lanes, |quote| {
            ring.push_batch(&[quote]);
            bus.do_work();
        })
        .of_lane(0, quantile)
    }
}

/// Latencies of lone quotes that `send` puts on its way to `lanes`, which the other core polls.
pub fn lone_quotes(
    pair: &Pair,
    pace: Pace,
    lanes: &mut [LaneConsumer],
    mut send: impl FnMut(Quote),
) -> Latencies {
    let mut number = 0;
    paced(
        pair,
        pace,
        lanes.len(),
        |stamp| {
            number += 1;
            send(Quote { ts_event: stamp, ..numbered(number) });
        },
        |receiver| {
            for (index, lane) in lanes.iter_mut().enumerate() {
                if let Some(chunk) = lane.chunk(64) {
                    let quotes = chunk.records().len();
                    chunk.records().iter().for_each(|quote| receiver.got(index, quote.ts_event));
                    chunk.release(quotes);
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frozen_lanes_are_full_and_living_ones_take_every_burst() {
        for frozen in 0..LANES {
            let mut rig = FrozenRig::new(frozen);
            assert_eq!((rig.frozen.len(), rig.rig.lanes.len()), (frozen, LANES - frozen));
            rig.burst();
            for lane in &rig.frozen {
                let total = lane.shared().snapshot().total();
                assert_eq!(total.offered - total.dropped.lane_full, LANE_CAPACITY as u64);
            }
            for lane in &rig.rig.lanes {
                assert_eq!(lane.shared().snapshot().total().dropped.lane_full, 0);
            }
        }
    }
}
