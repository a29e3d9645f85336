//! Lanes: topics and overflow against the feeds.

use super::{Surroundings, timing};
use crate::model::{ConsumerConfig, ConsumerKind, LaneConfig, Overflow};
use crate::raw::{RawLane, Ttl};
use crate::section::ticked;
use crate::source::{Place, Sink};
use crate::suggest::nearest;
use crate::topic::{can_select, half_wildcard};

/// The validated lane, or None where something in it was refused.
pub(super) fn check(
    raw: &RawLane,
    surroundings: &Surroundings<'_>,
    sink: &mut Sink<'_>,
) -> Option<LaneConfig> {
    report_block_on_live(raw, surroundings, sink);
    warn_of_idle_topics(raw, surroundings, sink);
    timing::check(raw, sink);
    let ttl_ns = raw.ttl.given().copied()?.ns();
    let margin_ns = raw.margin_ns.or(LaneConfig::margin_ns_default(ttl_ns))?;
    let consumer = ConsumerConfig::default();
    Some(LaneConfig {
        name: raw.name.given().cloned()?,
        ttl_ns,
        // Without a TTL there is nothing that a margin could be left of.
        margin_ns: ttl_ns.map_or(0, |_| margin_ns),
        capacity: *raw.capacity.given()?,
        overflow: raw.overflow.or(Overflow::DropNewest)?,
        allow_block_live: raw.allow_block_live.or(false)?,
        topics: texts(raw.topics.or(vec![everything(raw)])?),
        exclude: texts(raw.exclude.or(Vec::new())?),
        expected_rate_per_s: raw.expected_rate_per_s.optional()?,
        consumer: ConsumerConfig {
            kind: raw.consumer_kind.or(ConsumerKind::Work)?,
            service_time_ns: raw.service_time_ns.or(consumer.service_time_ns)?,
        },
    })
}

fn everything(raw: &RawLane) -> (String, Place) {
    (LaneConfig::TOPIC_ALL.to_owned(), raw.topics.place.clone())
}

fn texts(topics: Vec<(String, Place)>) -> Vec<String> {
    topics.into_iter().map(|(topic, _)| topic).collect()
}

/// A lane that blocks lets its consumer stop the bus, and with it every other lane.
fn report_block_on_live(raw: &RawLane, surroundings: &Surroundings<'_>, sink: &mut Sink<'_>) {
    let (Some(overflow), Some(is_allowed)) =
        (raw.overflow.or(Overflow::DropNewest), raw.allow_block_live.or(false))
    else {
        return;
    };
    if is_allowed && overflow != Overflow::Block {
        let message = "allow_block_live does nothing on a lane that does not block";
        sink.warning(&raw.allow_block_live.place, message, "remove it");
    }
    if !is_allowed && overflow == Overflow::Block && takes_live_quotes(raw, surroundings) {
        let message =
            "a lane that blocks on a live feed lets one slow consumer stop all the others";
        let help = "write \"drop_newest\", or add `allow_block_live = true` if it is meant";
        sink.error(&raw.overflow.place, message, help);
    }
}

fn takes_live_quotes(raw: &RawLane, surroundings: &Surroundings<'_>) -> bool {
    let Some(topics) = raw.topics.or(vec![everything(raw)]) else {
        return false;
    };
    let is_selected = |venue: &&str| topics.iter().any(|(topic, _)| can_select(topic, venue));
    surroundings.live_venues.iter().any(is_selected)
}

/// Patterns that select nothing, or not what they seem to.
fn warn_of_idle_topics(raw: &RawLane, surroundings: &Surroundings<'_>, sink: &mut Sink<'_>) {
    let Some(venues) = &surroundings.venues else {
        return;
    };
    let lists = [raw.topics.given(), raw.exclude.given()];
    for (topic, place) in lists.into_iter().flatten().flatten() {
        if !venues.iter().any(|venue| can_select(topic, venue)) {
            let message = format!("{} matches nothing", ticked(topic));
            sink.warning(place, message, idle_topic_help(topic, venues));
        } else if let Some(word) = half_wildcard(topic) {
            let message = format!("{} is a symbol with a star here and no prefix", ticked(word));
            sink.warning(place, message, "`*` is a wildcard only as a whole word");
        }
    }
    let swallows_all = |(topic, _): &&(String, Place)| topic == LaneConfig::TOPIC_ALL;
    if let Some((_, place)) = raw.exclude.given().and_then(|list| list.iter().find(swallows_all)) {
        sink.warning(place, "this excludes everything that the lane could take", "remove it");
    }
}

fn idle_topic_help(topic: &str, venues: &[&str]) -> String {
    let written = topic.split('.').nth(1).unwrap_or_default();
    if let Some(venue) = nearest(written, venues.iter().copied()) {
        return match topic.splitn(3, '.').nth(2) {
            Some(symbol) => {
                format!("write \"market-data.{venue}.{}\"", crate::source::plain(symbol))
            }
            None => format!("write \"market-data.{venue}.#\" for the whole venue"),
        };
    }
    let mut distinct = venues.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    format!("the configured venues are {}", distinct.join(", "))
}

impl RawLane {
    /// The TTL and the margin in ns, where both are known and one is below the other.
    pub(super) fn ttl_and_margin_ns(&self) -> Option<(Option<u64>, u64)> {
        let ttl_ns = self.ttl.given().copied().map(Ttl::ns)?;
        let margin_ns = self.margin_ns.or(LaneConfig::margin_ns_default(ttl_ns))?;
        ttl_ns.is_none_or(|ttl_ns| margin_ns < ttl_ns).then_some((ttl_ns, margin_ns))
    }
}
