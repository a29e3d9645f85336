//! Lanes: TTL, margin, capacity, expected rate and service time against each other.

use crate::duration::format_duration;
use crate::model::LaneConfig;
use crate::raw::{RawLane, Ttl};
use crate::source::Sink;

const SECOND_NS: u64 = 1_000_000_000;

/// What is known of a lane's time, ns and quotes.
struct Timing {
    /// None where nothing expires.
    ttl_ns: Option<u64>,
    /// The age up to which quotes are handed over: TTL minus margin; None where nothing expires.
    age_ns_max: Option<u64>,
    capacity: Option<usize>,
    service_time_ns: Option<u64>,
    rate_per_s: Option<u64>,
}

pub(super) fn check(raw: &RawLane, sink: &mut Sink<'_>) {
    report_margin(raw, sink);
    let Some((ttl_ns, margin_ns)) = raw.ttl_and_margin_ns() else {
        return;
    };
    let timing = Timing {
        ttl_ns,
        age_ns_max: ttl_ns.map(|ttl_ns| ttl_ns - margin_ns),
        capacity: raw.capacity.given().copied(),
        service_time_ns: raw.service_time_ns.or(0),
        rate_per_s: raw.expected_rate_per_s.given().copied(),
    };
    let is_hopeless = report_service_time(&timing, raw, sink);
    if is_hopeless || warn_of_slow_consumer(&timing, raw, sink) {
        // No capacity mends that, so there is nothing to say about it.
        return;
    }
    warn_of_small_capacity(&timing, raw, sink);
    warn_of_large_capacity(&timing, raw, sink);
}

fn report_margin(raw: &RawLane, sink: &mut Sink<'_>) {
    let (Some(ttl), Some(&margin_ns)) = (raw.ttl.given(), raw.margin_ns.given()) else {
        return;
    };
    let margin = format_duration(margin_ns);
    match *ttl {
        Ttl::Off if margin_ns > 0 => {
            let message = format!("a margin of {margin} does nothing on a lane that never expires");
            sink.warning(&raw.margin_ns.place, message, "remove it");
        }
        Ttl::Ns(ttl_ns) if margin_ns >= ttl_ns => {
            let ttl = format_duration(ttl_ns);
            let message = format!(
                "a margin of {margin} leaves nothing of the TTL of {ttl}: no quote would be handed \
                 over"
            );
            let default = format_duration(LaneConfig::margin_ns_default(Some(ttl_ns)));
            let help = format!("write less than \"{ttl}\"; the default would be \"{default}\"");
            sink.error(&raw.margin_ns.place, message, help);
        }
        _ => {}
    }
}

/// A consumer that works longer than its quotes live can never take two in a row. Returns whether
/// that is so.
fn report_service_time(timing: &Timing, raw: &RawLane, sink: &mut Sink<'_>) -> bool {
    let (Some(service_ns), Some(age_ns_max)) = (timing.service_time_ns, timing.age_ns_max) else {
        return false;
    };
    if service_ns <= age_ns_max {
        return false;
    }
    let service = format_duration(service_ns);
    let age = format_duration(age_ns_max);
    let message = format!(
        "the consumer works {service} on a quote, and quotes are handed over for {age} only (ttl \
         minus margin): whatever waits for it expires"
    );
    sink.error(
        &raw.service_time_ns.place,
        message,
        format!("write at most \"{age}\", or raise the ttl"),
    );
    true
}

/// What is expected within a TTL (without one: within a second) must be worked off while it is
/// fresh. Returns whether it cannot.
fn warn_of_slow_consumer(timing: &Timing, raw: &RawLane, sink: &mut Sink<'_>) -> bool {
    let (Some(service_ns), Some(rate_per_s)) = (timing.service_time_ns, timing.rate_per_s) else {
        return false;
    };
    let window_ns = timing.ttl_ns.unwrap_or(SECOND_NS);
    let limit_ns = timing.age_ns_max.unwrap_or(SECOND_NS);
    let arriving = quotes_within(rate_per_s, window_ns);
    let work_ns = arriving.saturating_mul(service_ns);
    if work_ns <= limit_ns {
        return false;
    }
    let message = format!(
        "{arriving} quotes are expected within {}, and working them off takes {}; there is time \
         for {}",
        format_duration(window_ns),
        format_duration(work_ns),
        format_duration(limit_ns),
    );
    let help = match limit_ns / arriving.max(1) {
        0 => "take fewer topics, or lower expected_rate".to_owned(),
        service_ns_max => format!(
            "write service_time = \"{}\" or less, or take fewer topics",
            format_duration(service_ns_max)
        ),
    };
    sink.warning(&raw.service_time_ns.place, message, help);
    true
}

/// A lane that holds less than arrives within a TTL drops quotes that are still fresh.
fn warn_of_small_capacity(timing: &Timing, raw: &RawLane, sink: &mut Sink<'_>) {
    let (Some(capacity), Some(ttl_ns), Some(rate_per_s)) =
        (timing.capacity, timing.ttl_ns, timing.rate_per_s)
    else {
        return;
    };
    let needed = quotes_within(rate_per_s, ttl_ns);
    if as_u64(capacity) >= needed {
        return;
    }
    let message = format!(
        "{capacity} quotes are fewer than the {needed} that arrive within the ttl at \
         expected_rate: when the consumer pauses, quotes that are still fresh are lost"
    );
    let help = if needed <= as_u64(LaneConfig::CAPACITY_MAX) {
        format!("write capacity = {needed} or more")
    } else {
        "lower the ttl, or take fewer topics".to_owned()
    };
    sink.warning(&raw.capacity.place, message, help);
}

/// The tail of a full lane that takes longer to work off than quotes live always expires.
fn warn_of_large_capacity(timing: &Timing, raw: &RawLane, sink: &mut Sink<'_>) {
    let (Some(capacity), Some(age_ns_max), Some(service_ns)) =
        (timing.capacity, timing.age_ns_max, timing.service_time_ns)
    else {
        return;
    };
    let drain_ns = as_u64(capacity).saturating_mul(service_ns);
    if drain_ns <= age_ns_max {
        return;
    }
    let message = format!(
        "a full lane of {capacity} takes {} to work off, and quotes are handed over for {} (ttl \
         minus margin): its tail always expires",
        format_duration(drain_ns),
        format_duration(age_ns_max),
    );
    let useful = age_ns_max / service_ns.max(1);
    sink.warning(&raw.capacity.place, message, format!("write capacity = {useful} or less"));
}

/// How many quotes arrive within `window_ns`, rounded up.
fn quotes_within(rate_per_s: u64, window_ns: u64) -> u64 {
    let quotes = (u128::from(rate_per_s) * u128::from(window_ns)).div_ceil(SECOND_NS.into());
    u64::try_from(quotes).unwrap_or(u64::MAX)
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
