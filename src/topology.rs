//! The map: the data path as code, in the order in which data flows.
//!
//! ```text
//! wire bytes → transport → framing → line arbiter → decoder → book → quote
//!     → ingress ring → bus → lane → gate → consumer
//! ```
//!
//! [`live`] wires the stages as agents for pinned threads; [`replay`] wires the same stages for one
//! thread in event time. (The line arbiter joins when feeds have an A and a B line.)

use std::sync::Arc;

use freshlane_bus::{
    Bus, BusError, IngressConsumer, IngressProducer, LaneConsumer, LaneError, LaneProducer,
    LaneSpec, LaneTopics, OverflowPolicy, ParsePatternError, Pattern, Router, RouterError, ingress,
    lane,
};
use freshlane_config::{
    Config, ConsumerKind, FeedConfig, FeedSource, GeneratorConfig, LaneConfig, Overflow,
    TestSymbols, WhenFull as ConfiguredWhenFull,
};
use freshlane_consumers::{
    Consumer, ConsumerAgent, DigestConsumer, Discard, SimulatedLane, WorkConsumer,
};
use freshlane_feed_handlers::feed::{FeedAgent, QuoteSink, ReceiveClock, StopSignal, WhenFull};
use freshlane_feed_handlers::itch50::{HandlerSpec, Itch50Handler};
use freshlane_feed_handlers::paced::PacedMarket;
use freshlane_feed_handlers::session_time::{SessionError, SessionTime, date_at};
use freshlane_feed_handlers::source::BinaryFileSource;
use freshlane_feed_handlers::synthetic::{LiveItchMarket, LiveItchMarketSpec, SpecError};
use freshlane_feed_handlers::transport::{FileSource, TransportError};
use freshlane_quote::{
    Agent, ChannelId, Clock, EngineClock, Quote, SimulatedClock, SymbolDirectory, VenueId,
};

use crate::session::{SessionDate, session_date_of};
use crate::telemetry::{FeedTelemetry, Telemetry};

/// Why a configuration gives no running topology.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A capture cannot be read.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A feed's date or zone is wrong.
    #[error("feed {feed}: {source}")]
    Session {
        /// The feed.
        feed: String,
        /// What is wrong.
        source: SessionError,
    },
    /// A feed's synthetic market cannot be made.
    #[error("feed {feed}: {source}")]
    Market {
        /// The feed.
        feed: String,
        /// What is wrong.
        source: SpecError,
    },
    /// A lane's topic is no pattern.
    #[error("lane {lane}: topic {topic:?}: {source}")]
    Topic {
        /// The lane.
        lane: String,
        /// The topic.
        topic: String,
        /// What is wrong.
        source: ParsePatternError,
    },
    /// A lane cannot be made.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The lanes cannot be routed.
    #[error(transparent)]
    Router(#[from] RouterError),
    /// The bus cannot be made.
    #[error(transparent)]
    Bus(#[from] BusError),
}

/// Agents in data order, and what the cold side sees of them.
#[allow(missing_debug_implementations, reason = "agents are trait objects")]
pub struct Live {
    /// Feeds, bus, consumers.
    pub agents: Vec<Box<dyn Agent>>,
    /// Their counters.
    pub telemetry: Telemetry,
    /// Stops the feeds; everything behind them then ends by itself, in data order.
    pub stop: StopSignal,
}

/// Wires the stages of `config` for pinned threads; `consumer_of` makes each lane's consumer.
///
/// # Errors
/// [`BuildError`] says which part of the configuration cannot be built.
pub fn live<K: Consumer + 'static>(
    config: &Config,
    clock: &EngineClock,
    mut consumer_of: impl FnMut(&LaneConfig, &EngineClock) -> K,
) -> Result<Live, BuildError> {
    let directory = Arc::new(SymbolDirectory::with_capacity(config.engine.instruments_max));
    let stop = StopSignal::new();
    let mut agents: Vec<Box<dyn Agent>> = Vec::new();
    let mut telemetry = Telemetry::new(Some(clock.metrics()));

    // wire bytes → transport → framing → decoder → book → quote → ingress ring
    let mut rings = Vec::new();
    for (channel, feed) in (0..).map(ChannelId).zip(&config.feeds) {
        let (ring_in, ring_out) = ingress(feed.ingress_capacity);
        rings.push(ring_out);
        agents.push(live_feed(
            feed,
            config,
            channel,
            &directory,
            ring_in,
            clock,
            &stop,
            &mut telemetry,
        )?);
    }

    // ingress ring → bus → lane
    let (lanes_in, lanes_out) = lanes(&config.lanes)?;
    let bus = bus(config, &directory, rings, lanes_in, Bus::BATCH_DEFAULT)?;
    telemetry.bus = Some(bus.counters());
    agents.push(Box::new(bus));

    // lane → gate → consumer
    for (lane, spec) in lanes_out.into_iter().zip(&config.lanes) {
        let agent = ConsumerAgent::new(lane, consumer_of(spec, clock), clock.clone());
        telemetry.lanes.push(agent.telemetry());
        agents.push(Box::new(agent));
    }
    Ok(Live { agents, telemetry, stop })
}

