//! The command line: one file per verb.
//!
//! Results go to standard output; logs, notes and the reason of a failure to standard error. Exit
//! codes: 0 done, 1 failed, 2 wrong usage or configuration.

mod check;
mod exit;
mod r#gen;
mod inspect;
mod log;
mod number;
mod output;
mod replay;
mod row;
mod run;
mod whole_file;

use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  The whole engine for ten seconds, on a synthetic market:
    freshlane run --for 10s
  A synthetic capture, a look inside it, and what each lane would have been given:
    freshlane gen itch --symbols 500 --messages 1_000_000 --seed 7 --out a.itch
    freshlane inspect a.itch
    freshlane replay a.itch --report r.json

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.";

/// Freshlane distributes market-data quotes, each consumer in its own lane
///
/// Freshlane reads exchange feeds, builds the order books and gives every consumer its own lane of
/// quotes with its own time to live. A consumer is never handed a quote that is older than its lane
/// allows, and every quote that it is not handed is counted, by reason.
#[derive(Parser, Debug)]
#[command(name = "freshlane", version, after_help = EXAMPLES, max_term_width = 100)]
struct CommandLine {
    /// Log more: -v, -vv, -vvv for info, debug, trace [default: warn, or what RUST_LOG says]
    #[arg(short, long, action = ArgAction::Count, global = true, display_order = 900)]
    verbose: u8,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    Run(run::RunArgs),
    Replay(replay::ReplayArgs),
    Inspect(inspect::InspectArgs),
    Gen(r#gen::GenArgs),
    Check(check::CheckArgs),
}

/// Reads the command line, runs its verb and says how that ended.
pub(crate) fn main() -> ExitCode {
    let command_line = CommandLine::parse();
    log::start(command_line.verbose);
    let done = match &command_line.verb {
        Verb::Run(args) => run::execute(args),
        Verb::Replay(args) => replay::execute(args),
        Verb::Inspect(args) => inspect::execute(args),
        Verb::Gen(args) => r#gen::execute(args),
        Verb::Check(args) => check::execute(args),
    };
    done.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::CommandLine;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    /// Every verb and option says what it does.
    #[test]
    fn everything_has_a_help_text() {
        fn visit(command: &clap::Command) {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name} has no help text");
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{name} {} has none", argument.get_id());
            }
            command.get_subcommands().for_each(visit);
        }
        visit(&CommandLine::command());
    }
}
