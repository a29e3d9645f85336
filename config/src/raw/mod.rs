//! The configuration as written: each value of the right kind on its own, or refused.
//!
//! What one value may be is decided here; what values may be beside each other, in `check`.

mod feed;
mod lane;
mod words;

use std::net::SocketAddr;

use freshlane_quote::IdlePolicy;
use toml_edit::{Item, Table, Value};

pub(crate) use feed::{RawFeed, RawGenerator, SourceKind};
pub(crate) use lane::{RawLane, Ttl};

use crate::field::Field;
use crate::model::{ClockSource, Cores, EngineConfig};
use crate::schema;
use crate::section::Section;
use crate::source::{Place, Sink};
use crate::value::{self, Zero, kind_of_value};

/// The whole text.
pub(crate) struct RawConfig {
    pub(crate) engine: RawEngine,
    pub(crate) admin: RawAdmin,
    pub(crate) feeds: Field<Vec<RawFeed>>,
    pub(crate) lanes: Field<Vec<RawLane>>,
    /// Whether the top level holds something unknown: then a feed or lane may be missing here.
    pub(crate) is_doubtful: bool,
}

/// `[engine]`
pub(crate) struct RawEngine {
    pub(crate) cores: Field<Cores>,
    pub(crate) core_places: Vec<Place>,
    pub(crate) idle: Field<IdlePolicy>,
    pub(crate) clock: Field<ClockSource>,
    pub(crate) shutdown_timeout_ns: Field<u64>,
    pub(crate) instruments_max: Field<usize>,
}

/// `[admin]`
pub(crate) struct RawAdmin {
    pub(crate) enabled: Field<bool>,
    pub(crate) listen: Field<SocketAddr>,
}

impl RawConfig {
    pub(crate) fn read(table: &Table, sink: &mut Sink<'_>) -> Self {
        let place = Place { path: String::new(), offset: 0 };
        let root = Section::open(table, &schema::ROOT, place, sink);
        Self {
            engine: RawEngine::read(&root.section("engine", &schema::ENGINE, sink), sink),
            admin: RawAdmin::read(&root.section("admin", &schema::ADMIN, sink), sink),
            feeds: read_each(root.sections("feed", &schema::FEED, sink), sink, RawFeed::read),
            lanes: read_each(root.sections("lane", &schema::LANE, sink), sink, RawLane::read),
            is_doubtful: root.is_doubtful(),
        }
    }
}

fn read_each<'t, T>(
    sections: Field<Vec<Section<'t>>>,
    sink: &mut Sink<'_>,
    read: fn(&Section<'t>, &mut Sink<'_>) -> T,
) -> Field<Vec<T>> {
    sections.map(|sections| sections.iter().map(|one| read(one, sink)).collect())
}

impl RawEngine {
    fn read(section: &Section<'_>, sink: &mut Sink<'_>) -> Self {
        let mut core_places = Vec::new();
        let cores = section.take("cores", sink, |item, place, sink| {
            let (cores, places) = read_cores(item, place, sink)?;
            core_places = places;
            Some(cores)
        });
        Self {
            cores,
            core_places,
            idle: section.choice("idle", &IdlePolicy::NAMES, sink),
            clock: section.choice("clock", &ClockSource::NAMES, sink),
            shutdown_timeout_ns: section.duration("shutdown_timeout", Zero::Refused, sink),
            instruments_max: section.count(
                "instruments_max",
                EngineConfig::INSTRUMENTS_LIMIT,
                sink,
            ),
        }
    }
}

/// `"auto"`, or a list of cores with the place of each.
fn read_cores(item: &Item, place: &Place, sink: &mut Sink<'_>) -> Option<(Cores, Vec<Place>)> {
    const HELP: &str = "write \"auto\", or the numbers of the cores, such as [2, 4]";
    if item.as_str() == Some("auto") {
        return Some((Cores::Auto, Vec::new()));
    }
    let Some(array) = item.as_array() else {
        let message = format!("this is {}, which names no cores", value::kind(item));
        sink.error(place, message, HELP);
        return None;
    };
    if array.is_empty() {
        sink.error(place, "no core is listed", HELP);
        return None;
    }
    let mut seen: Vec<(usize, Place)> = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let offset = value.span().map_or(place.offset, |span| span.start);
        seen.extend(read_core(value, place.entry(index, offset), &seen, sink));
    }
    let all_good = seen.len() == array.len();
    let (cores, places) = seen.into_iter().unzip();
    all_good.then_some((Cores::Listed(cores), places))
}

fn read_core(
    value: &Value,
    place: Place,
    seen: &[(usize, Place)],
    sink: &mut Sink<'_>,
) -> Option<(usize, Place)> {
    /// The most that Linux can be built for.
    const CORE_MAX: usize = 8_191;
    let core = value.as_integer().and_then(|number| usize::try_from(number).ok());
    let Some(core) = core.filter(|core| *core <= CORE_MAX) else {
        let message = match value.as_integer() {
            Some(number) => format!("{number} is not the number of a core"),
            None => format!("this is {}, which is not the number of a core", kind_of_value(value)),
        };
        sink.error(&place, message, format!("write a whole number, 0 to {CORE_MAX}"));
        return None;
    };
    if seen.iter().any(|(known, _)| *known == core) {
        sink.error(&place, format!("core {core} is listed twice"), "list each core once");
        return None;
    }
    Some((core, place))
}

impl RawAdmin {
    fn read(section: &Section<'_>, sink: &mut Sink<'_>) -> Self {
        Self {
            enabled: section.flag("enabled", sink),
            listen: section.text("listen", sink, words::loopback_address),
        }
    }
}