/// The consumer that a lane's configuration asks for.
#[must_use]
pub fn configured_consumer(lane: &LaneConfig, clock: &EngineClock) -> WorkConsumer<EngineClock> {
    let ConsumerKind::Work = lane.consumer.kind;
    WorkConsumer::new(clock.clone(), lane.consumer.service_time_ns)
}

/// A lane in event time with the digest of what it delivered.
pub type ReplayLane = SimulatedLane<DigestConsumer<Discard>>;

/// The feed of a replay.
pub type ReplayFeed = FeedAgent<BinaryFileSource, IngressSink, SimulatedClock>;

/// The stages of a replay, for one thread that steps them.
#[derive(Debug)]
pub struct Replay {
    /// Transport, framing, decoder and book.
    pub feed: ReplayFeed,
    /// Route and copy.
    pub bus: Bus,
    /// Gate and consumer of each lane.
    pub lanes: Vec<ReplayLane>,
    /// Their counters.
    pub telemetry: Telemetry,
}

/// What a replay is made of besides the configuration.
#[derive(Clone, Copy, Debug)]
pub struct ReplaySpec {
    /// Date and time zone of the capture.
    pub session: SessionDate,
    /// Messages and records of a batch. Results do not depend on it.
    pub batch_max: usize,
}

/// Wires the stages of `config` for one thread in event time, with `file` in place of its feeds;
/// the first feed says how it is to be read.
///
/// # Errors
/// [`BuildError`] says what cannot be built.
pub fn replay(config: &Config, file: FileSource, spec: ReplaySpec) -> Result<Replay, BuildError> {
    let directory = Arc::new(SymbolDirectory::with_capacity(config.engine.instruments_max));
    let mut telemetry = Telemetry::new(None);
    let feed_config = &config.feeds[0];

    // wire bytes → transport → framing → decoder → book → quote → ingress ring
    let (ring_in, ring_out) = ingress(feed_config.ingress_capacity);
    let session = session(feed_config, spec.session)?;
    let handler = handler(feed_config, config, ChannelId(0), &directory, session);
    telemetry.feeds.push(FeedTelemetry::new(feed_config, handler.ledger()));
    let feed = FeedAgent::new(
        &feed_config.name,
        BinaryFileSource::new(file),
        handler,
        IngressSink(ring_in),
        ReceiveClock::EventTime,
        WhenFull::Block,
        StopSignal::new(),
    )
    .with_batch_max(spec.batch_max);

    // ingress ring → bus → lane
    let (lanes_in, lanes_out) = lanes(&config.lanes)?;
    let batch_max = spec.batch_max.clamp(1, Bus::BATCH_LIMIT);
    let bus = bus(config, &directory, vec![ring_out], lanes_in, batch_max)?;
    telemetry.bus = Some(bus.counters());

    // lane → gate → consumer
    let lanes: Vec<_> = lanes_out
        .into_iter()
        .zip(&config.lanes)
        .map(|(lane, spec)| {
            let consumer = DigestConsumer::new(Discard);
            SimulatedLane::new(lane, consumer, spec.consumer.service_time_ns)
        })
        .collect();
    telemetry.lanes.extend(lanes.iter().map(SimulatedLane::telemetry));
    Ok(Replay { feed, bus, lanes, telemetry })
}

/// The producing end of an ingress ring, as a feed writes to it.
#[derive(Debug)]
pub struct IngressSink(IngressProducer);

impl QuoteSink for IngressSink {
    #[inline]
    fn push_batch(&mut self, records: &[Quote]) -> usize {
        self.0.push_batch(records)
    }
}

