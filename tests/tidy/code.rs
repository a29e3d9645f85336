//! Rust source without what the compiler does not run: comments and the insides of literals.

/// `source` with comments and the contents of string and character literals blanked out. Lines
/// stay where they are.
pub(crate) fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = blank_len(rest, code.chars().next_back());
        if skipped == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let (blank, after) = rest.split_at(skipped);
            code.extend(blank.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = after;
        }
    }
    code
}

/// How many bytes at the front of `rest` are a comment or a literal; 0 where it is code.
fn blank_len(rest: &str, before: Option<char>) -> usize {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        block_comment_len(rest)
    } else if rest.starts_with('"') {
        string_len(rest)
    } else if rest.starts_with('\'') {
        character_len(rest)
    } else if in_word {
        0
    } else {
        raw_string_len(rest)
    }
}

fn block_comment_len(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn string_len(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// A character literal, or 0 for a lifetime or a label.
fn character_len(rest: &str) -> usize {
    let mut inside = rest[1..].chars();
    match (inside.next(), inside.next()) {
        (Some('\\'), Some(escaped)) => {
            let begun = 2 + escaped.len_utf8();
            rest[begun..].find('\'').map_or(0, |end| begun + end + 1)
        }
        (Some(one), Some('\'')) => 1 + one.len_utf8() + 1,
        _ => 0,
    }
}

/// A raw string (`r"…"`, `br#"…"#`), or 0.
fn raw_string_len(rest: &str) -> usize {
    let Some(after_r) = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')) else {
        return 0;
    };
    let hashes = after_r.len() - after_r.trim_start_matches('#').len();
    if !after_r[hashes..].starts_with('"') {
        return 0;
    }
    let begun = rest.len() - after_r.len() + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    rest[begun..].find(&end).map_or(rest.len(), |at| begun + at + end.len())
}

/// The words of `code`: runs of letters, digits and `_`.
pub(crate) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The line, from 1, of the byte at `offset` of `text`.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

#[test]
fn comments_and_literals_are_blanked_and_code_stays() {
    for (source, code) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b /* c */ d */ e", "a                   e"),
        (r#"a("b \" c", d)"#, r#"a(        , d)"#),
        ("a(r#\"b \" c\"#)", "a(          )"),
        ("a(b\"c\")", "a(b   )"),
        ("bar\"\"", "bar  "),
        (r"'\'' '\u{7f}' 'x' 'é'", "                     "),
        ("fn a<'b>(c: &'b str)", "fn a<'b>(c: &'b str)"),
        ("'outer: loop {}", "'outer: loop {}"),
        ("r#type", "r#type"),
        ("\"no end", "       "),
        ("\"two\nlines\"", "    \n      "),
    ] {
        assert_eq!(code_of(source), code, "{source}");
    }
}

#[test]
fn words_are_whole() {
    let found: Vec<_> = words("#![forbid(unsafe_code)] unsafe{}").collect();
    assert_eq!(found, ["forbid", "unsafe_code", "unsafe"]);
}
