//! Import directions: which crate of the workspace may know which.

use super::code::{code_of, words};
use super::hold;
use super::tree::{File, Tree};

/// What a crate may import of ours.
struct Rule {
    /// Its folder.
    folder: &'static str,
    /// Crates by folder.
    may_import: &'static [&'static str],
    /// Crates that its tests may import besides, each with the reason.
    tests_may_import: &'static [(&'static str, &'static str)],
}

/// The stages. The root package, benches, examples and fuzz targets may import all of them.
const RULES: [Rule; 5] = [
    Rule { folder: "quote", may_import: &[], tests_may_import: &[] },
    Rule { folder: "feed-handlers", may_import: &["quote"], tests_may_import: &[] },
    Rule { folder: "bus", may_import: &["quote"], tests_may_import: &[] },
    Rule { folder: "consumers", may_import: &["quote", "bus"], tests_may_import: &[] },
    Rule { folder: "config", may_import: &["quote"], tests_may_import: &[] },
];

/// Crates of the cold path, which no stage knows.
const COLD_CRATES: [&str; 3] = ["tokio", "axum", "prometheus-client"];

impl Rule {
    fn allows(&self, folder: &str, in_tests: bool) -> bool {
        let for_tests = self.tests_may_import.iter().map(|(folder, _)| folder);
        folder == self.folder
            || self.may_import.contains(&folder)
            || (in_tests && for_tests.into_iter().any(|allowed| *allowed == folder))
    }

    fn forbidden_in_manifest(&self, manifest: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (section, line) in dependency_lines(manifest) {
            let in_tests = section.contains("dev-dependencies");
            let ours = crates_of_ours(line, '-');
            found.extend(ours.filter(|folder| !self.allows(folder, in_tests)));
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.extend(COLD_CRATES.iter().filter(|cold| **cold == name).map(ToString::to_string));
        }
        found
    }

    fn forbidden_in_source(&self, source: &str) -> Vec<String> {
        // Whether code is a test's is left to the compiler: what only the tests depend on does not
        // exist outside of them.
        let code = code_of(source);
        let mut found: Vec<_> =
            crates_of_ours(&code, '_').filter(|folder| !self.allows(folder, true)).collect();
        found.dedup();
        found
    }
}

/// The lines that name dependencies, each with the section that it stands in.
fn dependency_lines(manifest: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut section = "";
    manifest.lines().filter_map(move |line| {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.starts_with('[') {
            section = line;
        }
        let names_a_table = line.starts_with('[') && line.contains("dependencies.");
        let is_entry = !line.starts_with('[') && !line.is_empty();
        (section.contains("dependencies") && (is_entry || names_a_table)).then_some((section, line))
    })
}

/// The folders of the crates of ours in `text`, where the words of a name are joined by `joint`.
fn crates_of_ours(text: &str, joint: char) -> impl Iterator<Item = String> {
    let prefix = format!("freshlane{joint}");
    let text = if joint == '-' { text.replace('-', "_") } else { text.to_owned() };
    let names: Vec<String> = words(&text).map(ToOwned::to_owned).collect();
    let known = move |name: String| {
        let folder = name.strip_prefix(&prefix.replace('-', "_"))?.replace('_', "-");
        RULES.iter().any(|rule| rule.folder == folder).then_some(folder)
    };
    names.into_iter().filter_map(known)
}

fn is_below(file: &File, folder: &str) -> bool {
    file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn forbidden_imports(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for rule in &RULES {
        for file in tree.files.iter().filter(|file| is_below(file, rule.folder)) {
            let imports = if file.name() == "Cargo.toml" {
                rule.forbidden_in_manifest(&file.text())
            } else if file.has_extension("rs") {
                rule.forbidden_in_source(&file.text())
            } else {
                Vec::new()
            };
            found.extend(imports.iter().map(|import| format!("{}: {import}", file.path)));
        }
    }
    found
}

#[test]
fn every_crate_imports_only_what_the_architecture_lets_it() {
    hold(
        forbidden_imports,
        "A stage imports what it must not know. Let the root package pass it in instead, or move \
         the shared word to `quote`. The directions stand in docs/ARCHITECTURE.md; a test that \
         needs more goes on the list in tests/tidy/imports.rs with its reason:",
    );
}

#[test]
fn a_forbidden_import_is_found_in_a_manifest_and_in_a_source() {
    for (path, text, import) in [
        ("quote/Cargo.toml", "[dependencies]\nfreshlane-bus.workspace = true", "bus"),
        ("quote/Cargo.toml", "[dependencies.freshlane-bus]\nworkspace = true", "bus"),
        ("bus/Cargo.toml", "[dev-dependencies]\nx = { package = \"freshlane-config\" }", "config"),
        (
            "bus/Cargo.toml",
            "[target.'cfg(loom)'.dependencies]\nfreshlane-consumers = \"1\"",
            "consumers",
        ),
        ("consumers/Cargo.toml", "[dependencies]\ntokio.workspace = true", "tokio"),
        ("config/src/lib.rs", "use freshlane_feed_handlers::feed;", "feed-handlers"),
        ("bus/tests/a.rs", "fn a() { freshlane_consumers::work() }", "consumers"),
    ] {
        let found = forbidden_imports(&Tree::example(&[(path, text)]));
        assert_eq!(found, [format!("{path}: {import}")], "{text}");
    }
}

#[test]
fn an_allowed_import_a_comment_and_the_root_are_left_alone() {
    let tree = Tree::example(&[
        (
            "consumers/Cargo.toml",
            "[dependencies]\nfreshlane-bus.workspace = true # freshlane-config",
        ),
        ("consumers/src/lib.rs", "use freshlane_quote::Quote; // as freshlane_config has it"),
        (
            "quote/Cargo.toml",
            "[package]\nname = \"freshlane-quote\"\ndescription = \"for freshlane-bus\"",
        ),
        ("quote/tests/a.rs", "use freshlane_quote::Quote;"),
        ("src/topology.rs", "use freshlane_config::Config;"),
    ]);
    assert_eq!(forbidden_imports(&tree), [""; 0]);
}

#[test]
fn every_stage_has_a_rule() {
    let tree = Tree::of_repository();
    for rule in &RULES {
        let manifest = tree.find(&format!("{}/Cargo.toml", rule.folder));
        let name = format!("name = \"freshlane-{}\"", rule.folder);
        assert!(manifest.is_some_and(|manifest| manifest.text().contains(&name)), "{name}");
        for (folder, reason) in rule.tests_may_import {
            assert!(!reason.is_empty(), "{folder} for the tests of {}: why?", rule.folder);
        }
    }
}
