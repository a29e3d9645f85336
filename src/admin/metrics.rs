//! The ledgers, latencies and the clock as OpenMetrics.
//!
//! One collector reads the shared counters at each scrape, so the data path never touches a metric
//! family, and every series is there at 0 from the start. Labels are bounded: `feed`, `lane`,
//! `venue`, `outcome`, `reason`, `thread`; never a symbol.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use freshlane_bus::VenueLedger;
use freshlane_consumers::{LaneTelemetry, LatencySnapshot};
use freshlane_feed_handlers::ledger::{FeedLedger, Outcome};
use freshlane_quote::{Clock, EngineClock};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use crate::telemetry::Telemetry;

/// Upper bounds of the age histogram, ns; the last bucket of the scrape is `+Inf`.
const AGE_BOUNDS_NS: [u64; 22] = [
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
];

/// The registry of a running engine.
///
/// `venues` are the configured venues, `threads` the pinned threads and whether their pin holds.
#[must_use]
pub fn registry(
    telemetry: Telemetry,
    venues: Vec<String>,
    threads: Vec<(String, bool)>,
    clock: EngineClock,
) -> Registry {
    let mut registry = Registry::with_prefix("freshlane");
    let clock = Mutex::new(clock);
    registry.register_collector(Box::new(EngineCollector { telemetry, venues, threads, clock }));
    registry
}

struct EngineCollector {
    telemetry: Telemetry,
    venues: Vec<String>,
    threads: Vec<(String, bool)>,
    /// A handle is for one thread; scrapes may come from several.
    clock: Mutex<EngineClock>,
}

impl fmt::Debug for EngineCollector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineCollector").finish_non_exhaustive()
    }
}

impl Collector for EngineCollector {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        let mut families = Families { encoder };
        self.encode_feeds(&mut families)?;
        self.encode_bus(&mut families)?;
        self.encode_lane_ledgers(&mut families)?;
        self.encode_lane_settings(&mut families)?;
        self.encode_lane_times(&mut families)?;
        self.encode_engine(&mut families)
    }
}

/// A feed counter's name, help text and value.
type FeedCounter = (&'static str, &'static str, fn(&FeedLedger) -> u64);
const FEED_COUNTERS: [FeedCounter; 6] = [
    ("feed_received", "Messages framed and looked at", |l| l.received.get()),
    ("feed_events", "Feed events handed on", |l| l.events.get()),
    ("feed_events_refused", "Feed events that a full ingress ring refused", |l| {
        l.events_refused.get()
    }),
    ("feed_clamped", "Reductions by more shares than were left", |l| l.clamped.get()),
    ("feed_bad_timestamps", "Messages with a time beyond the day", |l| l.bad_timestamps.get()),
    ("feed_book_growths", "Times that book memory had to grow after the start", |l| {
        l.book_growths.get()
    }),
];

/// A lane counter's name, help text and value, by venue.
type LaneCounter = (&'static str, &'static str, fn(&VenueLedger) -> u64);
const LANE_COUNTERS: [LaneCounter; 2] = [
    ("lane_offered", "Quotes that the bus offered to the lane", |row| row.offered),
    ("lane_delivered", "Quotes handed to the consumer", |row| row.delivered),
];

impl EngineCollector {
    fn encode_feeds(&self, families: &mut Families<'_>) -> fmt::Result {
        let feeds = &self.telemetry.feeds;
        for (name, help, value) in FEED_COUNTERS {
            families.counters(name, help, |emit| {
                feeds.iter().try_for_each(|feed| {
                    emit(&[("feed", &feed.name), ("venue", &feed.venue)], value(&feed.ledger))
                })
            })?;
        }
        families.counters("feed_messages", "Messages by what became of them", |emit| {
            for feed in feeds {
                for (outcome, name) in Outcome::NAMES {
                    let count = feed.ledger.outcome(outcome);
                    let labels = [("feed", &*feed.name), ("venue", &feed.venue), ("outcome", name)];
                    emit(&labels, count)?;
                }
            }
            Ok(())
        })?;
        families.gauges("feed_live_orders", "Orders in the books", None, |emit| {
            feeds.iter().try_for_each(|feed| {
                let labels = [("feed", &*feed.name), ("venue", &feed.venue)];
                emit(&labels, as_gauge(feed.ledger.live_orders.get()))
            })
        })
    }

    fn encode_bus(&self, families: &mut Families<'_>) -> fmt::Result {
        let Some(bus) = &self.telemetry.bus else { return Ok(()) };
        let none: [(&str, &str); 0] = [];
        families.counters("bus_received", "Records taken from ingress rings", |emit| {
            emit(&none, bus.received.get())
        })?;
        families.counters("bus_unrouted", "Records that match no lane's topics", |emit| {
            emit(&none, bus.unrouted.get())
        })
    }

