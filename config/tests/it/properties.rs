//! Properties over random texts.

use std::path::PathBuf;

use freshlane_config::schema::{TABLES, TableSpec};
use freshlane_config::{Config, DURATION_NS_MAX, FeedSource, LaneConfig};
use proptest::prelude::*;

use crate::text::{Tables, refused, valid};

/// Pieces of configurations, whole and broken.
fn piece() -> impl Strategy<Value = String> {
    let known: Vec<String> =
        TABLES.iter().flat_map(|spec| spec.names()).map(str::to_owned).collect();
    let headers: Vec<String> = TABLES.iter().map(|spec| format!("\n{}\n", spec.header)).collect();
    let marks =
        ["=", "[", "]", "[[", "]]", "{", "}", "\"", "'''", ".", ",", "\n", "\r\n", "#", "\\"];
    let values = [
        "\"200ms\"",
        "200",
        "-1",
        "0.5",
        "\"off\"",
        "true",
        "2026-12-01",
        "[1, 2]",
        "\"file\"",
        "\"generator\"",
        "\"NASDAQ\"",
        "[\"market-data.#\"]",
        "9223372036854775807",
        "nan",
        "\"\"",
    ];
    prop_oneof![
        prop::sample::select(known),
        prop::sample::select(headers),
        prop::sample::select(marks.map(str::to_owned).to_vec()),
        prop::sample::select(values.map(|value| format!(" = {value}\n")).to_vec()),
        ".{0,3}",
    ]
}

/// One line of the full text, by table and position.
fn any_line() -> impl Strategy<Value = (&'static TableSpec, usize)> {
    let tables = Tables::all().0;
    let places: Vec<_> = TABLES
        .into_iter()
        .flat_map(|spec| {
            let lines = tables.iter().find(|(header, _)| *header == spec.header);
            (0..lines.map_or(0, |(_, lines)| lines.len())).map(move |line| (spec, line))
        })
        .collect();
    prop::sample::select(places)
}

/// Another name: a typo, a stranger's key, or anything at all.
fn renamed(key: &str) -> impl Strategy<Value = String> + use<> {
    let (typo, doubled) = (key.to_owned(), key.to_owned());
    let known: Vec<String> =
        TABLES.iter().flat_map(|spec| spec.names()).map(str::to_owned).collect();
    prop_oneof![
        (0..key.len()).prop_map(move |at| format!("{}{}", &typo[..at], &typo[at + 1..])),
        "[a-z_]".prop_map(move |letter| format!("{doubled}{letter}")),
        prop::sample::select(known),
        "[a-z0-9_-]{1,12}",
    ]
}

proptest! {
    #[test]
    fn any_text_gives_a_configuration_or_problems(text in ".*|(?s:.{0,200})") {
        let _ = Config::parse("any.toml", &text);
    }

    #[test]
    fn any_pieces_of_configurations_give_a_configuration_or_problems(
        pieces in prop::collection::vec(piece(), 0..60),
    ) {
        let text = pieces.concat();
        if let Err(problems) = Config::parse("any.toml", &text) {
            prop_assert!(problems.error_count() > 0);
            let lines = text.lines().count().max(1) + 1;
            for problem in &problems {
                prop_assert!((1..=lines).contains(&problem.line), "{problem}");
            }
        }
    }

    #[test]
    fn any_bytes_of_a_valid_text_replaced_never_panic(
        at in 0..Config::EMBEDDED.len(),
        len in 0..40_usize,
        replacement in ".{0,8}",
    ) {
        let mut text = Config::EMBEDDED.to_owned();
        let end = (at + len).min(text.len());
        text.replace_range(at..end, &replacement);
        let _ = Config::parse("any.toml", &text);
    }

    #[test]
    fn one_renamed_key_gives_exactly_one_problem_on_its_line(
        ((spec, index), name) in any_line().prop_flat_map(|(spec, index)| {
            let tables = Tables::all().0;
            let lines = &tables.iter().find(|(header, _)| *header == spec.header).unwrap().1;
            let key = lines[index].split(" = ").next().unwrap();
            // A key that is known there, or no key at all (an empty one), is no unknown key.
            let is_unknown =
                |name: &String| !name.is_empty() && !spec.names().any(|known| known == name);
            (Just((spec, index)), renamed(key).prop_filter("known there", is_unknown))
        }),
    ) {
        let mut tables = Tables::all();
        let lines = &mut tables.0.iter_mut().find(|(header, _)| *header == spec.header).unwrap().1;
        let value = lines[index].split(" = ").nth(1).unwrap().to_owned();
        let line = format!("{name} = {value}");
        lines[index].clone_from(&line);
        let number = tables.line_number(&line);
        let problems = refused(&tables.text()).into_vec();
        prop_assert_eq!(problems.len(), 1, "{:#?}", problems);
        prop_assert_eq!(problems[0].line, number);
        let named = format!("unknown key `{name}`");
        prop_assert!(problems[0].message.contains(&named), "{}", problems[0]);
    }

    #[test]
    fn one_renamed_table_gives_exactly_one_problem_on_its_line(
        // What hangs below a renamed list hangs in the air, and is reported beside it.
        index in prop::sample::select(vec![1_usize, 2, 4, 6]),
        name in "[a-z]{1,9}_",
    ) {
        let spec = TABLES[index];
        let bare = spec.header.trim_matches(['[', ']']);
        let last = bare.rsplit('.').next().unwrap();
        let header = spec.header.replace(last, &name);
        let (old_line, new_line) = (format!("{}\n", spec.header), format!("{header}\n"));
        let text = Tables::all().text().replacen(&old_line, &new_line, 1);
        let number = text.lines().position(|line| line == header).unwrap() + 1;
        let problems = refused(&text).into_vec();
        prop_assert_eq!(problems.len(), 1, "{:#?}", problems);
        prop_assert_eq!(problems[0].line, number);
    }

    #[test]
    fn what_is_described_reads_back_the_same(
        path in "[^\\x00]{1,30}",
        ttl_ns in prop::option::of(1..=DURATION_NS_MAX),
        has_margin in any::<bool>(),
        capacity in 1..=LaneConfig::CAPACITY_MAX,
        symbol in "[^\\p{Cc}]{0,20}",
        rate in prop::option::of(1..=LaneConfig::EXPECTED_RATE_PER_S_MAX),
    ) {
        let mut config = Config::embedded().unwrap().config;
        config.feeds[0].source = FeedSource::File { path: PathBuf::from(path), date: None };
        let lane = &mut config.lanes[0];
        lane.ttl_ns = ttl_ns;
        lane.margin_ns = if has_margin { LaneConfig::margin_ns_default(ttl_ns) } else { 0 };
        lane.consumer.service_time_ns = 0;
        lane.capacity = capacity;
        lane.expected_rate_per_s = rate;
        lane.exclude = vec![format!("market-data.NASDAQ.x{}x", symbol.replace('.', "_"))];
        let (read, _) = valid(&config.to_string());
        prop_assert_eq!(read.engine, config.engine);
        prop_assert_eq!(read.admin, config.admin);
        prop_assert_eq!(read.feeds, config.feeds);
        prop_assert_eq!(read.lanes, config.lanes);
    }
}
