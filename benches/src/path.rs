//! The stages of the data path, wired for a bench.

use std::sync::Arc;

use freshlane_bus::{
    Bus, IngressProducer, LaneConsumer, LaneSpec, LaneTopics, OverflowPolicy, Pattern, Router,
    ingress, lane,
};
use freshlane_consumers::{Consumer, Fresh};
use freshlane_feed_handlers::feed::QuoteSink;
use freshlane_feed_handlers::itch50::{HandlerSpec, Itch50Handler, ReceiveTime};
use freshlane_feed_handlers::session_time::{SessionTime, parse_date};
use freshlane_feed_handlers::source::{Batch, MessageSource};
use freshlane_quote::{ChannelId, Clock, FeedEvent, Quote, SymbolDirectory, VenueId};

/// A bus with the ends that a bench holds.
#[derive(Debug)]
pub struct BusRig {
    /// Where quotes go in.
    pub ring: IngressProducer,
    /// The agent.
    pub bus: Bus,
    /// Where they come out, in the order of the lanes.
    pub lanes: Vec<LaneConsumer>,
}

impl BusRig {
    /// Records that the ingress ring holds.
    pub const INGRESS_CAPACITY: usize = 1 << 16;

    /// A bus to `specs`, each of which wants everything.
    ///
    /// # Panics
    /// For lanes that cannot be made.
    #[must_use]
    pub fn new(directory: &Arc<SymbolDirectory>, specs: Vec<LaneSpec>) -> Self {
        Self::with_ingress(directory, specs, Self::INGRESS_CAPACITY)
    }

    /// The same with an ingress ring for `ingress_capacity` records.
    ///
    /// # Panics
    /// For lanes that cannot be made.
    #[must_use]
    pub fn with_ingress(
        directory: &Arc<SymbolDirectory>,
        specs: Vec<LaneSpec>,
        ingress_capacity: usize,
    ) -> Self {
        let everything = Pattern::parse("market-data.#").expect("a pattern");
        let topics = LaneTopics { include: vec![everything], exclude: Vec::new() };
        let topics = vec![topics; specs.len()];
        let router = Router::new(Arc::clone(directory), &["NASDAQ"], topics).expect("few lanes");
        let (producers, lanes) = specs
            .into_iter()
            .map(|spec| lane(spec).expect("a lane that can be made"))
            .map(|(producer, consumer, _)| (producer, consumer))
            .unzip();
        let (ring, ring_out) = ingress(ingress_capacity);
        let bus = Bus::new(Bus::BATCH_DEFAULT, vec![ring_out], router, producers)
            .expect("a batch within the limits");
        Self { ring, bus, lanes }
    }
}

/// The four lanes of the reference installation.
#[must_use]
pub fn reference_lanes() -> Vec<LaneSpec> {
    const MS: u64 = 1_000_000;
    [
        ("trading-algo", 200 * MS, 50_000),
        ("pricing", 500 * MS, 100_000),
        ("dashboard", 2_000 * MS, 200_000),
        ("risk", 5_000 * MS, 500_000),
    ]
    .map(|(name, ttl_ns, capacity)| LaneSpec {
        ttl_ns: Some(ttl_ns),
        margin_ns: 50 * MS,
        ..plain_lane(name, capacity, OverflowPolicy::DropNewest)
    })
    .into()
}

/// A lane without a time to live.
#[must_use]
pub fn plain_lane(name: &str, capacity: usize, overflow: OverflowPolicy) -> LaneSpec {
    LaneSpec { name: name.into(), ttl_ns: None, margin_ns: 0, capacity, overflow }
}

/// A handler of a day with at most `orders_expected` live orders. Its session lies in the past, so
/// that no message is from the future of the engine clock.
///
/// # Panics
/// Never: date and zone exist.
#[must_use]
pub fn handler(directory: Arc<SymbolDirectory>, orders_expected: usize) -> Itch50Handler {
    let date = parse_date("2024-01-02").expect("a date");
    Itch50Handler::new(HandlerSpec {
        directory,
        venue: VenueId(0),
        channel: ChannelId(0),
        market_code: b'Q',
        session: SessionTime::new(date, "America/New_York").expect("a zone"),
        future_limit_ns: 100_000_000,
        orders_expected,
        exclude_test_symbols: true,
    })
}

/// Lets `handler` work through what `source` has released, in batches of at most `batch_max` and in
/// event time: decode, book and quote alone. Returns the messages.
#[inline]
pub fn handle_released(
    handler: &mut Itch50Handler,
    source: &mut impl MessageSource,
    batch_max: usize,
) -> u64 {
    let mut messages = 0;
    while let Batch::Messages(count) = source.next_batch(batch_max, |messages, first_sequence| {
        handler.on_batch(messages, first_sequence, ReceiveTime::EventTime);
    }) {
        messages += count as u64;
    }
    messages
}

/// The producing end of an ingress ring, as a feed writes to it.
#[derive(Debug)]
pub struct RingSink(pub IngressProducer);

impl QuoteSink for RingSink {
    #[inline]
    fn push_batch(&mut self, records: &[Quote]) -> usize {
        self.0.push_batch(records)
    }
}

/// A consumer that counts and looks at both prices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// Quotes handed over.
    pub quotes: u64,
    /// Events handed over.
    pub events: u64,
    /// The sum of all prices, wrapping.
    pub prices: i64,
}

impl Count {
    /// Counts a quote.
    #[inline]
    pub fn see(&mut self, quote: &Quote) {
        self.quotes += 1;
        self.prices = self.prices.wrapping_add(quote.bid.units()).wrapping_add(quote.ask.units());
    }
}

impl Consumer for Count {
    #[inline]
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        self.see(&quote);
    }

    fn on_event(&mut self, _event: FeedEvent, _record: &Quote) {
        self.events += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::day::{Day, DaySpec};
    use crate::memory_source::MemorySource;
    use freshlane_feed_handlers::ledger::Outcome;

    #[test]
    fn a_handler_takes_every_message_of_the_day_and_refuses_none() {
        let day = Day::generate(&DaySpec::of((50, 20_000, 2_000), 3)).unwrap();
        let mut handler = handler(Arc::default(), day.orders_expected());
        let mut source = MemorySource::new(day.bytes());
        source.horizon().release(day.bytes().len());
        assert_eq!(handle_released(&mut handler, &mut source, 32), day.messages());
        let ledger = handler.ledger();
        let fine = [Outcome::Quoted, Outcome::Unchanged, Outcome::Administrative];
        let fine: u64 = fine.into_iter().map(|outcome| ledger.outcome(outcome)).sum();
        let test_symbols = ledger.outcome(Outcome::TestSymbol);
        assert_eq!(fine + test_symbols, day.messages());
        assert!(ledger.outcome(Outcome::Quoted) > 1_000);
        assert_eq!(ledger.book_growths.get(), 0);
    }

    #[test]
    fn the_reference_lanes_can_be_made() {
        let rig = BusRig::new(&Arc::default(), reference_lanes());
        assert_eq!(rig.lanes.len(), 4);
    }
}
