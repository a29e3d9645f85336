//! What a run or a replay came to: one structure for JSON and for the table.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use freshlane_bus::VenueLedger;
use freshlane_consumers::{LaneTelemetry, LatencySnapshot};
use freshlane_feed_handlers::ledger::Outcome;
use serde::Serialize;

use crate::telemetry::{FeedTelemetry, Telemetry};

/// The report of a whole topology.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was replayed; absent for a live run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<ReportInput>,
    /// One a feed.
    pub feeds: Vec<FeedReport>,
    /// The bus.
    pub bus: BusReport,
    /// One a lane, in the order of the configuration.
    pub lanes: Vec<LaneReport>,
    /// Sum of all ledgers' imbalances; 0, or something was lost.
    pub ledger_imbalance: u64,
}

/// The capture of a replay.
#[derive(Clone, Debug, Serialize)]
pub struct ReportInput {
    /// The file.
    pub file: String,
    /// Its session date, `YYYY-MM-DD`.
    pub session_date: String,
    /// Whether it ended with a whole record.
    pub complete: bool,
    /// How it ended, in words.
    pub end: String,
    /// Bytes of framed records, lengths included.
    pub framed_bytes: u64,
    /// Bytes that belong to no record.
    pub unframed_bytes: u64,
}

/// One feed's ledger.
#[derive(Clone, Debug, Serialize)]
pub struct FeedReport {
    /// The feed's name.
    pub name: String,
    /// The venue.
    pub venue: String,
    /// Messages.
    pub received: u64,
    /// Messages by what became of them; they add up to `received`.
    #[serde(flatten)]
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Feed events handed on.
    pub events: u64,
    /// Feed events that the ingress ring refused.
    pub events_refused: u64,
    /// Reductions by more shares than were left.
    pub clamped: u64,
    /// Replaces whose new order was refused.
    pub refused_replacements: u64,
    /// Messages with a time beyond the day.
    pub bad_timestamps: u64,
    /// Bytes of messages.
    pub bytes: u64,
    /// Orders that live at the end.
    pub live_orders: u64,
    /// Times that book memory had to grow.
    pub book_growths: u64,
}

/// The bus's counters.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct BusReport {
    /// Records taken from ingress rings.
    pub received: u64,
    /// Records that no lane wants.
    pub unrouted: u64,
}

/// One lane's ledger and latencies.
#[derive(Clone, Debug, Serialize)]
pub struct LaneReport {
    /// The lane's name.
    pub name: String,
    /// Time to live, ns; null = off.
    pub ttl_ns: Option<u64>,
    /// Freshness margin, ns.
    pub margin_ns: u64,
    /// Quotes that fit.
    pub capacity: usize,
    /// Overflow policy.
    pub overflow: &'static str,
    /// Quotes that the bus offered.
    pub offered: u64,
    /// Quotes handed to the consumer.
    pub delivered: u64,
    /// Quotes too old at the gate.
    pub expired: u64,
    /// Quotes dropped, all reasons.
    pub dropped: u64,
    /// Quotes dropped, by reason.
    pub dropped_by_reason: BTreeMap<&'static str, u64>,
    /// Quotes replaced by a later one of their instrument.
    pub conflated: u64,
    /// Quotes still in the lane.
    pub queued: u64,
    /// Feed events handed to the consumer.
    pub events_delivered: u64,
    /// Feed events dropped.
    pub events_dropped: u64,
    /// The same by venue, for venues that the lane has seen.
    pub venues: BTreeMap<String, VenueReport>,
    /// Age at hand-over: hand-over − ts_recv, ns.
    pub latency_ns: Percentiles,
    /// Hand-over − ts_event, ns.
    pub end_to_end_ns: Percentiles,
    /// Age of expired quotes at the gate, ns.
    pub age_at_drop_ns: Percentiles,
    /// xxh3-128 over the delivered records in order; only in replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What the consumer said when it panicked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub panic: Option<String>,
    /// The ledger's imbalance; 0, or something was lost.
    pub ledger_imbalance: u64,
}

/// One venue's share of a lane's ledger.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct VenueReport {
    /// Quotes that the bus offered.
    pub offered: u64,
    /// Quotes handed to the consumer.
    pub delivered: u64,
    /// Quotes too old at the gate.
    pub expired: u64,
    /// Quotes dropped.
    pub dropped: u64,
}

/// Percentiles of a latency, ns.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Percentiles {
    /// Median.
    pub p50: u64,
    /// 90 %.
    pub p90: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p99_9: u64,
    /// Greatest, exact.
    pub max: u64,
    /// Samples.
    pub count: u64,
    /// Samples beyond the histogram's range; they count at its end.
    pub saturated: u64,
}

impl Percentiles {
    /// Those of a snapshot.
    #[must_use]
    pub fn of(snapshot: &LatencySnapshot) -> Self {
        let at = |quantile| snapshot.value_at_quantile_ns(quantile);
        Self {
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p99_9: at(0.999),
            max: snapshot.max_ns,
            count: snapshot.count(),
            saturated: snapshot.saturated,
        }
    }
}

impl Report {
    /// What `telemetry` says now. `venues` are the names by venue id; `digests` one a lane, in
    /// replay.
    #[must_use]
    pub fn of(telemetry: &Telemetry, venues: &[&str], digests: &[String]) -> Self {
        let bus = telemetry.bus.as_ref().map_or(BusReport::default(), |bus| BusReport {
            received: bus.received.get(),
            unrouted: bus.unrouted.get(),
        });
        let lanes = telemetry.lanes.iter().enumerate();
        Self {
            input: None,
            feeds: telemetry.feeds.iter().map(feed_report).collect(),
            bus,
            lanes: lanes.map(|(i, lane)| lane_report(lane, venues, digests.get(i))).collect(),
            ledger_imbalance: telemetry.imbalance(),
        }
    }

