//! A corpus of refused files, each with its expected problems on the very lines.
//!
//! In a file, `#! text` at the end of a line expects an error on that line with that text, `#?` a
//! warning. A file must give exactly what it expects, no more and no less.

use std::fs;
use std::path::{Path, PathBuf};

use freshlane_config::{Config, Problem, Severity};

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

struct Expected {
    severity: Severity,
    line: usize,
    fragment: String,
}

fn expected(text: &str) -> Vec<Expected> {
    let of_line = |(index, line): (usize, &str)| {
        let marks = line.match_indices("#!").chain(line.match_indices("#?"));
        let parse = |(at, mark): (usize, &str)| {
            let rest = &line[at + 2..];
            let end = rest.find(" #!").unwrap_or(rest.len());
            let severity = if mark == "#!" { Severity::Error } else { Severity::Warning };
            Expected { severity, line: index + 1, fragment: rest[..end].trim().to_owned() }
        };
        marks.map(parse).collect::<Vec<_>>()
    };
    text.lines().enumerate().flat_map(of_line).collect()
}

fn fits(problem: &Problem, expected: &Expected) -> bool {
    problem.severity == expected.severity
        && problem.line == expected.line
        && problem.column > 0
        && problem.to_string().contains(&expected.fragment)
}

#[test]
fn each_file_of_the_corpus_gives_exactly_its_problems() {
    let files = corpus();
    assert!(files.len() >= 30, "{} files", files.len());
    let mut failures = String::new();
    for path in files {
        let expected = expected(&fs::read_to_string(&path).unwrap());
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!expected.is_empty(), "{name} expects nothing");
        let Err(problems) = Config::load(&path) else {
            failures += &format!("{name}: accepted\n");
            continue;
        };
        let all_fit = problems.iter().zip(&expected).all(|(found, wanted)| fits(found, wanted));
        if problems.iter().count() != expected.len() || !all_fit {
            failures += &format!("{name}: not as expected:\n{problems}\n\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_problem_says_where_and_what_to_write() {
    for path in corpus() {
        let problems = Config::load(&path).unwrap_err();
        for problem in &problems {
            assert_eq!(problem.file, path.display().to_string());
            assert!(!problem.help.is_empty(), "{problem}");
            let lines = problem.to_string().lines().count();
            assert!((2..=3).contains(&lines), "{problem}");
        }
    }
}

#[test]
fn eight_mistakes_give_eight_problems() {
    let path = corpus().into_iter().find(|path| path.ends_with("eight_mistakes.toml")).unwrap();
    let problems = Config::load(&path).unwrap_err();
    assert_eq!(problems.error_count(), 8, "{problems}");
}
