//! Measures Freshlane against itself, and makes documents of what was measured.

#![forbid(unsafe_code)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use freshlane_benches::machine;
use freshlane_benches::plan::{Scale, Suite};
use freshlane_benches::row::Row;
use freshlane_benches::session::Session;
use freshlane_benches::suites::{self, memory};
use freshlane_benches::table;

/// Benches of Freshlane.
#[derive(Parser, Debug)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Measure what needs no other crate.
    Measure {
        /// Less of everything: for a look, not for results that are kept.
        #[arg(long)]
        quick: bool,
        /// One suite only.
        #[arg(long, value_parser = Suite::from_name)]
        only: Option<Suite>,
        /// Append the rows to this file, a line of JSON each.
        #[arg(long)]
        rows: Option<PathBuf>,
    },
    /// Make a document of rows.
    Table {
        /// The file of rows.
        #[arg(long)]
        rows: PathBuf,
        /// The document; it must not exist.
        #[arg(long)]
        out: PathBuf,
        /// A line of its header, as NAME=VALUE.
        #[arg(long = "header", value_parser = header_line)]
        headers: Vec<(String, String)>,
    },
    /// Read a BinaryFILE from standard input and report on the memory of this process.
    #[command(hide = true)]
    MemoryProbe {
        /// `books` or `engine`.
        #[arg(long, value_parser = memory::Held::from_name)]
        held: memory::Held,
        /// Live orders to have memory for.
        #[arg(long)]
        orders: usize,
    },
}

fn header_line(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn main() -> ExitCode {
    let done = match Arguments::parse().verb {
        Verb::Measure { quick, only, rows } => measure(quick, only, rows.as_deref()),
        Verb::Table { rows, out, headers } => write_table(&rows, &out, headers),
        Verb::MemoryProbe { held, orders } => probe_memory(held, orders),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("freshlane-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(quick: bool, only: Option<Suite>, rows: Option<&Path>) -> Result<(), String> {
    let scale = if quick { Scale::Quick } else { Scale::Full };
    let mut session = Session::start(scale, only, rows).map_err(|error| error.to_string())?;
    let this_program = std::env::current_exe().map_err(|error| error.to_string())?;
    suites::run(&mut session, Some(&this_program)).map_err(|error| error.to_string())
}

fn write_table(rows: &Path, out: &Path, headers: Vec<(String, String)>) -> Result<(), String> {
    let named = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let text = fs::read_to_string(rows).map_err(|error| named(rows, error))?;
    let rows: Result<Vec<Row>, _> = text.lines().map(serde_json::from_str).collect();
    let rows = rows.map_err(|error| error.to_string())?;
    let machine = machine::describe().into_iter().map(|(name, value)| (name.to_owned(), value));
    let headers: Vec<_> = headers.into_iter().chain(machine).collect();
    let name = out.file_stem().unwrap_or_default().to_string_lossy();
    let document = table::document(&format!("Bench results of {name}"), &headers, &rows);
    let mut file = fs::File::create_new(out).map_err(|error| named(out, error))?;
    io::Write::write_all(&mut file, document.as_bytes()).map_err(|error| named(out, error))
}

fn probe_memory(held: memory::Held, orders: usize) -> Result<(), String> {
    let report = memory::measure_self(io::stdin().lock(), held, orders)
        .map_err(|error| error.to_string())?;
    println!("{}", serde_json::to_string(&report).map_err(|error| error.to_string())?);
    Ok(())
}
