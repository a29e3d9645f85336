//! `freshlane gen`: synthetic feeds, reproducible by their seed.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, Subcommand};
use freshlane::report::grouped;
use freshlane_feed_handlers::synthetic::{
    ItchMarketSpec, LIVE_ORDERS_MAX, SYMBOLS_MAX, WriteFileError, write_binary_file,
};
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::exit::Failure;
use super::log::note;
use super::number::{number_within, whole_number};
use super::whole_file::WholeFile;

/// Writes a synthetic feed to a file, the same bytes for the same seed
#[derive(Args, Debug)]
pub(super) struct GenArgs {
    #[command(subcommand)]
    feed: Feed,
}

#[derive(Subcommand, Debug)]
enum Feed {
    Itch(ItchArgs),
}

const ITCH_EXAMPLES: &str = "\
Examples:
  freshlane gen itch --symbols 500 --messages 1_000_000 --seed 7 --out a.itch
  freshlane gen itch --messages 50_000_000 --live-orders 2_000_000 --out 20261201.itch.zst
  freshlane gen itch --symbols 3 --messages 1000 --out - | freshlane inspect - --quotes";

/// One day of a NASDAQ-like market as ITCH 5.0 in BinaryFILE framing
///
/// Thousands of symbols whose activity follows Zipf's law, prices that move, and adds, executions,
/// cancels, deletes, replaces, hidden trades, auctions and halts in a real day's proportions. Every
/// message refers to an order that is live. The same numbers and seed give the same bytes on any
/// machine.
#[derive(Args, Debug)]
#[command(after_help = ITCH_EXAMPLES)]
struct ItchArgs {
    /// Symbols that are listed, 1 to 20000
    #[arg(long, value_name = "N", default_value = "8_000", value_parser = symbols, allow_negative_numbers = true)]
    symbols: u16,
    /// Messages of the day, all types together; at least 6 and 2 for each symbol
    #[arg(long, value_name = "N", default_value = "1_000_000", value_parser = whole_number, allow_negative_numbers = true)]
    messages: u64,
    /// Seed of everything random
    #[arg(long, value_name = "S", default_value = "1", value_parser = whole_number, allow_negative_numbers = true)]
    seed: u64,
    /// Orders that are live at a time in continuous trading, at most half of the messages beyond
    /// the least [default: 60 for each symbol, at most an eighth of the messages]
    #[arg(long, value_name = "N", value_parser = live_orders, allow_negative_numbers = true)]
    live_orders: Option<u32>,
    /// File to write, compressed if its name ends in .gz or .zst; `-` for standard output. It
    /// appears when it is whole (until then it is FILE.partial)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

fn symbols(text: &str) -> Result<u16, String> {
    number_within(text, 1..=SYMBOLS_MAX, &format!("a market has 1 to {SYMBOLS_MAX} symbols"))
}

fn live_orders(text: &str) -> Result<u32, String> {
    let what = format!("a market has at most {LIVE_ORDERS_MAX} live orders");
    number_within(text, 0..=LIVE_ORDERS_MAX, &what)
}

/// Runs the verb.
pub(super) fn execute(args: &GenArgs) -> Result<(), Failure> {
    let Feed::Itch(itch) = &args.feed;
    if itch.out.as_os_str() == "-" { itch_to_stdout(itch) } else { itch_to_file(itch) }
}

fn itch_to_file(args: &ItchArgs) -> Result<(), Failure> {
    let shown = args.out.display();
    let cannot = |error: io::Error| Failure::failed(format!("cannot write {shown}: {error}"));
    let mut file = WholeFile::create(&args.out).map_err(|error| match error.kind() {
        io::ErrorKind::IsADirectory => {
            Failure::usage(format!("{shown} is a directory; name a file in it"))
        }
        _ => cannot(error),
    })?;
    let bytes = write_itch(args, &mut file, cannot)?;
    file.finish().map_err(cannot)?;
    note(format!(
        "{shown} holds {} messages, {} bytes{}; look at it with: freshlane inspect {shown}",
        grouped(args.messages),
        grouped(bytes),
        compressed_size(&args.out, bytes),
    ));
    Ok(())
}

fn itch_to_stdout(args: &ItchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        return Err(Failure::usage("a terminal does not show ITCH; send it to a file or a pipe"));
    }
    let bytes = write_itch(args, &mut out, |error| Failure::stdout(&error))?;
    out.flush().map_err(|error| Failure::stdout(&error))?;
    let messages = grouped(args.messages);
    note(format!("{messages} messages, {} bytes written to standard output", grouped(bytes)));
    Ok(())
}

/// Writes the day with a progress bar and returns how many bytes it has; `cannot` makes a failure
/// of what `out` says.
fn write_itch(
    args: &ItchArgs,
    out: &mut impl Write,
    cannot: impl FnOnce(io::Error) -> Failure,
) -> Result<u64, Failure> {
    let ItchArgs { symbols, messages, seed, live_orders, .. } = *args;
    let spec = ItchMarketSpec { symbols, messages, seed, live_orders };
    let mut out = UntilInterrupted::new(out).map_err(Failure::failed)?;
    let bar = progress_bar(messages);
    let written = write_binary_file(&spec, &mut out, |done| bar.set_position(done));
    bar.finish_and_clear();
    written.map_err(|error| match error {
        WriteFileError::Spec(error) => Failure::usage(error),
        WriteFileError::Io(_) if out.is_interrupted() => Failure::failed("interrupted"),
        WriteFileError::Io(error) => cannot(error),
    })
}

/// Shown on standard error, and only where that is a terminal.
fn progress_bar(messages: u64) -> ProgressBar {
    let template = "{wide_bar} {percent:>3} %  {human_pos} of {human_len} messages  {eta} left";
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(messages).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// `, 1,234 on disk` where that differs.
fn compressed_size(path: &Path, bytes: u64) -> String {
    let on_disk = path.metadata().ok().filter(|metadata| metadata.is_file());
    match on_disk.map(|metadata| metadata.len()) {
        Some(len) if len != bytes => format!(", {} on disk", grouped(len)),
        _ => String::new(),
    }
}

/// A writer that gives up at the first SIGINT or SIGTERM, so that a half file can be cleared away.
struct UntilInterrupted<'a, W> {
    out: &'a mut W,
    asked: Arc<AtomicBool>,
}

impl<'a, W: Write> UntilInterrupted<'a, W> {
    fn new(out: &'a mut W) -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // A second signal ends the process at once.
            signal_hook::flag::register_conditional_shutdown(signal, 1, asked.clone())?;
            signal_hook::flag::register(signal, asked.clone())?;
        }
        Ok(Self { out, asked })
    }

    fn is_interrupted(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}

impl<W: Write> Write for UntilInterrupted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_interrupted() {
            return Err(io::Error::other("interrupted"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
