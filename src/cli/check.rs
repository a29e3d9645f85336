//! `freshlane check`: every mistake of a configuration at once, and what a right one means.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use freshlane::runtime::AllowedCores;
use freshlane_config::{Config, Loaded, Problem, Problems};
use serde::Serialize;

use super::exit::{Failure, print};
use super::log::note;

/// Checks a configuration: every mistake at once, with line, key and what to write instead
///
/// A configuration that can be used is printed to standard output with all its effective values,
/// the defaults among them, durations with a unit and in ns. Mistakes and warnings go to standard
/// error. The cores that it lists are checked against those that this process may run on.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 usable (there may be warnings), 2 not usable or not readable."
)]
pub(super) struct CheckArgs {
    /// Configuration to check, a TOML file
    #[arg(required_unless_present = "embedded")]
    config: Option<PathBuf>,
    /// Check the configuration that `freshlane run` uses when it is given none
    #[arg(long, conflicts_with = "config")]
    embedded: bool,
    /// Print mistakes and warnings as one JSON object to standard output, and nothing else
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Verdict<'a> {
    file: &'a str,
    /// Whether the configuration can be used.
    valid: bool,
    errors: usize,
    warnings: usize,
    problems: Vec<ProblemRow<'a>>,
}

#[derive(Serialize)]
struct ProblemRow<'a> {
    severity: &'static str,
    /// From 1; 0 where the problem is the file as a whole.
    line: usize,
    column: usize,
    /// Table and key, for example `lane[2].ttl`.
    path: &'a str,
    message: &'a str,
    help: &'a str,
}

impl<'a> ProblemRow<'a> {
    fn of(problem: &'a Problem) -> Self {
        Self {
            severity: problem.severity.name(),
            line: problem.line,
            column: problem.column,
            path: &problem.path,
            message: &problem.message,
            help: &problem.help,
        }
    }
}

/// Runs the verb.
pub(super) fn execute(args: &CheckArgs) -> Result<(), Failure> {
    let (config, problems) = checked(args);
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let warnings = problems.len() - errors;
    let file = args.config.as_ref().map(|path| path.display().to_string());
    let file = file.as_deref().unwrap_or(Config::EMBEDDED_NAME);
    if args.json {
        print_verdict(file, &problems)?;
    } else {
        show(&problems);
    }
    match config {
        Some(config) if errors == 0 => {
            if !args.json {
                print(config.to_string().trim_end())?;
            }
            note(format!("{file} is usable{}", counted(", with ", 0, warnings)));
            Ok(())
        }
        _ => Err(Failure::usage(format!("{file} has {}", counted("", errors, warnings)))),
    }
}

/// The configuration, if it is one, and what is wrong with it in general and on this machine.
fn checked(args: &CheckArgs) -> (Option<Config>, Vec<Problem>) {
    let loaded = args.config.as_ref().map_or_else(Config::embedded, |path| Config::load(path));
    match loaded.map_err(Problems::into_vec) {
        Ok(Loaded { config, warnings: mut problems }) => {
            match AllowedCores::of_process() {
                Ok(allowed) => problems.extend(config.check_cores(allowed.ids())),
                Err(error) => tracing::warn!("cores are not checked: {error}"),
            }
            problems.sort_by_key(|problem| (problem.line, problem.column));
            (Some(config), problems)
        }
        Err(problems) => (None, problems),
    }
}

fn show(problems: &[Problem]) {
    let mut stderr = io::stderr().lock();
    for problem in problems {
        // The exit code tells the verdict even where nobody reads standard error.
        let _ = writeln!(stderr, "{problem}");
    }
}

fn print_verdict(file: &str, problems: &[Problem]) -> Result<(), Failure> {
    let errors = problems.iter().filter(|problem| problem.is_error()).count();
    let verdict = Verdict {
        file,
        valid: errors == 0,
        errors,
        warnings: problems.len() - errors,
        problems: problems.iter().map(ProblemRow::of).collect(),
    };
    print(&serde_json::to_string_pretty(&verdict).map_err(Failure::failed)?)
}

/// `3 errors and 1 warning` after `before`; nothing where there are none.
fn counted(before: &str, errors: usize, warnings: usize) -> String {
    let counts: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}{}", if count == 1 { "" } else { "s" }))
        .collect();
    if counts.is_empty() { String::new() } else { format!("{before}{}", counts.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn counts_read_as_a_sentence() {
        assert_eq!(counted("", 1, 0), "1 error");
        assert_eq!(counted("", 3, 1), "3 errors and 1 warning");
        assert_eq!(counted(", with ", 0, 2), ", with 2 warnings");
        assert_eq!(counted(", with ", 0, 0), "");
    }
}
