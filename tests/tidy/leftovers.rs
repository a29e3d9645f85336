//! What is put into code for a moment and must not stay, and lint escapes without a reason.

use super::code::{code_of, line_of, words};
use super::tree::{File, Tree};
use super::{hold, spell};

/// Macros that belong in no commit.
const MACROS: [&str; 3] = ["dbg", "todo", "unimplemented"];

/// Marks of unfinished work, put together here so that this file does not hold them.
fn marks() -> [String; 3] {
    [spell("FIX", "ME"), spell("TO", "DO"), spell("XX", "X")]
}

fn leftovers(tree: &Tree) -> Vec<String> {
    let texts = tree.files.iter().filter(|file| {
        ["rs", "toml", "sh"].iter().any(|extension| file.has_extension(extension))
            || file.folder() == "scripts"
    });
    let mut found = Vec::new();
    for file in texts {
        let text = file.text();
        let code = if file.has_extension("rs") { code_of(&text) } else { String::new() };
        for (number, line) in (1..).zip(text.lines()) {
            let marked = marks().into_iter().find(|mark| words(line).any(|word| word == mark));
            found.extend(marked.map(|mark| format!("{}:{number}: {mark}", file.path)));
        }
        for (number, line) in (1..).zip(code.lines()) {
            let left = leftover_in(line);
            found.extend(left.map(|left| format!("{}:{number}: {left}", file.path)));
        }
    }
    found
}

/// A leftover macro or a switched-off test in a line of code.
fn leftover_in(line: &str) -> Option<String> {
    let is_called = |name: &&&str| {
        line.match_indices(&format!("{name}!"))
            .any(|(at, _)| words(&line[..at + name.len()]).last() == Some(**name))
    };
    let called = MACROS.iter().find(is_called).map(|name| format!("{name}!"));
    called.or_else(|| line.contains("#[ignore").then(|| "#[ignore]".into()))
}

#[test]
fn nothing_unfinished_is_left() {
    hold(
        leftovers,
        "Finish it, take it out, or file an issue; a test that cannot pass is deleted or mended, \
         not switched off:",
    );
}

#[test]
fn leftovers_are_found() {
    for text in ["dbg!(a);", "let a = todo!();", "core::unimplemented!()", "#[ignore]\nfn a() {}"] {
        assert_eq!(leftovers(&Tree::example(&[("a.rs", text)])).len(), 1, "{text}");
    }
    for mark in marks() {
        for path in ["a.rs", "Cargo.toml", "scripts/test"] {
            let text = format!("a\n# // {mark}: later");
            let found = leftovers(&Tree::example(&[(path, &text)]));
            assert_eq!(found, [format!("{path}:2: {mark}")]);
        }
    }
}

#[test]
fn what_only_looks_like_a_leftover_is_left_alone() {
    let text = "// dbg! in a comment\nconst A: &str = \"todo!()\"; my_dbg!(a); XXXX.ignore()";
    assert_eq!(leftovers(&Tree::example(&[("a.rs", text)])), [""; 0]);
}

/// Lint escapes (`allow`, `expect`) of a source without a reason.
fn escapes_without_reason(file: &File) -> Vec<String> {
    let text = file.text();
    let code = code_of(&text);
    attributes(&code)
        .filter(|(_, attribute)| {
            let escapes = words(attribute).any(|word| word == "allow" || word == "expect");
            escapes && attribute.contains('(') && !words(attribute).any(|word| word == "reason")
        })
        .map(|(at, _)| format!("{}:{}", file.path, line_of(&code, at)))
        .collect()
}

/// The attributes of `code`, each with the offset at which it begins.
fn attributes(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let begins = code.match_indices('#').filter(|(at, _)| {
        let after = &code[at + 1..];
        after.strip_prefix('!').unwrap_or(after).starts_with('[')
    });
    begins.map(|(at, _)| (at, &code[at..at + attribute_len(&code[at..])]))
}

fn attribute_len(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' if depth == 1 => return at + 1,
            b']' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

#[test]
fn every_lint_escape_carries_its_reason() {
    hold(
        |tree| tree.rust_files().flat_map(escapes_without_reason).collect(),
        "Write why: `#[allow(LINT, reason = \"…\")]`:",
    );
}

#[test]
fn an_escape_without_reason_is_found_on_its_line() {
    for (text, lines) in [
        ("#![allow(dead_code)]", vec![1]),
        ("\n#[allow(\n  dead_code,\n)]\nfn a() {}\n#[expect(unused)]", vec![2, 6]),
        ("#[cfg_attr(loom, allow(dead_code))]", vec![1]),
        ("#[allow(dead_code, reason = \"because [of] that\")]", vec![]),
        ("// #[allow(dead_code)]\nfn allow(a: [u8; 2]) {}", vec![]),
        ("#[should_panic(expected = \"allow\")]", vec![]),
    ] {
        let tree = Tree::example(&[("a.rs", text)]);
        let expected: Vec<_> = lines.iter().map(|line| format!("a.rs:{line}")).collect();
        assert_eq!(escapes_without_reason(&tree.files[0]), expected, "{text}");
    }
}
