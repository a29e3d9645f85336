//! Turns one TOML value into one typed value, or reports why that cannot be.

use std::ops::RangeInclusive;

use toml_edit::{Item, Value};

use crate::duration::{ParseDurationError, parse_duration, parse_duration_or_zero};
use crate::section::{choice_help, ticked};
use crate::source::{Place, Sink};

/// Whether a duration may be zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Zero {
    /// Zero switches the thing off.
    MeansNone,
    /// Zero means nothing.
    Refused,
}

/// What an item is, with its article.
pub(crate) fn kind(item: &Item) -> &'static str {
    match item {
        Item::None => "nothing",
        Item::Value(value) => kind_of_value(value),
        Item::Table(_) => "a table",
        Item::ArrayOfTables(_) => "a list of tables",
    }
}

/// What a value is, with its article.
pub(crate) fn kind_of_value(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with a fraction",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date or a time",
        Value::Array(_) => "a list",
        Value::InlineTable(_) => "a table",
    }
}

fn wrong_kind(wanted: &str, item: &Item, place: &Place, sink: &mut Sink<'_>) {
    let message = format!("this is {}, which is not accepted here", kind(item));
    sink.error(place, message, format!("write {wanted}"));
}

pub(crate) fn text<'t>(
    item: &'t Item,
    wanted: &str,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<&'t str> {
    let text = item.as_str();
    if text.is_none() {
        wrong_kind(wanted, item, place, sink);
    }
    text
}

pub(crate) fn flag(item: &Item, wanted: &str, place: &Place, sink: &mut Sink<'_>) -> Option<bool> {
    let flag = item.as_bool();
    if flag.is_none() {
        wrong_kind(wanted, item, place, sink);
    }
    flag
}

pub(crate) fn integer(
    item: &Item,
    range: RangeInclusive<u64>,
    wanted: &str,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<u64> {
    let Some(number) = item.as_integer() else {
        wrong_kind(wanted, item, place, sink);
        return None;
    };
    let in_range = u64::try_from(number).ok().filter(|number| range.contains(number));
    if in_range.is_none() {
        sink.error(place, format!("{number} is out of range"), format!("write {wanted}"));
    }
    in_range
}

/// A duration in ns.
pub(crate) fn duration(item: &Item, zero: Zero, place: &Place, sink: &mut Sink<'_>) -> Option<u64> {
    let Some(text) = item.as_str() else {
        report_bare_duration(item, zero, place, sink);
        return None;
    };
    duration_text(text, zero, place, sink)
}

/// A duration in ns, from its text.
pub(crate) fn duration_text(
    text: &str,
    zero: Zero,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<u64> {
    let parsed = match zero {
        Zero::MeansNone => parse_duration_or_zero(text),
        Zero::Refused => parse_duration(text),
    };
    let report = |error: ParseDurationError| {
        sink.error(place, format!("{}: {error}", ticked(text)), error.help(text));
    };
    parsed.map_err(report).ok()
}

/// A number without quotation marks is the mistake that units are there to prevent.
fn report_bare_duration(item: &Item, zero: Zero, place: &Place, sink: &mut Sink<'_>) {
    const WANTED: &str = "a duration in quotation marks with its unit, such as \"200ms\"";
    match item.as_integer() {
        Some(0) if zero == Zero::MeansNone => {
            sink.error(place, "0: a duration needs a unit, this one has none", "write \"0ms\"");
        }
        Some(number @ 1..) => {
            let message = format!("{number}: a duration needs a unit, this one has none");
            let help = format!("write \"{number}ms\" if milliseconds are meant");
            sink.error(place, message, help);
        }
        Some(number) => {
            let message = format!("{number}: a duration needs a unit and is above zero");
            sink.error(place, message, format!("write {WANTED}"));
        }
        None => wrong_kind(WANTED, item, place, sink),
    }
}

/// One of `names`.
pub(crate) fn choice<T: Copy>(
    item: &Item,
    names: &[(&'static str, T)],
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<T> {
    let known: Vec<_> = names.iter().map(|(name, _)| *name).collect();
    let Some(text) = item.as_str() else {
        wrong_kind(&format!("\"{}\"", known.join("\" or \"")), item, place, sink);
        return None;
    };
    let chosen = names.iter().find(|(name, _)| *name == text);
    if chosen.is_none() {
        let message = format!("{} is not a choice here", ticked(text));
        sink.error(place, message, choice_help(text, &known));
    }
    chosen.map(|(_, value)| *value)
}

/// A list of texts with their places, each of which `accept` takes.
pub(crate) fn texts(
    item: &Item,
    wanted: &str,
    accept: fn(&str) -> Result<(), (String, String)>,
    place: &Place,
    sink: &mut Sink<'_>,
) -> Option<Vec<(String, Place)>> {
    let Some(array) = item.as_array() else {
        wrong_kind(wanted, item, place, sink);
        return None;
    };
    let mut texts = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let offset = value.span().map_or(place.offset, |span| span.start);
        let place = place.entry(index, offset);
        let checked = match value.as_str() {
            Some(text) => accept(text).map(|()| text),
            None => {
                let message = format!("this is {} in a list of texts", kind_of_value(value));
                Err((message, "write it in quotation marks".into()))
            }
        };
        match checked {
            Ok(text) => texts.push((text.to_owned(), place)),
            Err((message, help)) => sink.error(&place, message, help),
        }
    }
    (texts.len() == array.len()).then_some(texts)
}
