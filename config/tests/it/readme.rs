//! `config/README.md` is the schema in prose.

use freshlane_config::schema::{Absence, TABLES, TableSpec};

const README: &str = include_str!("../../README.md");

fn row(name: &str, value: &str, absence: Absence, meaning: &str) -> String {
    let absence = match absence {
        Absence::Required => "required".to_owned(),
        Absence::Default(default) => format!("`{default}`"),
        Absence::Means(words) => words.to_owned(),
    };
    format!("| `{name}` | {value} | {absence} | {meaning} |\n")
}

/// The section of one table, as it has to stand in the file.
fn section(spec: &TableSpec) -> String {
    let mut section = format!("## `{}`\n\n", spec.header);
    section += "| key | value | when left out | meaning |\n|---|---|---|---|\n";
    for key in spec.keys {
        section += &row(key.name, key.value, key.absence, key.meaning);
    }
    section
}

#[test]
fn the_readme_lists_every_key_as_the_schema_has_it_and_no_other() {
    let mut keys_count = 0;
    for spec in TABLES.iter().filter(|spec| !spec.is_root()) {
        let section = section(spec);
        assert!(README.contains(&section), "README.md lacks this section:\n\n{section}");
        keys_count += spec.keys.len();
    }
    let rows_count = README.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows_count, keys_count, "README.md has rows that no table of the schema has");
}

#[test]
fn the_readme_has_one_title() {
    assert_eq!(README.lines().filter(|line| line.starts_with("# ")).count(), 1);
}

#[test]
fn the_complete_example_of_the_readme_is_valid() {
    let start = README.find("```toml\n").unwrap() + "```toml\n".len();
    let end = start + README[start..].find("```").unwrap();
    let (_, warnings) = crate::text::valid(&README[start..end]);
    assert!(warnings.is_empty(), "{warnings:#?}");
}
