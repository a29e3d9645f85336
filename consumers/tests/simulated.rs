//! Event time: the simulated lane against its definition, and replay through the bus.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod support;

use std::collections::VecDeque;
use std::sync::Arc;

use freshlane_bus::{
    BatchShape, Bus, LaneProducer, LaneSpec, LaneTopics, OverflowPolicy, Pattern, Router, ingress,
};
use freshlane_consumers::{Consumer, DigestConsumer, Fresh, SimulatedLane};
use freshlane_quote::{Clock, FeedEvent, InstrumentId, Quote, SymbolDirectory, VenueId};
use proptest::prelude::*;
use support::{MS, T0, end_of_session, ends, quote};

/// Sequence and age of each quote, `None` for the age of an event.
#[derive(Debug, Default)]
struct Log(Vec<(u64, Option<u64>)>);

impl Consumer for Log {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        assert_eq!(quote.clock_age(), quote.age_ns(), "the lane's clock stands at the hand-over");
        self.0.push((quote.wire_sequence, Some(quote.age_ns())));
    }

    fn on_event(&mut self, _event: FeedEvent, record: &Quote) {
        self.0.push((record.wire_sequence, None));
    }
}

/// What the gate itself would say if it were asked again at this moment.
trait ClockAge {
    fn clock_age(&self) -> u64;
}

impl<C: Clock> ClockAge for Fresh<'_, C> {
    fn clock_age(&self) -> u64 {
        if self.still_fresh() { self.age_ns() } else { u64::MAX }
    }
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    ttl_ns: Option<u64>,
    margin_ns: u64,
    capacity: usize,
    service_time_ns: u64,
}

impl Setting {
    fn lane(self) -> (LaneProducer, SimulatedLane<Log>) {
        let (producer, consumer, _) = ends(LaneSpec {
            name: "simulated".into(),
            ttl_ns: self.ttl_ns,
            margin_ns: self.margin_ns,
            capacity: self.capacity,
            overflow: OverflowPolicy::DropNewest,
        });
        (producer, SimulatedLane::new(consumer, Log::default(), self.service_time_ns))
    }
}

/// The definition, written down: a queue, a consumer that is free from some time on, one quote
/// after another.
struct Model {
    setting: Setting,
    queue: VecDeque<Quote>,
    free_at_ns: u64,
    log: Vec<(u64, Option<u64>)>,
    expired: u64,
    refused: u64,
}

impl Model {
    fn new(setting: Setting) -> Self {
        let (queue, log) = (VecDeque::new(), Vec::new());
        Self { setting, queue, free_at_ns: 0, log, expired: 0, refused: 0 }
    }

    fn arrive(&mut self, record: Quote) {
        self.hand_over_before(Some(record.ts_recv));
        if record.is_event() || self.queue.len() < self.setting.capacity {
            self.queue.push_back(record);
        } else {
            self.refused += 1;
        }
    }

    fn hand_over_before(&mut self, horizon_ns: Option<u64>) {
        while let Some(&head) = self.queue.front() {
            let at_ns = self.free_at_ns.max(head.ts_recv);
            if horizon_ns.is_some_and(|horizon_ns| at_ns >= horizon_ns) {
                return;
            }
            self.queue.pop_front();
            self.free_at_ns = at_ns;
            let (age_ns, limit_ns) = (at_ns - head.ts_recv, self.limit_ns(&head));
            if head.is_event() {
                self.log.push((head.wire_sequence, None));
            } else if limit_ns.is_some_and(|limit_ns| age_ns > limit_ns) {
                self.expired += 1;
            } else {
                self.log.push((head.wire_sequence, Some(age_ns)));
                self.free_at_ns = at_ns.saturating_add(self.setting.service_time_ns);
            }
        }
    }

    fn limit_ns(&self, quote: &Quote) -> Option<u64> {
        let own_ns = (quote.ttl_us != 0).then_some(u64::from(quote.ttl_us) * 1_000);
        let ttl_ns = [self.setting.ttl_ns, own_ns].into_iter().flatten().min()?;
        Some(ttl_ns.saturating_sub(self.setting.margin_ns))
    }
}

