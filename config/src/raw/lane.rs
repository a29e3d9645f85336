//! `[[lane]]` as written.

use toml_edit::Item;

use super::words;
use crate::duration::parse_duration_or_zero;
use crate::field::Field;
use crate::model::{ConsumerKind, LaneConfig, Overflow};
use crate::schema;
use crate::section::{Section, ticked};
use crate::source::{Place, Sink};
use crate::topic;
use crate::value::{self, Zero};

/// A time to live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ttl {
    Off,
    Ns(u64),
}

impl Ttl {
    pub(crate) fn ns(self) -> Option<u64> {
        match self {
            Self::Off => None,
            Self::Ns(ns) => Some(ns),
        }
    }
}

/// `[[lane]]` with `[lane.consumer]`
pub(crate) struct RawLane {
    pub(crate) place: Place,
    pub(crate) name: Field<String>,
    pub(crate) ttl: Field<Ttl>,
    pub(crate) margin_ns: Field<u64>,
    pub(crate) capacity: Field<usize>,
    pub(crate) overflow: Field<Overflow>,
    pub(crate) allow_block_live: Field<bool>,
    pub(crate) topics: Field<Vec<(String, Place)>>,
    pub(crate) exclude: Field<Vec<(String, Place)>>,
    pub(crate) expected_rate_per_s: Field<u64>,
    pub(crate) consumer_kind: Field<ConsumerKind>,
    pub(crate) service_time_ns: Field<u64>,
}

impl RawLane {
    pub(super) fn read(section: &Section<'_>, sink: &mut Sink<'_>) -> Self {
        let rate_max = LaneConfig::EXPECTED_RATE_PER_S_MAX;
        let consumer = section.section("consumer", &schema::CONSUMER, sink);
        Self {
            place: section.place.clone(),
            name: section.text("name", sink, words::name),
            ttl: section.take("ttl", sink, read_ttl),
            margin_ns: section.duration("margin", Zero::MeansNone, sink),
            capacity: section.count("capacity", LaneConfig::CAPACITY_MAX, sink),
            overflow: section.take("overflow", sink, read_overflow),
            allow_block_live: section.flag("allow_block_live", sink),
            topics: section.take("topics", sink, |item, place, sink| {
                let topics = read_topics(item, place, sink)?;
                if topics.is_empty() {
                    let help = format!("write [\"{}\"] for everything", LaneConfig::TOPIC_ALL);
                    sink.error(place, "a lane without topics takes nothing", help);
                    return None;
                }
                Some(topics)
            }),
            exclude: section.take("exclude", sink, read_topics),
            expected_rate_per_s: section.integer("expected_rate", 1..=rate_max, sink),
            consumer_kind: consumer.choice("kind", &ConsumerKind::NAMES, sink),
            service_time_ns: consumer.duration("service_time", Zero::MeansNone, sink),
        }
    }
}

fn read_ttl(item: &Item, place: &Place, sink: &mut Sink<'_>) -> Option<Ttl> {
    match item.as_str() {
        Some("off") => Some(Ttl::Off),
        Some(text) if parse_duration_or_zero(text) == Ok(0) => {
            let message = format!("{}: with a TTL of zero nothing is ever fresh", ticked(text));
            sink.error(place, message, "write \"off\" if nothing is to expire");
            None
        }
        _ => value::duration(item, Zero::Refused, place, sink).map(Ttl::Ns),
    }
}

fn read_overflow(item: &Item, place: &Place, sink: &mut Sink<'_>) -> Option<Overflow> {
    let overflow = value::choice(item, &Overflow::NAMES, place, sink)?;
    if !overflow.is_available() {
        let message = format!("`{}` is not available yet in this version", overflow.name());
        sink.error(place, message, "use \"drop_newest\"");
        return None;
    }
    Some(overflow)
}

fn read_topics(item: &Item, place: &Place, sink: &mut Sink<'_>) -> Option<Vec<(String, Place)>> {
    const WANTED: &str = "a list, such as [\"market-data.#\"]";
    value::texts(item, WANTED, topic::check_syntax, place, sink)
}