#[allow(clippy::too_many_arguments, reason = "one call, and each is a neighbour on the data path")]
fn live_feed(
    feed: &FeedConfig,
    config: &Config,
    channel: ChannelId,
    directory: &Arc<SymbolDirectory>,
    ring: IngressProducer,
    clock: &EngineClock,
    stop: &StopSignal,
    telemetry: &mut Telemetry,
) -> Result<Box<dyn Agent>, BuildError> {
    let when_full = match feed.when_full {
        ConfiguredWhenFull::DropNewest => WhenFull::DropNewest,
        ConfiguredWhenFull::Block => WhenFull::Block,
    };
    let sink = IngressSink(ring);
    let date = match &feed.source {
        FeedSource::Generator(_) => {
            let today = date_at(clock.now(), &feed.time_zone);
            SessionDate::today(today.map_err(|source| of_feed(feed, source))?)
        }
        FeedSource::File { path, date } => {
            let dated = session_date_of(path, *date, &feed.time_zone, clock.now());
            dated.map_err(|source| of_feed(feed, source))?
        }
    };
    let session = session(feed, date)?;
    let handler = handler(feed, config, channel, directory, session.clone());
    telemetry.feeds.push(FeedTelemetry::new(feed, handler.ledger()));
    let receive_clock = ReceiveClock::Engine(clock.clone());
    let (name, stop) = (&feed.name, stop.clone());
    Ok(match &feed.source {
        FeedSource::Generator(generator) => {
            let market = market(feed, generator)?;
            let source = PacedMarket::new(market, clock.clone(), session, generator.rate_per_s);
            Box::new(FeedAgent::new(name, source, handler, sink, receive_clock, when_full, stop))
        }
        FeedSource::File { path, .. } => {
            let source = BinaryFileSource::new(FileSource::open(path)?);
            Box::new(FeedAgent::new(name, source, handler, sink, receive_clock, when_full, stop))
        }
    })
}

fn of_feed(feed: &FeedConfig, source: SessionError) -> BuildError {
    BuildError::Session { feed: feed.name.clone(), source }
}

fn session(feed: &FeedConfig, date: SessionDate) -> Result<SessionTime, BuildError> {
    SessionTime::new(date.date, &feed.time_zone).map_err(|source| of_feed(feed, source))
}

fn market(feed: &FeedConfig, generator: &GeneratorConfig) -> Result<LiveItchMarket, BuildError> {
    let live_orders = generator.live_orders.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let spec = LiveItchMarketSpec { symbols: generator.symbols, seed: generator.seed, live_orders };
    LiveItchMarket::new(&spec)
        .map_err(|source| BuildError::Market { feed: feed.name.clone(), source })
}

fn handler(
    feed: &FeedConfig,
    config: &Config,
    channel: ChannelId,
    directory: &Arc<SymbolDirectory>,
    session: SessionTime,
) -> Itch50Handler {
    Itch50Handler::new(HandlerSpec {
        directory: directory.clone(),
        venue: config.venue_id(&feed.venue).unwrap_or(VenueId(0)),
        channel,
        market_code: market_code(&feed.venue),
        session,
        future_limit_ns: feed.future_limit_ns,
        orders_expected: feed.orders_expected,
        exclude_test_symbols: feed.test_symbols == TestSymbols::Exclude,
    })
}

/// The market whose operational halts concern a venue.
#[must_use]
pub fn market_code(venue: &str) -> u8 {
    match venue {
        "BX" | "XBOS" => b'B',
        "PSX" | "XPSX" => b'X',
        _ => b'Q',
    }
}

type LaneEnds = (Vec<LaneProducer>, Vec<LaneConsumer>);

fn lanes(configured: &[LaneConfig]) -> Result<LaneEnds, LaneError> {
    let mut ends = LaneEnds::default();
    for config in configured {
        let (producer, consumer, _) = lane(LaneSpec {
            name: config.name.as_str().into(),
            ttl_ns: config.ttl_ns,
            margin_ns: config.margin_ns,
            capacity: config.capacity,
            overflow: overflow(config.overflow),
        })?;
        ends.0.push(producer);
        ends.1.push(consumer);
    }
    Ok(ends)
}

fn overflow(configured: Overflow) -> OverflowPolicy {
    match configured {
        Overflow::DropOldest => OverflowPolicy::DropOldest,
        Overflow::DropNewest => OverflowPolicy::DropNewest,
        Overflow::Conflate => OverflowPolicy::Conflate,
        Overflow::Latest => OverflowPolicy::Latest,
        Overflow::Block => OverflowPolicy::Block,
    }
}

fn bus(
    config: &Config,
    directory: &Arc<SymbolDirectory>,
    rings: Vec<IngressConsumer>,
    lanes: Vec<LaneProducer>,
    batch_max: usize,
) -> Result<Bus, BuildError> {
    let topics = config.lanes.iter().map(topics).collect::<Result<_, _>>()?;
    let router = Router::new(directory.clone(), &config.venues(), topics)?;
    Ok(Bus::new(batch_max, rings, router, lanes)?)
}

fn topics(lane: &LaneConfig) -> Result<LaneTopics, BuildError> {
    let parse = |topic: &String| {
        Pattern::parse(topic).map_err(|source| BuildError::Topic {
            lane: lane.name.clone(),
            topic: topic.clone(),
            source,
        })
    };
    Ok(LaneTopics {
        include: lane.topics.iter().map(parse).collect::<Result<_, _>>()?,
        exclude: lane.exclude.iter().map(parse).collect::<Result<_, _>>()?,
    })
}
