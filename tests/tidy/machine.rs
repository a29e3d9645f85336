//! Nothing in the repository knows the machine on which it was written.

use super::code::line_of;
use super::tree::{File, Tree};
use super::{hold, spell};

/// Roots of absolute paths that exist on one machine only, put together here so that this file does
/// not hold them.
fn roots() -> [String; 3] {
    [spell("/wo", "rk/"), spell("/ro", "ot/"), spell("/ho", "me/")]
}

fn machine_paths(tree: &Tree) -> Vec<String> {
    tree.files.iter().flat_map(machine_paths_in).collect()
}

fn machine_paths_in(file: &File) -> Vec<String> {
    let text = file.text();
    let mut found = Vec::new();
    for root in roots() {
        let absolute = text.match_indices(&root).filter(|(at, _)| begins_a_path(&text[..*at]));
        found.extend(
            absolute.map(|(at, _)| format!("{}:{}: {root}", file.path, line_of(&text, at))),
        );
    }
    found
}

/// Whether a `/` after `before` is the first of its path.
fn begins_a_path(before: &str) -> bool {
    let last = before.chars().next_back();
    !last.is_some_and(|c| c.is_alphanumeric() || "_-.~}/)*".contains(c))
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    hold(
        machine_paths,
        "Write a path that is relative to the repository, or take it from the environment:",
    );
}

#[test]
fn absolute_paths_are_found_and_relative_ones_left_alone() {
    for root in roots() {
        for text in [format!("\na {root}b"), format!("\n\"{root}b\""), format!("\nA={root}b")] {
            let found = machine_paths(&Tree::example(&[("a.md", &text)]));
            assert_eq!(found, [format!("a.md:2: {root}")], "{text}");
        }
        let relative = format!("src{root}a.rs and ${{HOME}}{root} and ../..{root}");
        assert_eq!(machine_paths(&Tree::example(&[("a.md", &relative)])), [""; 0]);
    }
}
