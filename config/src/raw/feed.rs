//! `[[feed]]` as written.

use std::path::PathBuf;

use jiff::civil::Date;
use toml_edit::Item;

use super::words;
use crate::field::Field;
use crate::model::{FeedConfig, GeneratorConfig, Protocol, TestSymbols, WhenFull};
use crate::schema;
use crate::section::Section;
use crate::source::{Place, Sink};
use crate::value::{self, Zero};

/// Where the bytes come from, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SourceKind {
    Generator,
    File,
}

impl SourceKind {
    const NAMES: [(&'static str, Self); 2] = [("generator", Self::Generator), ("file", Self::File)];
}

/// `[[feed]]`
pub(crate) struct RawFeed {
    pub(crate) place: Place,
    pub(crate) name: Field<String>,
    pub(crate) venue: Field<String>,
    pub(crate) protocol: Field<Protocol>,
    pub(crate) source: Field<SourceKind>,
    pub(crate) file: Field<PathBuf>,
    pub(crate) date: Field<Date>,
    pub(crate) time_zone: Field<String>,
    pub(crate) future_limit_ns: Field<u64>,
    pub(crate) ingress_capacity: Field<usize>,
    pub(crate) orders_expected: Field<usize>,
    pub(crate) test_symbols: Field<TestSymbols>,
    pub(crate) when_full: Field<WhenFull>,
    pub(crate) generator: RawGenerator,
}

/// `[feed.generator]`
pub(crate) struct RawGenerator {
    pub(crate) place: Place,
    pub(crate) is_given: bool,
    pub(crate) symbols: Field<u64>,
    pub(crate) seed: Field<u64>,
    pub(crate) rate_per_s: Field<u64>,
    pub(crate) live_orders: Field<usize>,
}

impl RawFeed {
    pub(super) fn read(section: &Section<'_>, sink: &mut Sink<'_>) -> Self {
        let ingress_capacity_max = FeedConfig::INGRESS_CAPACITY_MAX;
        let generator = section.section("generator", &schema::GENERATOR, sink);
        Self {
            place: section.place.clone(),
            name: section.text("name", sink, words::name),
            venue: section.text("venue", sink, words::venue),
            protocol: section.choice("protocol", &Protocol::NAMES, sink),
            source: section.choice("source", &SourceKind::NAMES, sink),
            file: section.text("file", sink, words::path),
            date: section.take("date", sink, read_date),
            time_zone: section.text("time_zone", sink, words::time_zone),
            future_limit_ns: section.duration("future_limit", Zero::Refused, sink),
            ingress_capacity: section.count("ingress_capacity", ingress_capacity_max, sink),
            orders_expected: section.count("orders_expected", FeedConfig::ORDERS_LIMIT, sink),
            test_symbols: section.choice("test_symbols", &TestSymbols::NAMES, sink),
            when_full: section.choice("when_full", &WhenFull::NAMES, sink),
            generator: RawGenerator::read(&generator, sink),
        }
    }
}

/// A date in quotation marks or, as TOML has dates of its own, without.
fn read_date(item: &Item, place: &Place, sink: &mut Sink<'_>) -> Option<Date> {
    const WANTED: &str = "a date, such as \"2026-12-01\"";
    let bare = item.as_datetime().filter(|day| day.time.is_none() && day.offset.is_none());
    let text = match bare.and_then(|day| day.date) {
        Some(date) => date.to_string(),
        None => value::text(item, WANTED, place, sink)?.to_owned(),
    };
    words::date(&text).map_err(|(message, help)| sink.error(place, message, help)).ok()
}

impl RawGenerator {
    fn read(section: &Section<'_>, sink: &mut Sink<'_>) -> Self {
        let rate_max = GeneratorConfig::RATE_PER_S_MAX;
        Self {
            place: section.place.clone(),
            is_given: section.is_given(),
            symbols: section.integer("symbols", 1..=u64::from(u16::MAX), sink),
            seed: section.integer("seed", 0..=u64::MAX, sink),
            rate_per_s: section.integer("rate", 1..=rate_max, sink),
            live_orders: section.count("live_orders", FeedConfig::ORDERS_LIMIT, sink),
        }
    }
}
