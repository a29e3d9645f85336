//! Takes typed keys out of one table and reports everything that does not belong there.

use std::ops::{Range, RangeInclusive};

use toml_edit::{Array, Item, Table, TableLike, Value};

use crate::field::{Field, State};
use crate::schema::TableSpec;
use crate::source::{Place, Sink, plain};
use crate::suggest::nearest_first;
use crate::value::{self, Zero};

/// One table of the text beside what may stand in it.
pub(crate) struct Section<'t> {
    /// None where the table is left out: then every key is.
    table: Option<&'t dyn TableLike>,
    spec: &'static TableSpec,
    pub(crate) place: Place,
    /// Whether a key that is left out may stand here under another name.
    is_doubtful: bool,
}

impl<'t> Section<'t> {
    /// The table, after everything unknown in it and everything missing from it was reported.
    pub(crate) fn open(
        table: &'t dyn TableLike,
        spec: &'static TableSpec,
        place: Place,
        sink: &mut Sink<'_>,
    ) -> Self {
        let is_doubtful = crate::unknown::report(table, spec, &place, sink);
        Self { table: Some(table), spec, place, is_doubtful }
    }

    pub(crate) fn is_given(&self) -> bool {
        self.table.is_some()
    }

    pub(crate) fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// A text that `accept` takes; else it says what is wrong with it and what to write.
    pub(crate) fn text<T>(
        &self,
        key: &'static str,
        sink: &mut Sink<'_>,
        accept: impl FnOnce(&str) -> Result<T, (String, String)>,
    ) -> Field<T> {
        self.take(key, sink, |item, place, sink| {
            let text = value::text(item, self.wanted(key), place, sink)?;
            accept(text).map_err(|(message, help)| sink.error(place, message, help)).ok()
        })
    }

    pub(crate) fn flag(&self, key: &'static str, sink: &mut Sink<'_>) -> Field<bool> {
        self.take(key, sink, |item, place, sink| value::flag(item, self.wanted(key), place, sink))
    }

    pub(crate) fn integer(
        &self,
        key: &'static str,
        range: RangeInclusive<u64>,
        sink: &mut Sink<'_>,
    ) -> Field<u64> {
        self.take(key, sink, |item, place, sink| {
            value::integer(item, range, self.wanted(key), place, sink)
        })
    }

    /// As [`Section::integer`], for counts of things in memory.
    pub(crate) fn count(&self, key: &'static str, max: usize, sink: &mut Sink<'_>) -> Field<usize> {
        self.take(key, sink, |item, place, sink| {
            let range = 1..=u64::try_from(max).unwrap_or(u64::MAX);
            let count = value::integer(item, range, self.wanted(key), place, sink)?;
            usize::try_from(count).ok()
        })
    }

    /// A duration in ns.
    pub(crate) fn duration(
        &self,
        key: &'static str,
        zero: Zero,
        sink: &mut Sink<'_>,
    ) -> Field<u64> {
        self.take(key, sink, |item, place, sink| value::duration(item, zero, place, sink))
    }

    /// One of `names`.
    pub(crate) fn choice<T: Copy>(
        &self,
        key: &'static str,
        names: &[(&'static str, T)],
        sink: &mut Sink<'_>,
    ) -> Field<T> {
        self.take(key, sink, |item, place, sink| value::choice(item, names, place, sink))
    }

    /// Whatever `read` makes of the value.
    pub(crate) fn take<T>(
        &self,
        key: &'static str,
        sink: &mut Sink<'_>,
        read: impl FnOnce(&'t Item, &Place, &mut Sink<'_>) -> Option<T>,
    ) -> Field<T> {
        debug_assert!(self.spec.names().any(|name| name == key), "{key} is not in the schema");
        let Some(item) = self.table.and_then(|table| table.get(key)) else {
            let is_required = self.spec.required_names().any(|name| name == key);
            let state =
                if is_required || self.is_doubtful { State::Refused } else { State::Absent };
            return Field { place: self.place.key(key, self.place.offset), state };
        };
        let place = self.place.key(key, start(item.span(), &self.place));
        let state = read(item, &place, sink).map_or(State::Refused, State::Given);
        Field { place, state }
    }

    /// What may be written for `key`, for messages.
    fn wanted(&self, key: &str) -> &'static str {
        self.spec.key(key).map_or("a value", |spec| spec.value)
    }

    /// The table `key` inside this one; where it is left out, a section without keys.
    pub(crate) fn section(
        &self,
        key: &'static str,
        spec: &'static TableSpec,
        sink: &mut Sink<'_>,
    ) -> Section<'t> {
        let table = self.take(key, sink, |item, place, sink| {
            let table = one_table(item, spec, place, sink)?;
            Some(Section::open(table, spec, place.clone(), sink))
        });
        match table.state {
            State::Given(section) => section,
            State::Absent => Section { table: None, spec, place: table.place, is_doubtful: false },
            State::Refused => Section { table: None, spec, place: table.place, is_doubtful: true },
        }
    }