    fn encode_lane_ledgers(&self, families: &mut Families<'_>) -> fmt::Result {
        let ledgers: Vec<_> =
            self.telemetry.lanes.iter().map(|lane| (name_of(lane), lane.ledger())).collect();
        let each_venue = |visit: &mut dyn FnMut(&str, &str, &VenueLedger) -> fmt::Result| {
            ledgers.iter().try_for_each(|(lane, ledger)| {
                let rows = self.venues.iter().zip(&ledger.venues);
                rows.into_iter().try_for_each(|(venue, row)| visit(lane, venue, row))
            })
        };
        for (name, help, value) in LANE_COUNTERS {
            families.counters(name, help, |emit| {
                each_venue(&mut |lane, venue, row| {
                    emit(&[("lane", lane), ("venue", venue)], value(row))
                })
            })?;
        }
        families.counters("lane_expired", "Quotes too old at the gate", |emit| {
            each_venue(&mut |lane, venue, row| {
                emit(&[("lane", lane), ("venue", venue), ("reason", "ttl")], row.expired)
            })
        })?;
        families.counters("lane_dropped", "Quotes dropped", |emit| {
            each_venue(&mut |lane, venue, row| {
                row.dropped.by_reason().into_iter().try_for_each(|(reason, count)| {
                    emit(&[("lane", lane), ("venue", venue), ("reason", reason)], count)
                })
            })
        })?;
        families.counters("lane_events_delivered", "Feed events handed over", |emit| {
            ledgers
                .iter()
                .try_for_each(|(lane, ledger)| emit(&[("lane", lane)], ledger.events.delivered))
        })?;
        families.counters("lane_events_dropped", "Feed events dropped", |emit| {
            ledgers
                .iter()
                .try_for_each(|(lane, ledger)| emit(&[("lane", lane)], ledger.events.dropped))
        })?;
        families.gauges("lane_depth", "Quotes in the lane", None, |emit| {
            ledgers
                .iter()
                .try_for_each(|(lane, ledger)| emit(&[("lane", lane)], as_gauge(ledger.queued())))
        })?;
        families.gauges("lane_ledger_imbalance", "Quotes unaccounted for; 0", None, |emit| {
            ledgers.iter().try_for_each(|(lane, ledger)| {
                emit(&[("lane", lane)], as_gauge(ledger.imbalance()))
            })
        })
    }

    fn encode_lane_settings(&self, families: &mut Families<'_>) -> fmt::Result {
        let lanes = &self.telemetry.lanes;
        families.gauges("lane_capacity", "Quotes that fit", None, |emit| {
            lanes.iter().try_for_each(|lane| {
                emit(&[("lane", name_of(lane))], as_gauge(lane.lane().spec().capacity as u64))
            })
        })?;
        let seconds = Some(&Unit::Seconds);
        families.gauges("lane_ttl", "Time to live; +Inf where it is off", seconds, |emit| {
            lanes.iter().try_for_each(|lane| {
                let ttl = lane.lane().spec().ttl_ns.map_or(f64::INFINITY, as_seconds);
                emit(&[("lane", name_of(lane))], ttl)
            })
        })?;
        families.gauges("lane_margin", "Freshness margin", seconds, |emit| {
            lanes.iter().try_for_each(|lane| {
                emit(&[("lane", name_of(lane))], as_seconds(lane.lane().spec().margin_ns))
            })
        })?;
        families.gauges("lane_detached", "1 where the consumer has gone", None, |emit| {
            lanes.iter().try_for_each(|lane| {
                emit(&[("lane", name_of(lane))], as_gauge(lane.lane().is_detached().into()))
            })
        })
    }

    fn encode_lane_times(&self, families: &mut Families<'_>) -> fmt::Result {
        let lanes = &self.telemetry.lanes;
        let now_ns = self.clock.lock().unwrap_or_else(PoisonError::into_inner).now();
        let seconds = Some(&Unit::Seconds);
        families.gauges("lane_oldest_age", "Age of the oldest quote", seconds, |emit| {
            lanes.iter().try_for_each(|lane| {
                let head_ns = lane.head_ts_recv.get();
                let age_ns = if head_ns == 0 { 0 } else { now_ns.saturating_sub(head_ns) };
                emit(&[("lane", name_of(lane))], as_seconds(age_ns))
            })
        })?;
        families.histograms("lane_age", "Age of quotes at hand-over", |emit| {
            lanes.iter().try_for_each(|lane| {
                emit(&[("lane", name_of(lane))], &lane.age_at_handover.snapshot())
            })
        })?;
        families.histograms("lane_end_to_end", "Hand-over minus venue time", |emit| {
            lanes
                .iter()
                .try_for_each(|lane| emit(&[("lane", name_of(lane))], &lane.end_to_end.snapshot()))
        })?;
        families.histograms("lane_drop_age", "Age of expired quotes at the gate", |emit| {
            lanes
                .iter()
                .try_for_each(|lane| emit(&[("lane", name_of(lane))], &lane.age_at_drop.snapshot()))
        })
    }