fn setting() -> impl Strategy<Value = Setting> {
    let ttl_ns = prop_oneof![1 => Just(None), 4 => (0..20 * MS).prop_map(Some)];
    (ttl_ns, prop_oneof![Just(0), 0..5 * MS], 1..20_usize, prop_oneof![Just(0), 0..3 * MS])
        .prop_map(|(ttl_ns, margin_ns, capacity, service_time_ns)| Setting {
            ttl_ns,
            margin_ns,
            capacity,
            service_time_ns,
        })
}

/// Records in order of receive time, many at the same one, some with a time to live, some events.
fn capture() -> impl Strategy<Value = Vec<Quote>> {
    let step_ns = prop_oneof![3 => Just(0), 3 => 0..2 * MS, 1 => 0..50 * MS];
    let record = (step_ns, prop_oneof![5 => Just(0), 1 => 1..10_000_u32], 0..20_u8);
    prop::collection::vec(record, 0..200).prop_map(|records| {
        let mut ts_recv = T0;
        let records = records.into_iter().enumerate();
        records
            .map(|(index, (step_ns, ttl_us, kind))| {
                ts_recv += step_ns;
                match kind {
                    0 => end_of_session(index as u64, ts_recv),
                    _ => Quote { ttl_us, ..quote(index as u64, ts_recv) },
                }
            })
            .collect()
    })
}

/// Replays `capture` through a bus with that batch size into lanes of those settings.
fn replay(
    capture: &[Quote],
    settings: &[Setting],
    batch_max: usize,
) -> Vec<(String, u64, Vec<u64>)> {
    let directory = Arc::new(SymbolDirectory::with_capacity(1));
    directory.intern(VenueId(0), "A").unwrap();
    let all = LaneTopics { include: vec![Pattern::parse("#").unwrap()], exclude: vec![] };
    let router = Router::new(directory, &["V"], vec![all; settings.len()]).unwrap();
    let (mut feed, ring) = ingress(16);
    let (mut producers, mut lanes) = (Vec::new(), Vec::new());
    for setting in settings {
        let (producer, consumer, _) = ends(LaneSpec {
            name: "replay".into(),
            ttl_ns: setting.ttl_ns,
            margin_ns: setting.margin_ns,
            capacity: setting.capacity,
            overflow: OverflowPolicy::DropNewest,
        });
        producers.push(producer);
        let digest = DigestConsumer::new(Log::default());
        lanes.push(SimulatedLane::new(consumer, digest, setting.service_time_ns));
    }
    let mut bus = Bus::new(batch_max, vec![ring], router, producers).unwrap();
    let mut rest: Vec<_> =
        capture.iter().map(|q| Quote { instrument: InstrumentId(0), ..*q }).collect();
    loop {
        let pushed = feed.push_batch(&rest);
        rest.drain(..pushed);
        let Some(ts_recv) = bus.peek_ts_recv() else { break };
        for lane in &mut lanes {
            lane.run_until(ts_recv);
        }
        assert!(bus.step(usize::MAX) > 0);
    }
    drop((feed, bus));
    lanes
        .into_iter()
        .map(|mut lane| {
            lane.drain();
            assert!(lane.is_finished());
            let ledger = lane.telemetry().ledger();
            assert_eq!((ledger.imbalance(), ledger.queued()), (0, 0));
            let total = ledger.total();
            let counts =
                vec![total.offered, total.delivered, total.expired, total.dropped.lane_full];
            (lane.consumer().hex(), lane.consumer().records(), counts)
        })
        .collect()
}

proptest! {
    #[test]
    fn a_simulated_lane_does_what_its_definition_says(
        setting in setting(),
        capture in capture(),
    ) {
        let (mut producer, mut lane) = setting.lane();
        let mut model = Model::new(setting);
        for &record in &capture {
            lane.run_until(record.ts_recv);
            producer.offer(&[record], BatchShape::MIXED);
            model.arrive(record);
        }
        lane.drain();
        model.hand_over_before(None);
        prop_assert_eq!(&lane.consumer().0, &model.log);
        let ledger = lane.telemetry().ledger();
        prop_assert_eq!(ledger.total().expired, model.expired);
        prop_assert_eq!(ledger.total().dropped.lane_full, model.refused);
        prop_assert_eq!((ledger.imbalance(), ledger.queued()), (0, 0));
    }

    /// The same capture gives the same digests whatever the batch size of the bus.
    #[test]
    fn a_replay_does_not_depend_on_the_batch_size(
        settings in prop::collection::vec(setting(), 1..4),
        capture in capture(),
        batch_max in 2..1_024_usize,
    ) {
        let one_by_one = replay(&capture, &settings, 1);
        prop_assert_eq!(replay(&capture, &settings, batch_max), one_by_one);
    }
}

