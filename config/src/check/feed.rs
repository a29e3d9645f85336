//! Feeds: what belongs to which source, and what the engine has room for.

use freshlane_quote::VenueId;

use crate::field::Field;
use crate::model::{EngineConfig, FeedConfig, FeedSource, GeneratorConfig, TestSymbols, WhenFull};
use crate::raw::{RawFeed, RawGenerator, SourceKind};
use crate::source::{Place, Sink};

/// The validated feed, or None where something in it was refused.
pub(super) fn check(raw: &RawFeed, sink: &mut Sink<'_>) -> Option<FeedConfig> {
    let source = match raw.source.given() {
        Some(SourceKind::Generator) => generator_source(raw, sink),
        Some(SourceKind::File) => file_source(raw, sink),
        None => None,
    };
    warn_of_small_order_store(raw, sink);
    Some(FeedConfig {
        name: raw.name.given().cloned()?,
        venue: raw.venue.given().cloned()?,
        protocol: *raw.protocol.given()?,
        source: source?,
        time_zone: raw.time_zone.or(FeedConfig::TIME_ZONE_DEFAULT.to_owned())?,
        future_limit_ns: raw.future_limit_ns.or(FeedConfig::FUTURE_LIMIT_NS_DEFAULT)?,
        ingress_capacity: raw.ingress_capacity.or(FeedConfig::INGRESS_CAPACITY_DEFAULT)?,
        orders_expected: raw.orders_expected.or(FeedConfig::ORDERS_EXPECTED_DEFAULT)?,
        test_symbols: raw.test_symbols.or(TestSymbols::Exclude)?,
        when_full: raw.when_full.or(WhenFull::DropNewest)?,
    })
}

fn generator_source(raw: &RawFeed, sink: &mut Sink<'_>) -> Option<FeedSource> {
    for (name, place) in [
        ("file", raw.file.given().map(|_| &raw.file.place)),
        ("date", raw.date.given().map(|_| &raw.date.place)),
    ] {
        if let Some(place) = place {
            let message = format!("`{name}` belongs to a feed with source = \"file\"");
            sink.error(place, message, format!("remove `{name}`, or write source = \"file\""));
        }
    }
    generator(&raw.generator).map(FeedSource::Generator)
}

fn generator(raw: &RawGenerator) -> Option<GeneratorConfig> {
    let default = GeneratorConfig::default();
    Some(GeneratorConfig {
        symbols: u16::try_from(raw.symbols.or(default.symbols.into())?).ok()?,
        seed: raw.seed.or(default.seed)?,
        rate_per_s: raw.rate_per_s.or(default.rate_per_s)?,
        live_orders: raw.live_orders.optional()?,
    })
}

fn file_source(raw: &RawFeed, sink: &mut Sink<'_>) -> Option<FeedSource> {
    if raw.generator.is_given {
        let message = "[feed.generator] belongs to a feed with source = \"generator\"";
        let help = "remove the table, or write source = \"generator\"";
        sink.error(&raw.generator.place, message, help);
    }
    if raw.file.is_absent() {
        let message = "`file` is missing from a feed with source = \"file\"";
        sink.error(&raw.file.place, message, "add `file = …`: the path of a capture");
    }
    let path = raw.file.given().cloned()?;
    Some(FeedSource::File { path, date: raw.date.optional()? })
}

fn warn_of_small_order_store(raw: &RawFeed, sink: &mut Sink<'_>) {
    let live = raw.generator.live_orders.given();
    let expected = raw.orders_expected.or(FeedConfig::ORDERS_EXPECTED_DEFAULT);
    let (Some(live), Some(expected)) = (live, expected) else {
        return;
    };
    if *live > expected {
        let message = format!("{live} live orders are more than orders_expected = {expected}");
        let help = format!("write orders_expected = {live} in this feed");
        sink.warning(&raw.generator.live_orders.place, message, help);
    }
}

/// Tables by venue have a fixed number of rows.
pub(super) fn report_too_many_venues(feeds: &[RawFeed], sink: &mut Sink<'_>) {
    let mut venues: Vec<&str> = Vec::new();
    for feed in feeds {
        let Some(venue) = feed.venue.given().filter(|venue| !venues.contains(&venue.as_str()))
        else {
            continue;
        };
        if venues.len() == VenueId::COUNT_MAX {
            let message = format!("`{venue}` is one venue more than the {} that fit", venues.len());
            sink.error(&feed.venue.place, message, "remove the feeds of this and further venues");
            return;
        }
        venues.push(venue);
    }
}

/// Every symbol that the generators list needs room in the symbol directory.
pub(super) fn report_too_many_symbols(
    feeds: &[RawFeed],
    instruments_max: &Field<usize>,
    sink: &mut Sink<'_>,
) {
    let Some(instruments_max) = instruments_max.or(EngineConfig::default().instruments_max) else {
        return;
    };
    let mut symbols_sum = 0_usize;
    for (symbols, place) in feeds.iter().filter_map(generated_symbols) {
        symbols_sum = symbols_sum.saturating_add(symbols);
        if symbols_sum > instruments_max {
            let message = format!(
                "with these symbols the generators list {symbols_sum}, and the symbol directory \
                 holds {instruments_max}"
            );
            let help = format!("write instruments_max = {symbols_sum} or more in [engine]");
            sink.error(place, message, help);
            return;
        }
    }
}

fn generated_symbols(feed: &RawFeed) -> Option<(usize, &Place)> {
    if feed.source.given() != Some(&SourceKind::Generator) {
        return None;
    }
    let symbols = feed.generator.symbols.or(GeneratorConfig::default().symbols.into())?;
    Some((usize::try_from(symbols).ok()?, &feed.generator.symbols.place))
}