    fn encode_engine(&self, families: &mut Families<'_>) -> fmt::Result {
        let none: [(&str, &str); 0] = [];
        families.gauges("thread_pinned", "1 where a thread has its core", None, |emit| {
            self.threads.iter().try_for_each(|(thread, is_pinned)| {
                emit(&[("thread", thread)], as_gauge((*is_pinned).into()))
            })
        })?;
        let Some(clock) = &self.telemetry.clock else { return Ok(()) };
        let help = "Engine clock minus the wall clock";
        families.gauges("clock_offset", help, Some(&Unit::Seconds), |emit| {
            #[allow(clippy::cast_precision_loss, reason = "a metric is a float")]
            emit(&none, clock.offset_ns() as f64 / 1e9)
        })?;
        families.counters("clock_jumps", "Jumps of the CPU counter", |emit| {
            emit(&none, clock.tsc_jumps())
        })?;
        families.counters("clock_backwards", "Readings held back from running back", |emit| {
            emit(&none, clock.clock_backwards())
        })?;
        families.gauges("clock_source", "1 at what the clock counts by", None, |emit| {
            emit(&[("source", clock.source().name())], 1.0)
        })
    }
}

fn name_of(lane: &LaneTelemetry) -> &str {
    &lane.lane().spec().name
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a metric is a float; counts beyond 2^53 are rounded"
)]
fn as_gauge(value: u64) -> f64 {
    value as f64
}

#[allow(clippy::cast_precision_loss, reason = "a metric is a float")]
fn as_seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Writes metric families: one call each, so that a name and its help stand together.
struct Families<'a> {
    encoder: DescriptorEncoder<'a>,
}

type Labels<'a> = &'a [(&'a str, &'a str)];

impl Families<'_> {
    fn counters(
        &mut self,
        name: &str,
        help: &str,
        each: impl FnOnce(&mut dyn FnMut(Labels<'_>, u64) -> fmt::Result) -> fmt::Result,
    ) -> fmt::Result {
        let mut family = self.encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        each(&mut |labels, value| {
            family.encode_family(&labels)?.encode_counter::<NoLabelSet, _, f64>(&value, None)
        })
    }

    fn gauges(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        each: impl FnOnce(&mut dyn FnMut(Labels<'_>, f64) -> fmt::Result) -> fmt::Result,
    ) -> fmt::Result {
        let mut family = self.encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
        each(&mut |labels, value| family.encode_family(&labels)?.encode_gauge(&value))
    }

    fn histograms(
        &mut self,
        name: &str,
        help: &str,
        each: impl FnOnce(&mut dyn FnMut(Labels<'_>, &LatencySnapshot) -> fmt::Result) -> fmt::Result,
    ) -> fmt::Result {
        let unit = Some(&Unit::Seconds);
        let mut family = self.encoder.encode_descriptor(name, help, unit, MetricType::Histogram)?;
        each(&mut |labels, snapshot| {
            let (sum, buckets) = buckets(snapshot);
            family.encode_family(&labels)?.encode_histogram::<NoLabelSet>(
                sum,
                snapshot.count(),
                &buckets,
                None,
            )
        })
    }
}

/// Sum in seconds, and the count of each bucket by its upper bound in seconds.
fn buckets(snapshot: &LatencySnapshot) -> (f64, Vec<(f64, u64)>) {
    let mut counts = [0; AGE_BOUNDS_NS.len() + 1];
    let mut sum = 0.0;
    for value in snapshot.histogram.iter_recorded() {
        let ns = value.value_iterated_to();
        let count = value.count_since_last_iteration();
        counts[AGE_BOUNDS_NS.partition_point(|&bound| bound < ns)] += count;
        sum += as_seconds(ns) * as_gauge(count);
    }
    let bounds = AGE_BOUNDS_NS.iter().map(|&ns| as_seconds(ns)).chain([f64::MAX]);
    (sum, bounds.zip(counts).collect())
}
