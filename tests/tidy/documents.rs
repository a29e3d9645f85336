//! Documents: one title each, and links that lead somewhere.

use super::hold;
use super::tree::{File, Tree};

/// The lines of a document that are not in a fenced block of code, each with its number.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_fence = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_fence ^= is_fence;
        !in_fence && !is_fence
    })
}

fn documents(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.has_extension("md"))
}

fn without_one_title(tree: &Tree) -> Vec<String> {
    let titles = |file: &File| {
        let text = file.text();
        prose(&text).filter(|(_, line)| line.starts_with("# ")).count()
    };
    documents(tree)
        .map(|file| (file, titles(file)))
        .filter(|(_, titles)| *titles != 1)
        .map(|(file, titles)| format!("{}: {titles} titles", file.path))
        .collect()
}

/// The targets of the links in a line; what stands in backquotes is no link.
fn links(line: &str) -> Vec<String> {
    let outside_code: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
    let after_text = outside_code.split("](").skip(1);
    after_text.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

fn broken_links(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for file in documents(tree) {
        for (number, line) in prose(&file.text()) {
            let broken = links(line).into_iter().filter(|link| !leads_somewhere(tree, file, link));
            found.extend(broken.map(|link| format!("{}:{number}: {link}", file.path)));
        }
    }
    found
}

fn leads_somewhere(tree: &Tree, file: &File, link: &str) -> bool {
    let path = link.split('#').next().unwrap_or_default();
    let is_elsewhere = link.contains("://") || link.starts_with("mailto:");
    is_elsewhere
        || path.is_empty()
        || resolved(file.folder(), path).is_some_and(|path| tree.has(&path))
}

/// `path` as seen from `folder`, from the root; `None` where it leaves the repository.
fn resolved(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[test]
fn every_document_has_one_title() {
    hold(without_one_title, "Give it exactly one line that begins with `# `:");
}

#[test]
fn every_relative_link_leads_somewhere() {
    hold(broken_links, "Mend the link, or take it out:");
}

#[test]
fn a_document_without_title_or_with_two_is_found() {
    for (text, is_right) in [
        ("# One\n\n## Part\n```\n# no title but a comment\n```\n", true),
        ("## Part", false),
        ("# One\n# Two", false),
        ("", false),
    ] {
        let tree = Tree::example(&[("docs/a.md", text)]);
        assert_eq!(without_one_title(&tree).is_empty(), is_right, "{text}");
    }
}

#[test]
fn a_broken_link_is_found() {
    for (link, is_right) in [
        ("b.md", true),
        ("./b.md#part", true),
        ("#part", true),
        ("../README.md", true),
        ("decisions/", true),
        ("https://example.org/b.md", true),
        ("c.md", false),
        ("../docs/c.md", false),
        ("../../README.md", false),
    ] {
        let text = format!("# A\n\nSee [it]({link}).");
        let tree = Tree::example(&[
            ("docs/a.md", &text),
            ("docs/b.md", "# B"),
            ("docs/decisions/d.md", "# D"),
            ("README.md", "# R"),
        ]);
        let found = broken_links(&tree);
        assert_eq!(found.is_empty(), is_right, "{link}: {found:?}");
    }
}

#[test]
fn what_is_no_link_is_left_alone() {
    let text = "# A\n`[x](gone.md)` a[0](1, 2\n```\n[x](gone.md)\n```\n";
    let found = broken_links(&Tree::example(&[("a.md", text)]));
    assert_eq!(found, [""; 0]);
}
