//! The agent that copies each record into its lanes.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use freshlane_quote::{Agent, Counter, Quote};

use crate::ingress::IngressConsumer;
use crate::lane::LaneProducer;
use crate::router::{Route, Router};

/// Why a bus cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BusError {
    /// A batch of that size is not possible.
    #[error("a bus batch is 1 to {max} records, not {batch_max}", max = Bus::BATCH_LIMIT)]
    Batch {
        /// What was asked for.
        batch_max: usize,
    },
    /// The router was made for another number of lanes.
    #[error("the router knows {routed} lanes and the bus has {lanes}")]
    LaneCount {
        /// Lanes of the router.
        routed: usize,
        /// Lanes of the bus.
        lanes: usize,
    },
}

/// What the bus counts about itself.
#[derive(Debug, Default)]
pub struct BusCounters {
    /// Records taken from the ingress rings.
    pub received: Counter,
    /// Records that no lane's topics select.
    pub unrouted: Counter,
    /// Batches; `received / batches` is the mean batch.
    pub batches: Counter,
    /// Turns that ended with a full `block` lane holding up the intake.
    pub stalled_turns: Counter,
}

/// The fan-out agent.
///
/// A turn visits every ingress ring once and takes at most one batch from each: whatever lies
/// there, so that a lone quote never waits for company. The batch stays where it is in the ingress
/// ring while it is routed (one table read a record) and written lane by lane; only then are its
/// slots given back. A lane that gets the whole batch gets it in one copy; for another lane the
/// records are first gathered in a scratch array.
///
/// Where a `block` lane is full, the batch stays in the ingress ring and the bus takes no other
/// until it is written.
#[derive(Debug)]
pub struct Bus {
    ingress: Vec<IngressConsumer>,
    next_ingress: usize,
    router: Router,
    writer: LaneWriter,
    masks: Box<[u64]>,
    batch_max: usize,
    stall: Option<Stall>,
    counters: Arc<CachePadded<BusCounters>>,
}

/// A batch that waits in its ingress ring until every lane has it.
#[derive(Clone, Copy, Debug)]
struct Stall {
    source: usize,
    len: usize,
    route: Route,
    /// The lanes that it waits for, a bit each.
    blocked: u64,
}

impl Bus {
    /// Records of a batch where nothing else is configured.
    pub const BATCH_DEFAULT: usize = 64;
    /// The most records of a batch.
    pub const BATCH_LIMIT: usize = 1024;

    /// A bus from `ingress` to `lanes`. The order of `lanes` is that of the router's topics.
    ///
    /// # Errors
    /// [`BusError`] where `batch_max` is not within 1..=[`Bus::BATCH_LIMIT`] or the router does not
    /// fit the lanes.
    pub fn new(
        batch_max: usize,
        ingress: Vec<IngressConsumer>,
        router: Router,
        lanes: Vec<LaneProducer>,
    ) -> Result<Self, BusError> {
        if !(1..=Self::BATCH_LIMIT).contains(&batch_max) {
            return Err(BusError::Batch { batch_max });
        }
        if router.lane_count() != lanes.len() {
            let routed = router.lane_count();
            return Err(BusError::LaneCount { routed, lanes: lanes.len() });
        }
        Ok(Self {
            ingress,
            next_ingress: 0,
            router,
            writer: LaneWriter::new(lanes, batch_max),
            masks: vec![0; batch_max].into_boxed_slice(),
            batch_max,
            stall: None,
            counters: Arc::default(),
        })
    }

    /// What the bus counts, for the cold side.
    #[must_use]
    pub fn counters(&self) -> Arc<CachePadded<BusCounters>> {
        Arc::clone(&self.counters)
    }

    /// Whether a full `block` lane holds up the intake.
    #[must_use]
    pub fn is_stalled(&self) -> bool {
        self.stall.is_some()
    }

    /// The receive time of the record that [`Bus::step`] would take next, ns since the Unix epoch:
    /// the smallest of those at the heads of the ingress rings. `None` where all are empty.
    #[must_use]
    pub fn peek_ts_recv(&self) -> Option<u64> {
        self.next_in_time().map(|(ts_recv, _)| ts_recv)
    }

    /// For event time: passes on at most `count_max` records, all with the receive time that
    /// [`Bus::peek_ts_recv`] gives, from one ingress ring, and returns how many it was; 0 where
    /// there is none, or where a full `block` lane holds up the intake.
    ///
    /// A caller that brings its lanes up to [`Bus::peek_ts_recv`] before each step gets the same
    /// results whatever the batch size: a batch never spans two receive times.
    pub fn step(&mut self, count_max: usize) -> usize {
        if self.stall.is_some() {
            return self.resume();
        }
        match self.next_in_time() {
            Some((ts_recv, source)) => self.take(source, count_max, Some(ts_recv)),
            None => 0,
        }
    }

    /// The smallest receive time at a head, and whose; of equal ones the first ring's.
    fn next_in_time(&self) -> Option<(u64, usize)> {
        let heads = self.ingress.iter().enumerate();
        heads.filter_map(|(source, ring)| Some((ring.peek()?.ts_recv, source))).min()
    }

