//! One hop: our ingress ring beside other queues of one producer and one consumer.

use freshlane_benches::paced::{Pace, bare_line};
use freshlane_benches::pair::Pair;
use freshlane_benches::plan::Suite;
use freshlane_benches::row::{Comparison, Row};
use freshlane_benches::session::{Session, SessionError};
use freshlane_benches::two_cores::{for_about, two_core_rounds};
use freshlane_bus::{IngressConsumer, IngressProducer, ingress};
use freshlane_quote::Quote;

use crate::fan_out::{array_queue, disruptor, rtrb_lanes};
use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

/// Runs the suite, if it is wanted.
pub(crate) fn run(session: &mut Session) -> Result<(), SessionError> {
    let Some(pair) = session.pair().filter(|_| session.wants(Suite::Hop)) else { return Ok(()) };
    versus(session, &pair, rtrb_lanes::one_by_one(1))?;
    versus(session, &pair, rtrb_lanes::in_batches(1))?;
    versus(session, &pair, array_queue::queues(1))?;
    versus(session, &pair, disruptor::one_by_one_to_one())?;
    versus(session, &pair, disruptor::in_batches_to_one())?;
    beside_bare_line(session, &pair, ingress_ring())?;
    beside_bare_line(session, &pair, rtrb_lanes::one_by_one(1))
}

fn ingress_ring() -> Transport<IngressSender, IngressPoller> {
    let (sender, poller) = ingress(SLOTS);
    Transport {
        name: "ingress ring, batches of 32",
        lanes: 1,
        sender: IngressSender(sender),
        poller: IngressPoller(poller),
    }
}

struct IngressSender(IngressProducer);

impl Sender for IngressSender {
    #[inline]
    fn send(&mut self, mut quotes: &[Quote]) {
        while !quotes.is_empty() {
            quotes = &quotes[self.0.push_batch(quotes)..];
        }
    }
}

struct IngressPoller(IngressConsumer);

impl Poller for IngressPoller {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        if let Some(chunk) = self.0.chunk(POLL_MAX) {
            chunk.records().iter().for_each(|quote| visit(0, quote));
            let count = chunk.records().len();
            chunk.release(count);
        }
    }
}

fn versus<S: Sender, P: Poller>(
    session: &mut Session,
    pair: &Pair,
    mut rival: Transport<S, P>,
) -> Result<(), SessionError> {
    let mut ours = ingress_ring();
    let (our_name, name) = (ours.name, rival.name);
    let run_ns = session.scale().run_ns();
    let (mut our_run, mut rival_run) = (
        for_about(run_ns, |pair, quotes| ours.throughput(pair, quotes)),
        for_about(run_ns, |pair, quotes| rival.throughput(pair, quotes)),
    );
    let wanted = session.scale().pair_rounds();
    let rounds = two_core_rounds(pair, wanted, &mut [&mut our_run, &mut rival_run]);
    drop((our_run, rival_run));
    for at in &rounds.at {
        session.add(Row::at(Suite::Hop, "throughput", "ns/quote", at, (0, our_name)).against(
            name,
            &at.figures[1],
            Comparison::Times,
        ))?;
    }
    let pace = Pace::of(session.scale().paced_quotes());
    let mut our_run = |pair: &Pair| ours.lone_quotes(pair, pace).of_lane(0, 0.5);
    let mut rival_run = |pair: &Pair| rival.lone_quotes(pair, pace).of_lane(0, 0.5);
    let rounds = two_core_rounds(pair, wanted, &mut [&mut our_run, &mut rival_run]);
    for at in &rounds.at {
        let what = "lone quote at 100,000/s, p50";
        session.add(Row::at(Suite::Hop, what, "ns", at, (0, our_name)).against(
            name,
            &at.figures[1],
            Comparison::Times,
        ))?;
    }
    Ok(())
}

fn beside_bare_line<S: Sender, P: Poller>(
    session: &mut Session,
    pair: &Pair,
    mut transport: Transport<S, P>,
) -> Result<(), SessionError> {
    let pace = Pace::of(session.scale().paced_quotes());
    let name = transport.name;
    let mut run = |pair: &Pair| transport.lone_quotes(pair, pace).of_lane(0, 0.5);
    let mut bare = |pair: &Pair| bare_line(pair, pace);
    let wanted = session.scale().pair_rounds();
    let rounds = two_core_rounds(pair, wanted, &mut [&mut run, &mut bare]);
    for at in &rounds.at {
        let what = "lone quote at 100,000/s, p50";
        for (rival, figures) in
            [("bare cache line, paced alike", &at.figures[1]), ("hop probe", &at.hop_ns)]
        {
            session.add(Row::at(Suite::Hop, what, "ns", at, (0, name)).against(
                rival,
                figures,
                Comparison::Times,
            ))?;
        }
    }
    Ok(())
}
