//! What the freshness gate adds to draining a lane.
//!
//! A lane is filled, then drained on the same core; only the draining counts. Without a gate a
//! quote is looked at and counted in the ledger. What is set against each other:
//!
//! - the gate's decision by itself, on top of that drain;
//! - the whole hand-over of [`ConsumerAgent`] against the same drain with the same two samples a
//!   quote in the same histograms: what is left is the gate, and what surrounds a consumer that may
//!   panic;
//! - the hand-over with a time to live against the hand-over without.

use std::sync::Arc;

use freshlane_bus::{LaneConsumer, LaneSpec, OverflowPolicy};
use freshlane_consumers::{ConsumerAgent, Gate, LatencyRecorder};
use freshlane_quote::{Agent, Clock, EngineClock, Quote, VenueId};

use crate::contest::{Contender, Standing, contest};
use crate::path::{BusRig, Count, plain_lane};
use crate::plan::Suite;
use crate::row::{Comparison, Row};
use crate::sample_quotes::{SampleQuotes, numbered};
use crate::session::{Session, SessionError};
use crate::stopwatch::Cost;

/// Quotes of a slice: 512 KiB, which an L2 cache holds.
const QUOTES: usize = 1 << 13;
/// Quotes that share a receive time, as those of one packet do.
const PACKET: usize = 32;
/// Quotes that are taken out of the lane at a time, as [`ConsumerAgent`] does.
const CHUNK: usize = 64;
/// Long, so that a gap in the machine's time expires nothing: how long costs nothing.
const TTL_NS: u64 = 60_000_000_000;
const MARGIN_NS: u64 = 50_000_000;

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::Gate) {
        return Ok(());
    }
    let clock = session.timekeeping().clock();
    let mut contenders = [
        drain_ungated(&clock),
        drain_through_gate(&clock),
        drain_recorded(&clock),
        hand_over("hand-over with a time to live", Some(TTL_NS), &clock),
        hand_over("hand-over without", None, &clock),
    ];
    let rounds = session.scale().rounds();
    let standings = contest(rounds, session.scale().micro_slices(), &mut contenders);
    let [ungated, gated, recorded, with_ttl, without_ttl] = &standings[..] else { return Ok(()) };
    let pairs = [
        ("the gate alone, with a time to live", gated, ungated, Some(3.0)),
        ("hand-over, on top of the same drain and histograms", with_ttl, recorded, Some(3.0)),
        ("a time to live, on top of the hand-over without", with_ttl, without_ttl, Some(3.0)),
        ("histograms, on top of the drain", recorded, ungated, None),
        ("everything, on top of the drain", with_ttl, ungated, None),
    ];
    for (what, ours, rival, goal) in pairs {
        session.add(row(what, ours, rival, goal))?;
    }
    Ok(())
}

fn row(what: &str, ours: &Standing, rival: &Standing, goal: Option<f64>) -> Row {
    let row = Row::of(Suite::Gate, what, "ns/quote", ours)
        .against(&rival.name, &rival.each_ns, Comparison::OnTop)
        .note("Lane drained in chunks of 64 on the core that filled it, 32 quotes a receive time.");
    match goal {
        Some(limit) => row.goal(limit),
        None => row,
    }
}

/// A lane and the means to fill it.
struct Filled {
    rig: BusRig,
    clock: EngineClock,
    sent: u64,
}

impl Filled {
    fn new(ttl_ns: Option<u64>, clock: &EngineClock) -> Self {
        let lane = plain_lane("gate", 2 * QUOTES, OverflowPolicy::Block);
        let spec = LaneSpec { ttl_ns, margin_ns: MARGIN_NS, ..lane };
        let rig = BusRig::new(SampleQuotes::new().directory(), vec![spec]);
        Self { rig, clock: clock.clone(), sent: 0 }
    }

    /// Puts a slice's quotes into the lane, received now.
    fn fill(&mut self) {
        let mut packet = [Quote::EMPTY; PACKET];
        for _ in 0..QUOTES / PACKET {
            let ts_recv = self.clock.now();
            for quote in &mut packet {
                self.sent += 1;
                // As if each had been under way for a time of its own.
                let ts_event = ts_recv - 20_000 - self.sent * 7_919 % 100_000;
                *quote = Quote { ts_recv, ts_event, ..numbered(self.sent) };
            }
            self.rig.ring.push_batch(&packet);
            self.rig.bus.do_work();
        }
    }
}