    /// Takes one batch from `source`, of records with `ts_recv` only where that is given.
    /// Returns how many records it passed on.
    #[inline]
    fn take(&mut self, source: usize, count_max: usize, ts_recv: Option<u64>) -> usize {
        let Some(chunk) = self.ingress[source].chunk(count_max.min(self.batch_max)) else {
            return 0;
        };
        let records = match ts_recv {
            Some(ts_recv) => leading_run(chunk.records(), ts_recv),
            None => chunk.records(),
        };
        let len = records.len();
        let route = self.router.route(records, &mut self.masks);
        if route.unrouted > 0 {
            self.counters.unrouted.add(route.unrouted);
        }
        let blocked = self.writer.write(records, &self.masks, route.any, &route);
        if blocked != 0 {
            self.stall = Some(Stall { source, len, route, blocked });
            self.counters.stalled_turns.increment();
            return 0;
        }
        chunk.release(len);
        self.count_batch(len)
    }

    /// Offers the waiting batch again to the lanes that do not have all of it. Returns how many
    /// records it passed on: all of the batch or none.
    #[cold]
    fn resume(&mut self) -> usize {
        let Some(stall) = &mut self.stall else { return 0 };
        let len = stall.len;
        let Some(chunk) = self.ingress[stall.source].chunk(len) else { return 0 };
        let records = &chunk.records()[..len];
        stall.blocked = self.writer.write(records, &self.masks, stall.blocked, &stall.route);
        if stall.blocked != 0 {
            self.counters.stalled_turns.increment();
            return 0;
        }
        chunk.release(len);
        self.stall = None;
        self.count_batch(len)
    }

    fn count_batch(&self, len: usize) -> usize {
        self.counters.received.add(len as u64);
        self.counters.batches.increment();
        len
    }
}

/// The records at the front of `records` that have `ts_recv`.
fn leading_run(records: &[Quote], ts_recv: u64) -> &[Quote] {
    let end = records.iter().position(|record| record.ts_recv != ts_recv);
    &records[..end.unwrap_or(records.len())]
}

impl Agent for Bus {
    fn name(&self) -> &str {
        "bus"
    }

    fn do_work(&mut self) -> usize {
        let mut work = 0;
        if self.stall.is_some() {
            work += self.resume();
        }
        for _ in 0..self.ingress.len() {
            if self.stall.is_some() {
                break;
            }
            work += self.take(self.next_ingress, usize::MAX, None);
            self.next_ingress = (self.next_ingress + 1) % self.ingress.len();
        }
        work
    }

    fn is_finished(&self) -> bool {
        self.stall.is_none() && self.ingress.iter().all(IngressConsumer::is_finished)
    }

    fn on_close(&mut self) {
        self.writer.close();
    }
}

/// Writes a batch lane by lane.
#[derive(Debug)]
struct LaneWriter {
    lanes: Vec<Outlet>,
    /// Where the records of a lane that gets only some of a batch are gathered.
    scratch: Box<[Quote]>,
}

#[derive(Debug)]
struct Outlet {
    lane: LaneProducer,
    /// How much of a batch the lane has that waits for it: 0 where none does.
    done: usize,
}

impl LaneWriter {
    fn new(lanes: Vec<LaneProducer>, batch_max: usize) -> Self {
        Self {
            lanes: lanes.into_iter().map(|lane| Outlet { lane, done: 0 }).collect(),
            scratch: vec![Quote::EMPTY; batch_max].into_boxed_slice(),
        }
    }

    /// Offers `records` to the lanes of `wanting`, each what it does not have yet of its part.
    /// Returns the lanes that are full and still want more of the batch, a bit each.
    #[inline]
    fn write(&mut self, records: &[Quote], masks: &[u64], wanting: u64, route: &Route) -> u64 {
        let mut blocked = 0;
        for (index, Outlet { lane, done }) in self.lanes.iter_mut().enumerate() {
            let bit = 1 << index;
            if wanting & bit == 0 {
                continue;
            }
            let of_lane = if route.every & bit != 0 {
                records
            } else {
                gather(records, masks, index, &mut self.scratch)
            };
            let so_far = *done + lane.offer(&of_lane[*done..], route.shape);
            let is_blocked = so_far < of_lane.len();
            *done = if is_blocked { so_far } else { 0 };
            blocked |= u64::from(is_blocked) << index;
        }
        blocked
    }

    fn close(&self) {
        self.lanes.iter().for_each(|outlet| outlet.lane.close());
    }
}

/// Copies the records of lane `index` into `scratch`, in order.
///
/// Which ones are wanted is first made a bit set of 64 records at a time, without a branch; then
/// only the set bits are visited. A lane that wants every second record at random costs no
/// mispredictions, one that wants few costs few copies.
fn gather<'a>(
    records: &[Quote],
    masks: &[u64],
    index: usize,
    scratch: &'a mut [Quote],
) -> &'a [Quote] {
    let mut count = 0;
    for (records, masks) in records.chunks(64).zip(masks.chunks(64)) {
        let bits = masks[..records.len()].iter().rev();
        let mut wanted = bits.fold(0_u64, |set, mask| set << 1 | (mask >> index & 1));
        while wanted != 0 {
            scratch[count] = records[wanted.trailing_zeros() as usize];
            count += 1;
            wanted &= wanted - 1;
        }
    }
    &scratch[..count]
}
