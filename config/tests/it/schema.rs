//! The reader and the schema know the same keys and defaults.

use freshlane_config::schema::{Absence, ROOT, TABLES, TableSpec};

use crate::text::{Tables, one, refused, valid};

fn tables_with_keys() -> impl Iterator<Item = &'static TableSpec> {
    TABLES.into_iter().filter(|spec| !spec.is_root())
}

/// A name as messages show it: keys between back ticks, tables with their brackets.
fn is_named(help: &str, name: &str) -> bool {
    help.contains(&format!("`{name}`")) || help.contains(&format!("{name}]"))
}

#[test]
fn an_unknown_key_is_refused_in_every_table_with_what_may_stand_there() {
    for spec in TABLES {
        let tables = Tables::all().with(spec, "zzz = 1");
        let problem = one(refused(&tables.text()).into_vec());
        assert_eq!(problem.file, "test.toml");
        assert_eq!(problem.line, tables.line_number("zzz = 1"), "{problem}");
        assert!(problem.message.contains("`zzz`"), "{problem}");
        assert!(problem.message.contains(spec.title()), "{problem}");
        for name in spec.names() {
            assert!(is_named(&problem.help, name), "{name}: {problem}");
        }
    }
}

#[test]
fn a_misspelled_key_is_answered_with_the_right_one_for_every_key() {
    for spec in tables_with_keys() {
        for key in spec.keys {
            let line = format!("{}_ = 1", key.name);
            let tables = Tables::all().without(spec, key.name).with(spec, &line);
            let problem = one(refused(&tables.text()).into_vec());
            assert_eq!(problem.line, tables.line_number(&line), "{problem}");
            let meant = format!("did you mean `{}`?", key.name);
            assert!(problem.help.contains(&meant), "{problem}");
        }
    }
}

#[test]
fn every_key_is_refused_in_every_table_that_is_not_its_own() {
    for owner in tables_with_keys() {
        for key in owner.keys {
            for stranger in TABLES.into_iter().filter(|spec| spec.key(key.name).is_none()) {
                let line = format!("{} = 1", key.name);
                let tables = Tables::all().with(stranger, &line);
                let problem = one(refused(&tables.text()).into_vec());
                assert!(problem.message.contains(stranger.title()), "{problem}");
                assert!(problem.help.contains("belongs to"), "{problem}");
                assert!(problem.help.contains(owner.header), "{problem}");
            }
        }
    }
}

/// No key takes a time with a zone, so a key that accepts one is a key that nobody reads.
#[test]
fn every_key_of_the_schema_is_read() {
    for spec in tables_with_keys() {
        for key in spec.keys {
            let line = format!("{} = 1979-05-27T07:32:00Z", key.name);
            let tables = Tables::all().with(spec, &line);
            let problem = one(refused(&tables.text()).into_vec());
            assert!(problem.path.ends_with(key.name), "{problem}");
            let column = line.find("1979").unwrap() + 1;
            let number = tables.text().lines().position(|known| known == line).unwrap() + 1;
            assert_eq!((problem.line, problem.column), (number, column), "{problem}");
            assert!(!problem.help.is_empty(), "{problem}");
        }
    }
}

#[test]
fn every_documented_default_is_what_an_absent_key_means() {
    let mut defaults_count = 0;
    for spec in tables_with_keys() {
        for key in spec.keys {
            let Absence::Default(value) = key.absence else {
                continue;
            };
            defaults_count += 1;
            let absent = Tables::all().without(spec, key.name);
            let given = absent.clone().with(spec, &format!("{} = {value}", key.name));
            let (absent, _) = valid(&absent.text());
            let (given, _) = valid(&given.text());
            assert_eq!(absent.to_string(), given.to_string(), "{}", key.name);
        }
    }
    assert!(defaults_count > 15);
}

#[test]
fn every_required_key_is_reported_at_its_table_where_it_is_missing() {
    for spec in tables_with_keys() {
        for name in spec.required_names() {
            let tables = Tables::all().without(spec, name);
            let problem = one(refused(&tables.text()).into_vec());
            assert_eq!(problem.line, tables.line_number(spec.header), "{problem}");
            assert!(problem.message.contains(&format!("`{name}` is missing")), "{problem}");
        }
    }
    assert_eq!(ROOT.required_names().collect::<Vec<_>>(), ["feed", "lane"]);
}

/// Both sides of the mistake are named: what is unknown and what is missing.
#[test]
fn a_required_key_under_an_unlikely_name_is_one_problem_that_names_both() {
    let lane = TABLES[5];
    let tables = Tables::all().without(lane, "capacity").with(lane, "qqq = 50000");
    let problem = one(refused(&tables.text()).into_vec());
    assert!(problem.message.contains("unknown key `qqq` in [[lane]]"), "{problem}");
    assert!(problem.help.contains("`capacity`? It is required, and missing here"), "{problem}");
}

#[test]
fn each_missing_key_is_paired_with_the_unknown_one_that_is_most_like_it() {
    let lane = TABLES[5];
    let mut tables = Tables::all();
    for (key, line) in [("name", "nmae = \"a\""), ("ttl", "ttl_ms = 5"), ("capacity", "cap = 5")] {
        tables = tables.without(lane, key).with(lane, line);
    }
    let tables = tables.with(lane, "zzz = 1");
    let problems = refused(&tables.text());
    let pairs: Vec<_> = problems
        .iter()
        .map(|problem| (problem.path.as_str(), problem.help.split(['`']).nth(1).unwrap_or("")))
        .collect();
    assert_eq!(pairs.len(), 4, "{problems}");
    for pair in [("lane[0].nmae", "name"), ("lane[0].ttl_ms", "ttl"), ("lane[0].cap", "capacity")] {
        assert!(pairs.contains(&pair), "{problems}");
    }
}