    /// The list of tables `key` inside this one.
    pub(crate) fn sections(
        &self,
        key: &'static str,
        spec: &'static TableSpec,
        sink: &mut Sink<'_>,
    ) -> Field<Vec<Section<'t>>> {
        self.take(key, sink, |item, place, sink| {
            let tables = list_of_tables(item, spec, place, sink)?;
            let open = |(table, place)| Section::open(table, spec, place, sink);
            Some(tables.into_iter().map(open).collect())
        })
    }
}

/// The one table that `item` is to be.
fn one_table<'t>(
    item: &'t Item,
    spec: &TableSpec,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<&'t dyn TableLike> {
    if let Some(table) = item.as_table_like() {
        return Some(table);
    }
    let header = spec.header;
    let message = format!("{header} is a table, and this is {}", value::kind(item));
    sink.error(place, message, format!("write {header} and its keys below it"));
    // A list of tables is read on, so that what is wrong inside is reported too.
    item.as_array_of_tables()?.get(0).map(|table| table as &dyn TableLike)
}

/// The tables, each with its place, that `item` is to be a list of.
fn list_of_tables<'t>(
    item: &'t Item,
    spec: &TableSpec,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<Vec<(&'t dyn TableLike, Place)>> {
    match item {
        Item::ArrayOfTables(tables) => {
            let entry = |(index, table): (usize, &'t Table)| {
                (table as &dyn TableLike, place.entry(index, start(table.span(), place)))
            };
            Some(tables.iter().enumerate().map(entry).collect())
        }
        Item::Value(Value::Array(array)) => list_of_inline_tables(array, spec, place, sink),
        _ => {
            let message =
                format!("{} is a list of tables, and this is {}", spec.header, value::kind(item));
            sink.error(place, message, list_help(spec));
            // One table is read on, so that what is wrong inside is reported too.
            item.as_table_like().map(|table| vec![(table, place.entry(0, place.offset))])
        }
    }
}

fn list_of_inline_tables<'t>(
    array: &'t Array,
    spec: &TableSpec,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<Vec<(&'t dyn TableLike, Place)>> {
    let mut tables = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let place = place.entry(index, start(value.span(), place));
        if let Value::InlineTable(table) = value {
            tables.push((table as &dyn TableLike, place));
        } else {
            let found = value::kind_of_value(value);
            let message = format!("{} is a table, and this is {found}", spec.header);
            sink.error(&place, message, list_help(spec));
        }
    }
    let nothing_is_left = tables.is_empty() && !array.is_empty();
    (!nothing_is_left).then_some(tables)
}

/// Where `span` starts; the outer place where the parser gives none.
fn start(span: Option<Range<usize>>, outer: &Place) -> usize {
    span.map_or(outer.offset, |span| span.start)
}

fn list_help(spec: &TableSpec) -> String {
    format!("write {} (with two brackets) and its keys below it, once for each", spec.header)
}

/// What to write where `found` is none of the `names`.
pub(crate) fn choice_help(found: &str, names: &[&'static str]) -> String {
    let quoted: Vec<_> = nearest_first(found, names.iter().copied())
        .into_iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    match crate::suggest::nearest(found, names.iter().copied()) {
        Some(meant) => format!("did you mean \"{meant}\"? The choices are {}", quoted.join(", ")),
        None => format!("write {}", quoted.join(" or ")),
    }
}

/// A text of the file between back ticks.
pub(crate) fn ticked(text: &str) -> String {
    format!("`{}`", plain(text))
}
