//! What the cold side sees of a topology: shared counters, read and never written.

use std::sync::Arc;

use crossbeam_utils::CachePadded;
use freshlane_bus::BusCounters;
use freshlane_config::FeedConfig;
use freshlane_consumers::LaneTelemetry;
use freshlane_feed_handlers::ledger::FeedLedger;
use freshlane_quote::clock::ClockMetrics;

/// One feed's counters under its name.
#[derive(Clone, Debug)]
pub struct FeedTelemetry {
    /// The feed's name.
    pub name: String,
    /// The venue's name.
    pub venue: String,
    /// What became of its messages.
    pub ledger: Arc<FeedLedger>,
}

impl FeedTelemetry {
    /// The counters of `feed`.
    #[must_use]
    pub fn new(feed: &FeedConfig, ledger: &Arc<FeedLedger>) -> Self {
        Self { name: feed.name.clone(), venue: feed.venue.clone(), ledger: ledger.clone() }
    }
}

/// All counters of a topology, in data order.
#[derive(Clone, Debug)]
pub struct Telemetry {
    /// One a feed.
    pub feeds: Vec<FeedTelemetry>,
    /// The bus; `None` before it is built.
    pub bus: Option<Arc<CachePadded<BusCounters>>>,
    /// One a lane.
    pub lanes: Vec<Arc<LaneTelemetry>>,
    /// The engine clock; `None` in event time.
    pub clock: Option<ClockMetrics>,
}

impl Telemetry {
    /// No feed and no lane yet.
    #[must_use]
    pub fn new(clock: Option<ClockMetrics>) -> Self {
        Self { feeds: Vec::new(), bus: None, lanes: Vec::new(), clock }
    }

    /// The sum of all ledgers' imbalances; 0, or something was lost. Exact when nothing runs.
    #[must_use]
    pub fn imbalance(&self) -> u64 {
        let feeds = self.feeds.iter().map(|feed| feed.ledger.imbalance().unsigned_abs());
        let lanes = self.lanes.iter().map(|lane| lane.ledger().imbalance());
        feeds.chain(lanes).sum()
    }
}
