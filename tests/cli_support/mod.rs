//! Runs the built binary as a stranger would, and makes captures for it.

#![allow(dead_code, reason = "each test file uses a part of this")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    /// Standard output as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// Standard output as one value of JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }

    /// Standard output as one value of JSON a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// This run, which must have ended with `code`.
    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.stderr);
        self
    }

    /// This run, whose standard error must hold `text`.
    #[track_caller]
    pub(crate) fn said(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "{text:?} is not in {}", self.stderr);
        self
    }
}

/// The binary with `arguments`, in `folder`.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_freshlane"));
    command.current_dir(folder).args(arguments).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

/// Runs the binary with `arguments`, in `folder`.
pub(crate) fn freshlane(folder: &Path, arguments: &[&str]) -> Ran {
    let output = command(folder, arguments).output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// An empty folder for the test `name`.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The names of the files in `folder`, sorted.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Messages in BinaryFILE framing, without an end-of-session record.
pub(crate) fn binary_file<M: AsRef<[u8]>>(messages: &[M]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        let message = message.as_ref();
        bytes.extend_from_slice(&u16::try_from(message.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(message);
    }
    bytes
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
