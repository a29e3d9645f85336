//! Ours: ingress ring, bus, private lanes drained in chunks.

use freshlane_benches::path::{BusRig, plain_lane};
use freshlane_benches::sample_quotes::SampleQuotes;
use freshlane_bus::lane::EVENT_RESERVE;
use freshlane_bus::{Bus, IngressProducer, LaneConsumer, OverflowPolicy};
use freshlane_quote::{Agent, Quote, VenueId};

use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

pub(crate) const NAME: &str = "bus and lanes";

/// Slots of a lane beyond those that are reserved for feed events.
const SMALL: usize = 1 << 10;
const _: () = assert!(SMALL + EVENT_RESERVE >= SLOTS);

/// A bus to `lanes` lanes that wait where they are full, so that nothing is lost.
pub(crate) fn bus(lanes: usize) -> Transport<BusSender, LanePoller> {
    bus_of(lanes, SMALL)
}

/// The same with lanes as large as the smallest of the reference installation.
pub(crate) fn large(lanes: usize) -> Transport<BusSender, LanePoller> {
    Transport { name: "the same with lanes of 50,000", ..bus_of(lanes, 50_000) }
}

fn bus_of(lanes: usize, capacity: usize) -> Transport<BusSender, LanePoller> {
    let lane = |number: usize| plain_lane(&number.to_string(), capacity, OverflowPolicy::Block);
    let specs = (0..lanes).map(lane).collect();
    let BusRig { ring, bus, lanes } =
        BusRig::with_ingress(SampleQuotes::new().directory(), specs, SLOTS);
    Transport {
        name: NAME,
        lanes: lanes.len(),
        sender: BusSender { ring, bus },
        poller: LanePoller(lanes),
    }
}

/// A feed's end of the ingress ring and the bus behind it, on one core.
pub(crate) struct BusSender {
    ring: IngressProducer,
    bus: Bus,
}

impl Sender for BusSender {
    #[inline]
    fn send(&mut self, mut quotes: &[Quote]) {
        while !quotes.is_empty() {
            quotes = &quotes[self.ring.push_batch(quotes)..];
            self.bus.do_work();
        }
    }

    #[inline]
    fn flush(&mut self) {
        while self.ring.free() < self.ring.capacity() {
            self.bus.do_work();
        }
    }
}

/// The lanes' ends.
pub(crate) struct LanePoller(Vec<LaneConsumer>);

impl Poller for LanePoller {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, lane) in self.0.iter_mut().enumerate() {
            if let Some(chunk) = lane.chunk(POLL_MAX) {
                chunk.records().iter().for_each(|quote| visit(index, quote));
                let count = chunk.records().len();
                chunk.release(count);
                lane.shared().ledger().delivered(VenueId(0), count as u64);
            }
        }
    }
}
