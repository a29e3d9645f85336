//! Which lanes get a record: one table read.

use std::sync::Arc;

use freshlane_quote::{InstrumentId, Quote, QuoteFlags, SymbolDirectory, VenueId};

use crate::topic::{Pattern, Topic};

/// What one lane wants to see.
#[derive(Clone, Debug, Default)]
pub struct LaneTopics {
    /// A topic that any of these matches is wanted,
    pub include: Vec<Pattern>,
    /// unless one of these matches it too.
    pub exclude: Vec<Pattern>,
}

impl LaneTopics {
    fn want(&self, topic: Topic<'_>) -> bool {
        self.include.iter().any(|pattern| pattern.matches(topic))
            && !self.exclude.iter().any(|pattern| pattern.matches(topic))
    }
}

/// Why a router cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RouterError {
    /// More lanes than a mask has bits for.
    #[error("one bus feeds at most {max} lanes; {lanes} are configured", max = Router::LANES_MAX)]
    TooManyLanes {
        /// How many were asked for.
        lanes: usize,
    },
}

/// The lane mask of every instrument, resolved on first sight.
///
/// The table has a row for every id that the directory can assign and is owned by the bus agent:
/// no lock, no allocation, no growth.
#[derive(Debug)]
pub struct Router {
    directory: Arc<SymbolDirectory>,
    venues: Box<[Box<str>]>,
    lanes: Box<[LaneTopics]>,
    masks: Box<[u64]>,
    every_lane: u64,
}

/// A row that was never asked for. No mask has this value: bit 63 belongs to no lane.
const UNRESOLVED: u64 = u64::MAX;

impl Router {
    /// The most lanes of one bus.
    pub const LANES_MAX: usize = 63;

    /// A router over `directory`. `venues` are the venues' names, indexed by [`VenueId`]; `lanes`
    /// are the lanes' topics in the order of the bus's lanes.
    ///
    /// # Errors
    /// [`RouterError`] where there are more lanes than bits.
    pub fn new(
        directory: Arc<SymbolDirectory>,
        venues: &[impl AsRef<str>],
        lanes: Vec<LaneTopics>,
    ) -> Result<Self, RouterError> {
        if lanes.len() > Self::LANES_MAX {
            return Err(RouterError::TooManyLanes { lanes: lanes.len() });
        }
        Ok(Self {
            masks: vec![UNRESOLVED; directory.capacity()].into_boxed_slice(),
            directory,
            venues: venues.iter().map(|name| name.as_ref().into()).collect(),
            every_lane: (1 << lanes.len()) - 1,
            lanes: lanes.into_boxed_slice(),
        })
    }

    /// How many lanes it knows.
    #[must_use]
    pub fn lane_count(&self) -> usize {
        self.lanes.len()
    }

    /// The lanes of `instrument`, a bit each: bit 0 is the bus's first lane.
    ///
    /// [`InstrumentId::NONE`] goes to every lane; an id that the directory never assigned to none.
    #[inline]
    pub fn mask(&mut self, instrument: InstrumentId) -> u64 {
        match self.masks.get(instrument.index()) {
            Some(&mask) if mask != UNRESOLVED => mask,
            _ => self.resolve(instrument),
        }
    }

    #[cold]
    fn resolve(&mut self, instrument: InstrumentId) -> u64 {
        if instrument == InstrumentId::NONE {
            return self.every_lane;
        }
        // Not kept where the name is missing: it may be assigned later.
        let Some(name) = self.directory.name(instrument) else { return 0 };
        let venue = self.venues.get(name.venue.index()).map_or("?", |venue| venue);
        let topic = Topic { venue, symbol: &name.symbol };
        let wanted = |mask, (lane, topics): (usize, &LaneTopics)| {
            mask | u64::from(topics.want(topic)) << lane
        };
        let mask = self.lanes.iter().enumerate().fold(0, wanted);
        self.masks[instrument.index()] = mask;
        mask
    }

    /// Writes the mask of each of `records` into `masks` and sums them up. `masks` is at least as
    /// long as `records`.
    pub(crate) fn route(&mut self, records: &[Quote], masks: &mut [u64]) -> Route {
        let mut route = Route { every: u64::MAX, any: 0, unrouted: 0, shape: BatchShape::MIXED };
        let venue = records.first().map_or(VenueId(0), |first| first.venue);
        let (mut venues_differ, mut flags) = (0, QuoteFlags::NONE);
        for (record, mask) in records.iter().zip(masks) {
            *mask = self.mask(record.instrument);
            route.every &= *mask;
            route.any |= *mask;
            route.unrouted += u64::from(*mask == 0);
            venues_differ |= record.venue.0 ^ venue.0;
            flags |= record.flags;
        }
        route.shape = BatchShape {
            venue: (venues_differ == 0).then_some(venue),
            may_hold_events: flags.contains(QuoteFlags::FEED_EVENT),
        };
        route
    }
}

/// Where a batch goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// Lanes that get every record of the batch.
    pub(crate) every: u64,
    /// Lanes that get at least one.
    pub(crate) any: u64,
    /// Records that no lane gets.
    pub(crate) unrouted: u64,
    pub(crate) shape: BatchShape,
}

