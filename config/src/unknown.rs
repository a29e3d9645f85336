//! Keys that do not belong where they stand, and keys that are missing.

use toml_edit::{Item, TableLike};

use crate::schema::{TABLES, TableSpec};
use crate::source::{Place, Sink, plain};
use crate::suggest::{nearest, nearest_first, similarity};

/// A key that the table's schema does not have.
struct Unknown<'t> {
    name: &'t str,
    item: &'t Item,
    place: Place,
    /// The missing key that it probably is.
    missing: Option<&'static str>,
}

/// Reports what is unknown in `table` and what is missing from it. Returns whether anything was
/// unknown, so that a key that is left out may be there under another name.
///
/// A missing key and an unknown one are one mistake, a misspelled name, and give one problem that
/// names both.
pub(crate) fn report(
    table: &dyn TableLike,
    spec: &'static TableSpec,
    place: &Place,
    sink: &mut Sink<'_>,
) -> bool {
    let mut unknown = unknown_keys(table, spec, place);
    let missing = spec.required_names().filter(|name| !table.contains_key(name)).collect();
    for name in unpaired(&mut unknown, missing) {
        report_missing(name, spec, place, sink);
    }
    for key in &unknown {
        report_unknown(key, spec, sink);
    }
    !unknown.is_empty()
}

fn unknown_keys<'t>(table: &'t dyn TableLike, spec: &TableSpec, place: &Place) -> Vec<Unknown<'t>> {
    let unknown = table.iter().filter(|(name, _)| !spec.names().any(|known| known == *name));
    let described = unknown.map(|(name, item)| {
        let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
        let offset = span.map_or(place.offset, |span| span.start);
        Unknown { name, item, place: place.key(name, offset), missing: None }
    });
    described.collect()
}

/// Gives each missing name to the unknown key that is most like it, while there are any; returns
/// the names that remain.
fn unpaired(unknown: &mut [Unknown<'_>], mut missing: Vec<&'static str>) -> Vec<&'static str> {
    loop {
        let free = unknown.iter().enumerate().filter(|(_, key)| key.missing.is_none());
        let pairs = free.flat_map(|(key_index, key)| {
            let likeness = |(index, name): (usize, &&str)| (similarity(key.name, name), index);
            missing.iter().enumerate().map(likeness).map(move |pair| (pair, key_index))
        });
        let best = pairs.max_by(|((a, _), _), ((b, _), _)| a.total_cmp(b));
        let Some(((_, missing_index), key_index)) = best else {
            return missing;
        };
        unknown[key_index].missing = Some(missing.swap_remove(missing_index));
    }
}

fn report_missing(name: &'static str, spec: &TableSpec, place: &Place, sink: &mut Sink<'_>) {
    let place = place.key(name, place.offset);
    let shown = shown(spec, name);
    let message = format!("{shown} is missing from {}", spec.title());
    let help = match spec.key(name) {
        Some(key) => format!("add `{name} = …`: {}", key.value),
        None => format!("add at least one {shown}"),
    };
    sink.error(&place, message, help);
}

fn report_unknown(key: &Unknown<'_>, spec: &'static TableSpec, sink: &mut Sink<'_>) {
    let what = if key.item.is_value() { "key" } else { "table" };
    let name = plain(key.name);
    let message = format!("unknown {what} `{name}` {}", located(spec));
    sink.error(&key.place, message, help(key, spec));
}

fn help(key: &Unknown<'_>, spec: &'static TableSpec) -> String {
    let elsewhere =
        owner(key.name, spec).map(|owner| format!("`{}` belongs to {owner}", plain(key.name)));
    elsewhere.into_iter().chain([help_here(key, spec)]).collect::<Vec<_>>().join("; ")
}

/// What could be meant in this table.
fn help_here(key: &Unknown<'_>, spec: &'static TableSpec) -> String {
    if let Some(missing) = key.missing {
        let shown = shown(spec, missing);
        return format!("did you mean {shown}? It is required, and missing here");
    }
    if let Some(meant) = nearest(key.name, spec.names()) {
        return format!("did you mean {}?", shown(spec, meant));
    }
    let names = nearest_first(key.name, spec.names()).into_iter();
    let known: Vec<_> = names.map(|name| shown(spec, name)).collect();
    format!("what may stand {}, nearest first: {}", located(spec), known.join(", "))
}

fn located(spec: &TableSpec) -> String {
    format!("{} {}", if spec.is_root() { "at" } else { "in" }, spec.title())
}

/// The tables that a key of this name does belong to.
fn owner(name: &str, here: &TableSpec) -> Option<String> {
    let others = TABLES.iter().filter(|table| table.header != here.header);
    let owners: Vec<_> = others
        .filter(|table| table.names().any(|known| known == name))
        .map(|table| table.title())
        .collect();
    (!owners.is_empty()).then(|| owners.join(" and to "))
}

/// A name as one would write it: a table with its brackets.
fn shown(spec: &TableSpec, name: &str) -> String {
    let is_table = spec.tables.iter().any(|(table, _)| *table == name);
    let header = TABLES.iter().map(|table| table.header).find(|header| {
        is_table && header.trim_matches(['[', ']']).rsplit('.').next() == Some(name)
    });
    header.map_or_else(|| format!("`{name}`"), str::to_owned)
}
