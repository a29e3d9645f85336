//! What files are called, and which of them can be run.

use super::hold;
use super::tree::{File, Tree};

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 5] = ["util", "utils", "helper", "helpers", "misc"];

fn names_that_say_nothing(tree: &Tree) -> Vec<String> {
    let says_nothing = |file: &&File| {
        let mut parts = file.path.split('/').map(|part| part.split('.').next().unwrap_or_default());
        parts.any(|part| EMPTY_NAMES.contains(&part))
    };
    tree.files.iter().filter(says_nothing).map(|file| file.path.clone()).collect()
}

#[test]
fn every_file_is_named_after_what_is_inside() {
    hold(
        names_that_say_nothing,
        "Name the file or folder after the one idea that it holds; where it holds several, split \
         it:",
    );
}

#[test]
fn a_name_that_says_nothing_is_found() {
    let tree = Tree::example(&[
        ("bus/src/utils.rs", ""),
        ("tests/helpers/mod.rs", ""),
        ("scripts/misc", ""),
        ("tests/support/mod.rs", ""),
        ("src/utilisation.rs", ""),
    ]);
    let found = names_that_say_nothing(&tree);
    assert_eq!(found, ["bus/src/utils.rs", "tests/helpers/mod.rs", "scripts/misc"]);
}

/// Files of `scripts/` itself; what lies in a folder below is read by a script and not run.
fn is_script(file: &File) -> bool {
    file.folder() == "scripts" || file.path == ".ci/run"
}

fn scripts_that_do_not_run(tree: &Tree) -> Vec<String> {
    let runs = |file: &&File| file.is_executable && file.bytes.starts_with(b"#!");
    let scripts = tree.files.iter().filter(|file| is_script(file));
    scripts.filter(|file| !runs(file)).map(|file| file.path.clone()).collect()
}

#[test]
fn every_script_can_be_run() {
    hold(
        scripts_that_do_not_run,
        "Begin it with `#!/usr/bin/env bash` and make it executable (`chmod +x`, and `git add \
         --chmod=+x`); what is only read by other scripts goes to scripts/lib:",
    );
}

#[test]
fn a_script_without_shebang_or_permission_is_found() {
    let mut tree = Tree::example(&[
        ("scripts/a", "#!/usr/bin/env bash"),
        ("scripts/b", "echo"),
        ("scripts/c", "#!/usr/bin/env bash"),
        ("scripts/lib/d.sh", "echo"),
    ]);
    tree.files[1].is_executable = true;
    tree.files[2].is_executable = true;
    assert_eq!(scripts_that_do_not_run(&tree), ["scripts/a", "scripts/b"]);
}

/// Whether `name` is `YYYY-MM-DD-title.md`, the title in lower case with `-` between its words.
fn is_record_name(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".md") else { return false };
    let Some((date, title)) = stem.split_at_checked("2026-12-01-".len()) else { return false };
    let date_fits = date.bytes().zip("0000-00-00-".bytes()).all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => byte == shape,
    });
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    date_fits && title.split('-').all(is_word)
}

fn misnamed_records(tree: &Tree) -> Vec<String> {
    let records = tree.files.iter().filter(|file| file.folder() == "docs/decisions");
    records
        .filter(|file| file.name() != "README.md" && !is_record_name(file.name()))
        .map(|file| file.path.clone())
        .collect()
}

#[test]
fn every_decision_record_is_named_by_date_and_title() {
    hold(misnamed_records, "Name it YYYY-MM-DD-title-in-lower-case.md:");
}

#[test]
fn a_misnamed_record_is_found() {
    for (name, is_right) in [
        ("2026-12-01-engine-clock.md", true),
        ("2026-12-01-levels-16-wide.md", true),
        ("README.md", true),
        ("engine-clock.md", false),
        ("2026-12-1-engine-clock.md", false),
        ("2026-12-01-.md", false),
        ("2026-12-01-Engine-clock.md", false),
        ("2026-12-01-engine_clock.md", false),
        ("2026-12-01-engine-clock.txt", false),
    ] {
        let tree = Tree::example(&[(&format!("docs/decisions/{name}"), "")]);
        assert_eq!(misnamed_records(&tree).is_empty(), is_right, "{name}");
    }
}