fn unlimited(service_time_ns: u64) -> Setting {
    Setting { ttl_ns: None, margin_ns: 0, capacity: 100, service_time_ns }
}

#[test]
fn the_horizon_is_not_included() {
    let (mut producer, mut lane) = unlimited(0).lane();
    producer.offer(&[quote(1, T0), quote(2, T0 + 1)], BatchShape::MIXED);
    assert_eq!(lane.run_until(T0), 0);
    assert_eq!(lane.run_until(T0 + 1), 1);
    assert_eq!(lane.run_until(T0 + 1), 0);
    assert_eq!(lane.run_until(T0 + 2), 1);
}

#[test]
fn a_busy_consumer_makes_the_next_quote_wait() {
    let (mut producer, mut lane) = unlimited(10).lane();
    producer.offer(&[quote(1, T0), quote(2, T0 + 3), quote(3, T0 + 50)], BatchShape::MIXED);
    lane.drain();
    assert_eq!(lane.consumer().0, [(1, Some(0)), (2, Some(7)), (3, Some(0))]);
}

#[test]
fn an_expired_quote_costs_no_time() {
    let setting = Setting { ttl_ns: Some(15), ..unlimited(10) };
    let (mut producer, mut lane) = setting.lane();
    let quotes: Vec<_> = (0..5).map(|i| quote(i, T0)).collect();
    producer.offer(&quotes, BatchShape::MIXED);
    producer.offer(&[quote(9, T0 + 6)], BatchShape::MIXED);
    lane.drain();
    // 0 at 0, 1 at 10; 2, 3, 4 are 20 old when the consumer is free; 9 is handed over then.
    assert_eq!(lane.consumer().0, [(0, Some(0)), (1, Some(10)), (9, Some(14))]);
    assert_eq!(lane.telemetry().ledger().total().expired, 3);
}

#[test]
fn a_full_lane_refuses_in_event_time() {
    let setting = Setting { capacity: 2, ..unlimited(10) };
    let (mut producer, mut lane) = setting.lane();
    for i in 0..6 {
        lane.run_until(T0 + i);
        producer.offer(&[quote(i, T0 + i)], BatchShape::MIXED);
    }
    lane.drain();
    // Quote 0 is with the consumer until 10; 1 and 2 fill the lane; 3, 4 and 5 find it full.
    assert_eq!(lane.consumer().0, [(0, Some(0)), (1, Some(9)), (2, Some(18))]);
    assert_eq!(lane.telemetry().ledger().total().dropped.lane_full, 3);
}

#[test]
fn the_end_of_time_is_reached() {
    let (mut producer, mut lane) = unlimited(u64::MAX).lane();
    producer.offer(&[quote(1, 0), quote(2, u64::MAX), quote(3, 0)], BatchShape::MIXED);
    assert_eq!(lane.run_until(u64::MAX), 1);
    assert_eq!(lane.drain(), 2);
    assert_eq!(lane.consumer().0, [(1, Some(0)), (2, Some(0)), (3, Some(u64::MAX))]);
}

struct GivesUp;

impl Consumer for GivesUp {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        assert!(quote.wire_sequence < 2, "enough");
    }
}

#[test]
fn a_consumer_that_panics_in_a_replay_is_accounted_for() {
    let (mut producer, consumer, shared) = ends(support::spec(None, 0));
    let mut lane = SimulatedLane::new(consumer, GivesUp, 10);
    let quotes: Vec<_> = (0..5).map(|i| quote(i, T0 + i)).collect();
    producer.offer(&quotes, BatchShape::MIXED);
    drop(producer);
    lane.drain();
    assert_eq!(lane.telemetry().panic_message(), Some("enough"));
    let total = shared.snapshot().total();
    assert_eq!((total.delivered, total.dropped.detached), (3, 2));
    assert!(lane.is_finished());
    assert_eq!(shared.snapshot().imbalance(), 0);
}
