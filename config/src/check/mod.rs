//! What values may be beside each other, and the step from raw to validated.

mod feed;
mod lane;
mod timing;

use std::collections::HashMap;

use crate::field::Field;
use crate::model::{AdminConfig, EngineConfig, FeedConfig, LaneConfig};
use crate::raw::{RawConfig, SourceKind};
use crate::source::{Place, Sink};

/// The validated tables.
pub(crate) type Checked = (EngineConfig, AdminConfig, Vec<FeedConfig>, Vec<LaneConfig>);

/// The validated tables, or None where an error was reported, here or while reading.
pub(crate) fn check(raw: &RawConfig, sink: &mut Sink<'_>) -> Option<Checked> {
    let feeds = raw.feeds.given().map_or(&[][..], Vec::as_slice);
    let lanes = raw.lanes.given().map_or(&[][..], Vec::as_slice);
    let surroundings = Surroundings::of(raw);
    report_count(&raw.feeds, |feed| &feed.place, "[[feed]]", FeedConfig::COUNT_MAX, sink);
    report_count(&raw.lanes, |lane| &lane.place, "[[lane]]", LaneConfig::COUNT_MAX, sink);
    report_repeated(feeds.iter().map(|feed| &feed.name), "feed", sink);
    report_repeated(lanes.iter().map(|lane| &lane.name), "lane", sink);
    feed::report_too_many_venues(feeds, sink);
    feed::report_too_many_symbols(feeds, &raw.engine.instruments_max, sink);
    // Every feed and lane is checked, whatever is wrong with the one before.
    let feeds: Vec<_> = feeds.iter().map(|raw| feed::check(raw, sink)).collect();
    let lanes: Vec<_> = lanes.iter().map(|raw| lane::check(raw, &surroundings, sink)).collect();
    if sink.has_errors() {
        return None;
    }
    let engine = engine(raw)?;
    let admin = admin(raw)?;
    let feeds = feeds.into_iter().collect::<Option<_>>()?;
    let lanes = lanes.into_iter().collect::<Option<_>>()?;
    Some((engine, admin, feeds, lanes))
}

fn engine(raw: &RawConfig) -> Option<EngineConfig> {
    let raw = &raw.engine;
    let default = EngineConfig::default();
    Some(EngineConfig {
        cores: raw.cores.or(default.cores)?,
        idle: raw.idle.or(default.idle)?,
        clock: raw.clock.or(default.clock)?,
        shutdown_timeout_ns: raw.shutdown_timeout_ns.or(default.shutdown_timeout_ns)?,
        instruments_max: raw.instruments_max.or(default.instruments_max)?,
    })
}

fn admin(raw: &RawConfig) -> Option<AdminConfig> {
    let raw = &raw.admin;
    let default = AdminConfig::default();
    Some(AdminConfig {
        enabled: raw.enabled.or(default.enabled)?,
        listen: raw.listen.or(default.listen)?,
    })
}

/// What a lane has to know of the feeds.
pub(crate) struct Surroundings<'r> {
    /// The venue of every feed; None where one of them was refused or may be missing.
    pub(crate) venues: Option<Vec<&'r str>>,
    /// The venues of the live feeds, as far as they are known.
    pub(crate) live_venues: Vec<&'r str>,
}

impl<'r> Surroundings<'r> {
    fn of(raw: &'r RawConfig) -> Self {
        let feeds = raw.feeds.given().map_or(&[][..], Vec::as_slice);
        let venues = feeds.iter().map(|feed| feed.venue.given().map(String::as_str));
        let venues = venues.collect::<Option<Vec<_>>>();
        let is_complete = !raw.is_doubtful && !feeds.is_empty();
        let live = feeds.iter().filter(|feed| feed.source.given() == Some(&SourceKind::Generator));
        Self {
            venues: venues.filter(|_| is_complete),
            live_venues: live.filter_map(|feed| feed.venue.given().map(String::as_str)).collect(),
        }
    }
}

fn report_count<T>(
    list: &Field<Vec<T>>,
    place: fn(&T) -> &Place,
    header: &str,
    count_max: usize,
    sink: &mut Sink<'_>,
) {
    let Some(entries) = list.given() else {
        return;
    };
    if entries.is_empty() {
        let message = format!("there is no {header}");
        sink.error(&list.place, message, format!("add at least one {header}"));
    }
    if let Some(first_too_many) = entries.get(count_max) {
        let message = format!("there are {} {header}, and {count_max} fit", entries.len());
        sink.error(place(first_too_many), message, "remove this one and those after it");
    }
}

fn report_repeated<'r>(
    names: impl Iterator<Item = &'r Field<String>>,
    what: &str,
    sink: &mut Sink<'_>,
) {
    let mut lines = HashMap::new();
    for field in names {
        let Some(name) = field.given() else {
            continue;
        };
        let line = sink.line(&field.place);
        match lines.get(name.as_str()) {
            Some(first) => {
                let message =
                    format!("a {what} of the name `{name}` stands on line {first} already");
                sink.error(&field.place, message, format!("give each {what} a name of its own"));
            }
            None => {
                lines.insert(name.as_str(), line);
            }
        }
    }
}
