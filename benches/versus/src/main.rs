//! Measures Freshlane beside its rivals.

#![forbid(unsafe_code)]

mod decode;
mod fan_out;
mod hop;
mod layouts;
mod transport;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use freshlane_benches::plan::{Scale, Suite};
use freshlane_benches::session::{Session, SessionError};

/// Freshlane beside its rivals.
#[derive(Parser, Debug)]
struct Arguments {
    /// Less of everything: for a look, not for results that are kept.
    #[arg(long)]
    quick: bool,
    /// One suite only.
    #[arg(long, value_parser = Suite::from_name)]
    only: Option<Suite>,
    /// Append the rows to this file, a line of JSON each.
    #[arg(long)]
    rows: Option<PathBuf>,
}

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("freshlane-versus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), SessionError> {
    let scale = if arguments.quick { Scale::Quick } else { Scale::Full };
    let mut session = Session::start(scale, arguments.only, arguments.rows.as_deref())?;
    run(&mut session)
}

fn run(session: &mut Session) -> Result<(), SessionError> {
    decode::run(session)?;
    decode::run_books(session)?;
    layouts::run(session)?;
    hop::run(session)?;
    fan_out::run(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every suite in its smallest size: what they measure must not rot.
    #[test]
    fn every_suite_gives_rows() {
        let mut session = Session::start(Scale::Tiny, None, None).unwrap();
        run(&mut session).unwrap();
        let has_rows = |suite| session.rows().iter().any(|row| row.suite == suite);
        let on_one_core = [Suite::Decode, Suite::Book, Suite::BookLayouts];
        assert!(on_one_core.into_iter().all(has_rows), "{:?}", session.rows());
    }
}
