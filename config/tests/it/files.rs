//! Files that cannot be read, or not as text.

use std::fs;
use std::path::PathBuf;

use freshlane_config::Config;

use crate::text::{FEED, LANE, one};

/// A file of its own for each test, below the build directory.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_file_that_does_not_exist_is_one_problem_with_its_name() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("missing.toml");
    let problem = one(Config::load(&path).unwrap_err().into_vec());
    assert_eq!(problem.file, path.display().to_string());
    assert_eq!((problem.line, problem.column), (0, 0));
    assert!(problem.message.contains("cannot be read"), "{problem}");
}

#[test]
fn a_directory_is_one_problem() {
    let problem = one(Config::load(env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap_err().into_vec());
    assert!(problem.message.contains("cannot be read"), "{problem}");
}

#[test]
fn bytes_that_are_not_utf8_are_reported_where_they_stand() {
    let path = file("latin1.toml", b"# ok\n[engine] # caf\xe9\n");
    let problem = one(Config::load(&path).unwrap_err().into_vec());
    assert!(problem.message.contains("not UTF-8"), "{problem}");
    assert_eq!((problem.line, problem.column), (2, 15));
}

#[test]
fn a_file_longer_than_any_configuration_is_refused_unread() {
    let path = file("long.toml", &vec![b'#'; Config::TEXT_BYTES_MAX + 1]);
    let problem = one(Config::load(&path).unwrap_err().into_vec());
    assert!(problem.message.contains("longer than"), "{problem}");
    assert_eq!(problem.line, 0);
}

#[test]
fn a_text_longer_than_any_configuration_is_refused_too() {
    let text = "#".repeat(Config::TEXT_BYTES_MAX + 1);
    let problem = one(Config::parse("x", &text).unwrap_err().into_vec());
    assert!(problem.message.contains("longer than"), "{problem}");
}

#[test]
fn line_ends_and_byte_order_mark_of_another_system_do_not_matter() {
    let text = format!("\u{feff}{}", format!("{FEED}{LANE}").replace('\n', "\r\n"));
    let path = file("crlf.toml", text.as_bytes());
    assert_eq!(Config::load(&path).unwrap().config.lanes.len(), 1);
    let bad = text.replace("ttl = \"200ms\"", "ttl = 200");
    let problem = one(Config::load(&file("crlf_bad.toml", bad.as_bytes())).unwrap_err().into_vec());
    assert_eq!((problem.line, problem.column), (10, 7), "{problem}");
}
