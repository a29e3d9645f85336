//! How a verb ends: its exit code and its last words.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why a verb does not end with 0, or ends early.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The work could not be done: exit code 1.
    Failed,
    /// Arguments or configuration are wrong: exit code 2.
    WrongUsage,
    /// Whoever reads standard output has seen enough (`| head`): exit code 0, without a word.
    OutputClosed,
}

impl Failure {
    /// The work could not be done.
    pub(crate) fn failed(message: impl Display) -> Self {
        Self { kind: Kind::Failed, message: message.to_string() }
    }

    /// Arguments or configuration are wrong.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self { kind: Kind::WrongUsage, message: message.to_string() }
    }

    /// Standard output took no more.
    pub(crate) fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { kind: Kind::OutputClosed, message: String::new() };
        }
        Self::failed(format!("cannot write to standard output: {error}"))
    }

    /// Adds a line that says what to do.
    pub(crate) fn with_help(mut self, help: impl Display) -> Self {
        self.message.push_str(&format!("\n  help: {help}"));
        self
    }

    /// Says on standard error what is wrong, and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if self.kind != Kind::OutputClosed {
            // Problems of a configuration bring their own severities.
            let own = ["error: ", "warning: "];
            let has_its_own = own.iter().any(|severity| self.message.starts_with(severity));
            let severity = if has_its_own { "" } else { "error: " };
            // Nobody is left to be told that standard error is closed.
            let _ = writeln!(io::stderr(), "{severity}{}", self.message);
        }
        self.exit_code().into()
    }

    fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::OutputClosed => 0,
            Kind::Failed => 1,
            Kind::WrongUsage => 2,
        }
    }
}

/// Writes `text` and an end of line to standard output.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| Failure::stdout(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_has_seen_enough_is_no_failure() {
        let closed = Failure::stdout(&io::ErrorKind::BrokenPipe.into());
        let full = Failure::stdout(&io::ErrorKind::StorageFull.into());
        assert_eq!((closed.exit_code(), full.exit_code()), (0, 1));
        assert_eq!(Failure::usage("").exit_code(), 2);
    }
}
