//! What the repository promises about itself beyond what compiler and lints see.
//!
//! Each rule is a test of its own that says what to do, and a function that is tested on a small
//! bad example, so that the rule is known to be able to fail.

mod code;
mod documents;
mod imports;
mod leftovers;
mod machine;
mod names;
mod size;
mod tree;
mod unsafety;

use tree::Tree;

/// Applies `rule` to the repository and fails with everything that it found.
fn hold(rule: impl FnOnce(&Tree) -> Vec<String>, what_to_do: &str) {
    let found = rule(&Tree::of_repository());
    assert!(found.is_empty(), "{what_to_do}\n\n  {}\n", found.join("\n  "));
}

/// The text `head` followed by `tail`: for words that may not stand in any file, this one included.
fn spell(head: &str, tail: &str) -> String {
    format!("{head}{tail}")
}