    /// Whether every ledger adds up.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        self.ledger_imbalance == 0
    }
}

fn feed_report(feed: &FeedTelemetry) -> FeedReport {
    let ledger = &feed.ledger;
    FeedReport {
        name: feed.name.clone(),
        venue: feed.venue.clone(),
        received: ledger.received.get(),
        outcomes: Outcome::NAMES.map(|(outcome, name)| (name, ledger.outcome(outcome))).into(),
        events: ledger.events.get(),
        events_refused: ledger.events_refused.get(),
        clamped: ledger.clamped.get(),
        refused_replacements: ledger.refused_replacements.get(),
        bad_timestamps: ledger.bad_timestamps.get(),
        bytes: ledger.bytes.get(),
        live_orders: ledger.live_orders.get(),
        book_growths: ledger.book_growths.get(),
    }
}

fn lane_report(lane: &LaneTelemetry, venues: &[&str], digest: Option<&String>) -> LaneReport {
    let ledger = lane.ledger();
    let total = ledger.total();
    let spec = lane.lane().spec();
    let by_venue = venues.iter().zip(&ledger.venues).filter(|(_, row)| row.offered != 0);
    LaneReport {
        name: spec.name.to_string(),
        ttl_ns: spec.ttl_ns,
        margin_ns: spec.margin_ns,
        capacity: spec.capacity,
        overflow: spec.overflow.name(),
        offered: total.offered,
        delivered: total.delivered,
        expired: total.expired,
        dropped: total.dropped.total(),
        dropped_by_reason: total.dropped.by_reason().into(),
        // No policy of this version conflates.
        conflated: 0,
        queued: ledger.queued(),
        events_delivered: ledger.events.delivered,
        events_dropped: ledger.events.dropped,
        venues: by_venue.map(|(name, row)| ((*name).to_owned(), venue_report(row))).collect(),
        latency_ns: Percentiles::of(&lane.age_at_handover.snapshot()),
        end_to_end_ns: Percentiles::of(&lane.end_to_end.snapshot()),
        age_at_drop_ns: Percentiles::of(&lane.age_at_drop.snapshot()),
        digest: digest.cloned(),
        panic: lane.panic_message().map(str::to_owned),
        ledger_imbalance: ledger.imbalance(),
    }
}

fn venue_report(row: &VenueLedger) -> VenueReport {
    VenueReport {
        offered: row.offered,
        delivered: row.delivered,
        expired: row.expired,
        dropped: row.dropped.total(),
    }
}

/// The lanes as a table for people.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for feed in &self.feeds {
            let quoted = feed.outcomes.get("quoted").copied().unwrap_or(0);
            writeln!(
                f,
                "feed {} ({}): {} messages, {} quotes, {} events, {} malformed, {} unknown \
                 references, {} future, {} refused by a full ring",
                feed.name,
                feed.venue,
                grouped(feed.received),
                grouped(quoted),
                grouped(feed.events),
                grouped(feed.outcomes.get("malformed").copied().unwrap_or(0)),
                grouped(feed.outcomes.get("unknown_reference").copied().unwrap_or(0)),
                grouped(feed.outcomes.get("future").copied().unwrap_or(0)),
                grouped(feed.outcomes.get("ingress_full").copied().unwrap_or(0)),
            )?;
        }
        if self.bus.unrouted != 0 {
            writeln!(f, "bus: {} records match no lane's topics", grouped(self.bus.unrouted))?;
        }
        f.write_str(&self.lane_table())?;
        match self.ledger_imbalance {
            0 => write!(f, "ledger: balanced, every quote is accounted for"),
            lost => write!(f, "ledger: IMBALANCE of {}: quotes are unaccounted for", grouped(lost)),
        }
    }
}

impl Report {
    fn lane_table(&self) -> String {
        let head = [
            "lane",
            "ttl",
            "offered",
            "delivered",
            "expired",
            "expired %",
            "dropped",
            "queued",
            "age p50",
            "p99",
            "p99.9",
            "max",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(self.lanes.iter().map(LaneReport::row));
        aligned(&rows)
    }
}

impl LaneReport {
    /// Expired quotes among those that reached the gate, per cent.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "for showing, with two decimals")]
    pub fn expired_percent(&self) -> f64 {
        let judged = self.delivered + self.expired;
        if judged == 0 { 0.0 } else { self.expired as f64 * 100.0 / judged as f64 }
    }

    fn row(&self) -> Vec<String> {
        let age = &self.latency_ns;
        vec![
            self.name.clone(),
            self.ttl_ns.map_or("off".to_owned(), freshlane_config::format_duration),
            grouped(self.offered),
            grouped(self.delivered),
            grouped(self.expired),
            format!("{:.2}", self.expired_percent()),
            grouped(self.dropped),
            grouped(self.queued),
            shown_ns(age.p50),
            shown_ns(age.p99),
            shown_ns(age.p99_9),
            shown_ns(age.max),
        ]
    }
}

/// Rows of equal length as columns: the first to the left, the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut table = String::new();
    for row in rows {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(table, "{cell:<width$}"),
                _ => write!(table, "  {cell:>width$}"),
            };
        }
        table.push('\n');
    }
    table
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i != 0 && (digits.len() - i).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// ns with three significant digits and the unit that suits them.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "for showing, with three digits")]
pub fn shown_ns(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_for_people() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0, 999, 1_000, 45_600, 123_456_789, 7_000_000_000].map(shown_ns),
            ["0 ns", "999 ns", "1.00 µs", "45.6 µs", "123 ms", "7.00 s"]
        );
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "22".to_owned()]];
        assert_eq!(aligned(&rows), "a     1\nbcd  22\n");
    }
}