/// What is known about a batch before it is offered, so that each lane need not look again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchShape {
    /// The one venue of all records; `None` where venues may be mixed.
    pub(crate) venue: Option<VenueId>,
    /// Whether a feed event may be among them.
    pub(crate) may_hold_events: bool,
}

impl BatchShape {
    /// Anything may be in it.
    pub const MIXED: Self = Self { venue: None, may_hold_events: true };
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    fn topics(include: &[&str], exclude: &[&str]) -> LaneTopics {
        let parse = |texts: &[&str]| texts.iter().map(|t| Pattern::parse(t).unwrap()).collect();
        LaneTopics { include: parse(include), exclude: parse(exclude) }
    }

    fn router(lanes: Vec<LaneTopics>) -> (Arc<SymbolDirectory>, Router) {
        let directory = Arc::new(SymbolDirectory::with_capacity(8));
        let router = Router::new(Arc::clone(&directory), &["NASDAQ", "NYSE"], lanes).unwrap();
        (directory, router)
    }

    #[test]
    fn include_and_exclude_decide_per_lane() {
        let (directory, mut router) = router(vec![
            topics(&["market-data.#"], &[]),
            topics(&["market-data.NASDAQ.*"], &[]),
            topics(&["market-data.#"], &["market-data.*.BRK.#", "market-data.NYSE.IBM"]),
            topics(&[], &[]),
        ]);
        for (venue, symbol, mask) in [
            (VenueId(0), "AAPL", 0b0111),
            (VenueId(0), "BRK.A", 0b0001),
            (VenueId(0), "BRK", 0b0011),
            (VenueId(1), "IBM", 0b0001),
            (VenueId(1), "GE", 0b0101),
            (VenueId(9), "GE", 0b0101),
        ] {
            let id = directory.intern(venue, symbol).unwrap();
            assert_eq!(router.mask(id), mask, "{symbol}");
            assert_eq!(router.mask(id), mask, "{symbol} again, from the table");
        }
    }

    #[test]
    fn a_feed_event_without_instrument_goes_to_every_lane() {
        let (_, mut none) = router(vec![]);
        assert_eq!(none.mask(InstrumentId::NONE), 0);
        let (_, mut three) = router(vec![LaneTopics::default(); 3]);
        assert_eq!(three.mask(InstrumentId::NONE), 0b111);
    }

    #[test]
    fn an_unknown_id_goes_nowhere_and_is_looked_up_again() {
        let (directory, mut router) = router(vec![topics(&["#"], &[])]);
        assert_eq!(router.mask(InstrumentId(0)), 0);
        assert_eq!(router.mask(InstrumentId(8)), 0, "just beyond the table");
        assert_eq!(router.mask(InstrumentId(u32::MAX - 1)), 0);
        let id = directory.intern(VenueId(0), "NEW").unwrap();
        assert_eq!((id, router.mask(id)), (InstrumentId(0), 1));
    }

    #[test]
    fn the_last_bit_is_no_lane() {
        let all = vec![topics(&["#"], &[]); Router::LANES_MAX];
        let (directory, mut most) = router(all.clone());
        let id = directory.intern(VenueId(0), "A").unwrap();
        assert_eq!(most.mask(id), u64::MAX >> 1);
        let too_many = [all, vec![LaneTopics::default()]].concat();
        let error = Router::new(directory, &["V"], too_many).unwrap_err();
        assert_eq!(error, RouterError::TooManyLanes { lanes: 64 });
        assert_eq!(error.to_string(), "one bus feeds at most 63 lanes; 64 are configured");
    }

    #[test]
    fn a_batch_is_summed_up() {
        let (directory, mut router) =
            router(vec![topics(&["#"], &["#.B"]), topics(&["#.A"], &[]), topics(&["#.Z"], &[])]);
        let [a, b] = ["A", "B"].map(|symbol| directory.intern(VenueId(1), symbol).unwrap());
        let quote = |instrument| Quote { instrument, venue: VenueId(1), ..Quote::EMPTY };
        let mut masks = [0; 4];
        let route = router.route(&[quote(a), quote(a)], &mut masks);
        assert_eq!((route.every, route.any, route.unrouted), (0b011, 0b011, 0));
        let one_venue = BatchShape { venue: Some(VenueId(1)), may_hold_events: false };
        assert_eq!(route.shape, one_venue);
        let elsewhere = Quote { venue: VenueId(0), ..quote(a) };
        let route = router.route(&[quote(a), quote(b), elsewhere], &mut masks);
        assert_eq!((route.every, route.any, route.unrouted), (0, 0b011, 1));
        assert_eq!(masks, [0b011, 0, 0b011, 0]);
        assert_eq!(route.shape, BatchShape { venue: None, may_hold_events: false });
        let event = Quote { flags: QuoteFlags::FEED_EVENT, ..quote(a) };
        let shape = router.route(&[quote(a), event], &mut masks).shape;
        assert_eq!(shape, BatchShape { may_hold_events: true, ..one_venue });
    }
}
