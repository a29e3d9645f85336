//! Where unsafe code may stand.

use super::code::{code_of, words};
use super::hold;
use super::tree::{File, Tree};

/// Files with unsafe code, each with the reason why safe Rust does not do.
const UNSAFE_FILES: [(&str, &str); 3] = [
    (
        "feed-handlers/src/book/memory.rs",
        "huge pages and prefetch are hints to kernel and hardware that safe Rust cannot give",
    ),
    (
        "fuzz/fuzz_targets/file_source.rs",
        "a file in memory, so that a fuzzer need not write to the disk: `memfd_create` is a C call",
    ),
    (
        "tests/no_allocation.rs",
        "an allocator that counts: `GlobalAlloc` is an unsafe trait; it belongs to that test alone",
    ),
];

/// Roots of crates with unsafe code in one of [`UNSAFE_FILES`], which cannot forbid it.
const ROOTS_THAT_ALLOW: [(&str, &str); 1] =
    [("feed-handlers/src/lib.rs", "feed-handlers/src/book/memory.rs")];

fn unlisted_unsafe(tree: &Tree, listed: &[(&str, &str)]) -> Vec<String> {
    let is_listed = |file: &&File| listed.iter().any(|(path, _)| *path == file.path);
    let has_unsafe = |file: &&File| words(&code_of(&file.text())).any(|word| word == "unsafe");
    let mut found: Vec<_> = tree
        .rust_files()
        .filter(|file| !is_listed(file))
        .filter(has_unsafe)
        .map(|file| format!("{}: unsafe code", file.path))
        .collect();
    for (path, _) in listed {
        if !tree.find(path).is_some_and(|file| has_unsafe(&file)) {
            found.push(format!("{path}: listed, and has no unsafe code (any more)"));
        }
    }
    found
}

/// `src/lib.rs`, `src/main.rs` and the files of `src/bin` of every package.
fn is_crate_root(file: &File) -> bool {
    let path = &file.path;
    let is_root = |end: &str| path == end || path.ends_with(&format!("/{end}"));
    is_root("src/lib.rs")
        || is_root("src/main.rs")
        || (file.folder().ends_with("src/bin") && file.has_extension("rs"))
}

fn roots_that_do_not_forbid(tree: &Tree, exempt: &[(&str, &str)]) -> Vec<String> {
    let is_exempt = |file: &&File| exempt.iter().any(|(path, _)| *path == file.path);
    let forbids = |file: &&File| code_of(&file.text()).contains("#![forbid(unsafe_code)]");
    tree.files
        .iter()
        .filter(|file| is_crate_root(file) && !is_exempt(file) && !forbids(file))
        .map(|file| file.path.clone())
        .collect()
}

#[test]
fn unsafe_code_stands_only_where_it_is_listed() {
    hold(
        |tree| unlisted_unsafe(tree, &UNSAFE_FILES),
        "Do without unsafe code, or move it into one small file and list that with its reason in \
         tests/tidy/unsafety.rs; take off the list what has none:",
    );
}

#[test]
fn every_other_crate_forbids_unsafe_code() {
    hold(
        |tree| roots_that_do_not_forbid(tree, &ROOTS_THAT_ALLOW),
        "Put `#![forbid(unsafe_code)]` at the top of these crate roots:",
    );
}

#[test]
fn a_crate_root_is_exempt_only_for_a_listed_file() {
    for (root, file) in ROOTS_THAT_ALLOW {
        assert!(UNSAFE_FILES.iter().any(|(listed, _)| *listed == file), "{root} for {file}");
    }
    assert!(UNSAFE_FILES.iter().all(|(_, reason)| !reason.is_empty()));
}

#[test]
fn unsafe_code_that_is_not_listed_is_found() {
    let tree = Tree::example(&[
        ("bus/src/ring.rs", "fn a() { unsafe { b() } }"),
        ("bus/src/lane.rs", "// unsafe\n#![forbid(unsafe_code)] const A: &str = \"unsafe\";"),
        ("bus/src/listed.rs", "unsafe fn a() {}"),
    ]);
    let found = unlisted_unsafe(&tree, &[("bus/src/listed.rs", "because")]);
    assert_eq!(found, ["bus/src/ring.rs: unsafe code"]);
}

#[test]
fn a_listed_file_without_unsafe_code_is_found() {
    let tree = Tree::example(&[("bus/src/ring.rs", "fn a() {}")]);
    for path in ["bus/src/ring.rs", "bus/src/gone.rs"] {
        assert_eq!(unlisted_unsafe(&tree, &[(path, "because")]).len(), 1, "{path}");
    }
}

#[test]
fn a_root_that_forbids_nothing_is_found() {
    let tree = Tree::example(&[
        ("src/main.rs", "fn main() {}"),
        ("bus/src/lib.rs", "// #![forbid(unsafe_code)]"),
        ("quote/src/lib.rs", "#![forbid(unsafe_code)]"),
        ("quote/src/bin/a.rs", "fn main() {}"),
        ("quote/src/price.rs", ""),
        ("feed-handlers/src/lib.rs", ""),
    ]);
    let found = roots_that_do_not_forbid(&tree, &[("feed-handlers/src/lib.rs", "a.rs")]);
    assert_eq!(found, ["src/main.rs", "bus/src/lib.rs", "quote/src/bin/a.rs"]);
}
