//! Fan-out to four lanes, all polled by one thread on the other core.
//!
//! Ours is the bus with all that it does for a quote: the ingress ring before it, the route, the
//! ledger. The rivals only pass quotes on.

pub(crate) mod array_queue;
mod broadcast;
mod channels;
pub(crate) mod disruptor;
mod lanes;
pub(crate) mod rtrb_lanes;

use freshlane_benches::hop::CoreDistance;
use freshlane_benches::paced::{Pace, bare_line};
use freshlane_benches::pair::Pair;
use freshlane_benches::plan::Suite;
use freshlane_benches::row::{Comparison, Row};
use freshlane_benches::series::Series;
use freshlane_benches::session::{Session, SessionError};
use freshlane_benches::two_cores::{AtDistance, for_about, two_core_rounds};

use crate::transport::{Poller, Sender, Transport};

const LANES: usize = 4;

/// How a rival is compared, with the goals near and far.
#[derive(Clone, Copy)]
struct Against {
    how: Comparison,
    goals: Option<[f64; 2]>,
}

const NO_GOAL: Against = Against { how: Comparison::TimesAsFast, goals: None };

/// Runs the suite, if it is wanted.
pub(crate) fn run(session: &mut Session) -> Result<(), SessionError> {
    let Some(pair) = session.pair().filter(|_| session.wants(Suite::FanOut)) else {
        return Ok(());
    };
    let push_and_pop = Against { how: Comparison::TimesAsFast, goals: Some([2.5, 3.0]) };
    let pollers = Against { how: Comparison::Times, goals: Some([2.5, 2.5]) };
    versus(session, &pair, rtrb_lanes::one_by_one(LANES), push_and_pop)?;
    versus(session, &pair, rtrb_lanes::popped_in_runs(LANES), NO_GOAL)?;
    versus(session, &pair, rtrb_lanes::in_batches(LANES), NO_GOAL)?;
    versus(session, &pair, disruptor::in_batches_to_four(), pollers)?;
    versus(session, &pair, disruptor::one_by_one_to_four(), pollers)?;
    versus(session, &pair, broadcast::to(LANES), NO_GOAL)?;
    versus(session, &pair, channels::to(LANES), NO_GOAL)?;
    versus(session, &pair, lanes::large(LANES), NO_GOAL)?;
    lone_quotes(session, &pair, lanes::bus(LANES))?;
    lone_quotes(session, &pair, rtrb_lanes::one_by_one(LANES))?;
    lone_quotes(session, &pair, disruptor::one_by_one_to_four())
}

fn versus<S: Sender, P: Poller>(
    session: &mut Session,
    pair: &Pair,
    mut rival: Transport<S, P>,
    against: Against,
) -> Result<(), SessionError> {
    let mut ours = lanes::bus(LANES);
    let (our_name, name) = (ours.name, rival.name);
    let run_ns = session.scale().run_ns();
    let mut our_run = for_about(run_ns, |pair, quotes| ours.throughput(pair, quotes));
    let mut rival_run = for_about(run_ns, |pair, quotes| rival.throughput(pair, quotes));
    let wanted = session.scale().pair_rounds();
    let rounds = two_core_rounds(pair, wanted, &mut [&mut our_run, &mut rival_run]);
    for at in &rounds.at {
        let row = Row::at(Suite::FanOut, "throughput", "ns/quote", at, (0, our_name))
            .against(name, &at.figures[1], against.how)
            .note("A quote is four deliveries. Rivals' rings have 16,384 slots, our lanes 17,408.");
        session.add(match against.goals {
            Some([near, _]) if at.distance == CoreDistance::Near => row.goal(near),
            Some([_, far]) => row.goal(far),
            None => row,
        })?;
    }
    Ok(())
}

fn lone_quotes<S: Sender, P: Poller>(
    session: &mut Session,
    pair: &Pair,
    mut transport: Transport<S, P>,
) -> Result<(), SessionError> {
    let pace = Pace::of(session.scale().paced_quotes());
    let (name, is_ours) = (transport.name, transport.name == lanes::NAME);
    // One run gives the medians of all lanes; a contender gives one figure.
    let mut last_lane = Vec::new();
    let mut first = |pair: &Pair| {
        let latencies = transport.lone_quotes(pair, pace);
        last_lane.push(latencies.of_lane(LANES - 1, 0.5));
        latencies.of_lane(0, 0.5)
    };
    let mut bare = |pair: &Pair| bare_line(pair, pace);
    let wanted = session.scale().pair_rounds();
    let rounds = two_core_rounds(pair, wanted, &mut [&mut first, &mut bare]);
    let last_lane = Series::new(last_lane).median();
    for at in &rounds.at {
        for row in lone_quote_rows(at, name, last_lane) {
            session.add(if is_ours { row } else { without_goal(row) })?;
        }
    }
    Ok(())
}

fn lone_quote_rows(at: &AtDistance, name: &str, last_lane_ns: f64) -> [Row; 2] {
    let row = |rival: &str, figures: &Series| {
        let what = "lone quote at 100,000/s, first lane, p50";
        Row::at(Suite::FanOut, what, "ns", at, (0, name))
            .against(rival, figures, Comparison::Times)
            .note(format!("The last lane of {name} had it after {last_lane_ns:.0} ns (p50)."))
    };
    [row("hop probe", &at.hop_ns).goal(1.5), row("bare cache line, paced alike", &at.figures[1])]
}

fn without_goal(mut row: Row) -> Row {
    if let Some(compared) = &mut row.compared {
        compared.goal = None;
    }
    row
}