/// Fills, then measures `drain`, which returns how many quotes it was.
fn filled_and_drained(filled: &mut Filled, drain: impl FnOnce(&mut LaneConsumer) -> u64) -> Cost {
    filled.fill();
    Cost::of(|| drain(&mut filled.rig.lanes[0]))
}

/// Takes everything out of `lane` in chunks; `see` gets each chunk and says how far it came.
#[inline(always)]
fn drain(lane: &mut LaneConsumer, mut see: impl FnMut(&[Quote]) -> usize) -> u64 {
    let mut quotes = 0;
    let shared = Arc::clone(lane.shared());
    while let Some(chunk) = lane.chunk(CHUNK) {
        let count = see(chunk.records());
        shared.ledger().delivered(VenueId(0), count as u64);
        chunk.release(count);
        quotes += count as u64;
    }
    quotes
}

fn drain_ungated<'a>(clock: &EngineClock) -> Contender<'a> {
    let (mut filled, mut count) = (Filled::new(Some(TTL_NS), clock), Count::default());
    Contender::new("drain", move |_| {
        filled_and_drained(&mut filled, |lane| {
            drain(lane, |quotes| {
                quotes.iter().for_each(|quote| count.see(quote));
                quotes.len()
            })
        })
    })
}

fn drain_through_gate<'a>(clock: &EngineClock) -> Contender<'a> {
    let (mut filled, mut count) = (Filled::new(Some(TTL_NS), clock), Count::default());
    let mut gate = Gate::new(filled.rig.lanes[0].shared().spec(), clock.clone());
    Contender::new("drain through the gate", move |_| {
        filled_and_drained(&mut filled, |lane| {
            drain(lane, |quotes| {
                gate.refresh();
                let mut done = 0;
                for quote in quotes {
                    done += 1;
                    if gate.judge::<true>(quote).is_fresh() {
                        count.see(quote);
                    }
                    if gate.tick_moved() {
                        break;
                    }
                }
                done
            })
        })
    })
}

/// Two samples a quote by one reading of the clock a chunk; of equal ages in a row one sample.
fn drain_recorded<'a>(clock: &EngineClock) -> Contender<'a> {
    let (mut filled, mut count) = (Filled::new(Some(TTL_NS), clock), Count::default());
    let clock = clock.clone();
    let (ages, end_to_end) = (LatencyRecorder::new(), LatencyRecorder::new());
    Contender::new("drain with the histograms", move |_| {
        filled_and_drained(&mut filled, |lane| {
            drain(lane, |quotes| {
                let now_ns = clock.now();
                let (mut age_ns, mut of_age) = (0, 0);
                for quote in quotes {
                    let its_age_ns = now_ns.saturating_sub(quote.ts_recv);
                    if its_age_ns != age_ns {
                        ages.record_n(age_ns, of_age);
                        (age_ns, of_age) = (its_age_ns, 0);
                    }
                    of_age += 1;
                    end_to_end.record(now_ns.saturating_sub(quote.ts_event));
                    count.see(quote);
                }
                ages.record_n(age_ns, of_age);
                quotes.len()
            })
        })
    })
}

fn hand_over<'a>(name: &str, ttl_ns: Option<u64>, clock: &EngineClock) -> Contender<'a> {
    let mut filled = Filled::new(ttl_ns, clock);
    let lane = filled.rig.lanes.remove(0);
    let mut agent = ConsumerAgent::new(lane, Count::default(), clock.clone());
    Contender::new(name, move |_| {
        filled.fill();
        let cost = Cost::of(|| {
            let mut quotes = 0;
            while let count @ 1.. = agent.do_work() {
                quotes += count as u64;
            }
            quotes
        });
        // A quote that expired costs something else.
        assert_eq!(agent.consumer().quotes, filled.sent, "every quote is handed over");
        cost
    })
}
