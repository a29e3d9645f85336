//! `freshlane replay`: a capture through the whole engine, in event time.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use freshlane::report::{Report, ReportInput};
use freshlane::session::{SessionDate, session_date_of, wall_clock_ns};
use freshlane::topology::{self, Replay, ReplaySpec};
use freshlane_config::Config;
use freshlane_consumers::SimulatedLane;
use freshlane_feed_handlers::itch50::BATCH_MAX;
use freshlane_feed_handlers::session_time::parse_date;
use freshlane_feed_handlers::transport::FileSource;
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::Failure;
use super::run::load_config;

/// How often the progress bar is brought up to date, in turns of the data path.
const TURNS_PER_UPDATE: u64 = 4096;

/// Replays a capture through the same stages as a live run, in event time.
///
/// Time is the venue's own: a quote is received when its message was sent, and each lane's consumer
/// takes its configured service time for every quote. So the same capture and configuration give
/// the same deliveries, and the same digests, on any machine. The feed waits when its ring is full;
/// nothing is lost before the lanes.
#[derive(Args, Debug)]
pub(super) struct ReplayArgs {
    /// Capture to replay: ITCH 5.0 in BinaryFILE framing, raw, gzip or zstd (told by content)
    file: PathBuf,
    /// Configuration with the lanes; its first feed says venue and time zone [default: the
    /// embedded one with four lanes]
    #[arg(long, value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Write the report as JSON to this file (`-` for standard output)
    #[arg(long, value_name = "R.json")]
    report: Option<PathBuf>,
    /// Session date, YYYY-MM-DD [default: from the file's name, else today in the venue's zone]
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// Messages and records of an internal batch, 1 to 1024; the results do not depend on it
    #[arg(long, value_name = "N", default_value_t = BATCH_MAX, value_parser = batch_size)]
    batch: usize,
    /// Print the report as JSON instead of the table
    #[arg(long)]
    json: bool,
}

fn batch_size(text: &str) -> Result<usize, String> {
    let size = text.parse::<usize>().map_err(|error| error.to_string())?;
    if (1..=1024).contains(&size) { Ok(size) } else { Err("a batch has 1 to 1024 records".into()) }
}

/// Runs the verb.
///
/// # Errors
/// [`Failure`] with exit code 2 for a wrong configuration or date, 1 for a capture that cannot be
/// read or is not whole, or a ledger that does not add up.
pub(super) fn execute(args: &ReplayArgs) -> Result<(), Failure> {
    let config = load_config(args.config.as_deref())?;
    let session = session(args, &config)?;
    let file = FileSource::open(&args.file).map_err(Failure::failed)?;
    let spec = ReplaySpec { session, batch_max: args.batch };
    let mut replay = topology::replay(&config, file, spec).map_err(Failure::failed)?;
    if let Some(note) = session.note() {
        super::log::note(note);
    }
    step_through(&mut replay);
    let report = report(args, &config, &replay, session);
    write(args, &report)?;
    verdict(args, &replay, &report)
}

fn session(args: &ReplayArgs, config: &Config) -> Result<SessionDate, Failure> {
    let given = args.date.as_deref().map(parse_date).transpose().map_err(Failure::usage)?;
    let zone = &config.feeds[0].time_zone;
    session_date_of(&args.file, given, zone, wall_clock_ns()).map_err(Failure::usage)
}

fn step_through(replay: &mut Replay) {
    let source = replay.feed.source();
    let bar = ProgressBar::new(source.file_bytes()).with_style(style());
    let read_bytes = source.read_bytes();
    let ledger = replay.feed.handler().ledger().clone();
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut turns = 0_u64;
    while replay.step() {
        turns += 1;
        if turns.is_multiple_of(TURNS_PER_UPDATE) {
            bar.set_position(read_bytes.get());
            let received = freshlane::report::grouped(ledger.received.get());
            bar.set_message(format!("{received} messages"));
        }
    }
    replay.drain();
    bar.finish_and_clear();
}

fn style() -> ProgressStyle {
    let template = "{wide_bar} {percent:>3} %  {bytes}/{total_bytes}  {msg}  {eta} left";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn report(args: &ReplayArgs, config: &Config, replay: &Replay, session: SessionDate) -> Report {
    let consumers = replay.lanes.iter().map(SimulatedLane::consumer);
    let digests: Vec<String> = consumers.map(|consumer| consumer.hex()).collect();
    let source = replay.feed.source();
    let mut report = Report::of(&replay.telemetry, &config.venues(), &digests);
    report.input = Some(ReportInput {
        file: args.file.display().to_string(),
        session_date: session.date.to_string(),
        complete: source.end().is_some_and(|end| end.is_clean()),
        end: source.end().map_or_else(String::new, ToString::to_string),
        framed_bytes: source.framed_bytes(),
        unframed_bytes: source.end().map_or(0, |end| end.unframed_bytes()),
    });
    report
}

fn write(args: &ReplayArgs, report: &Report) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(report).map_err(Failure::failed)?;
    let to_stdout = args.report.as_deref().is_some_and(|path| path.as_os_str() == "-");
    if let Some(path) = args.report.as_deref().filter(|_| !to_stdout) {
        fs::write(path, format!("{json}\n")).map_err(|error| {
            Failure::failed(format!("cannot write {}: {error}", path.display()))
        })?;
    }
    if args.json || to_stdout {
        return super::exit::print(&json);
    }
    super::exit::print(&format!("{report}\n{}", digest_lines(report)))
}

fn digest_lines(report: &Report) -> String {
    let lines = report
        .lanes
        .iter()
        .filter_map(|lane| Some(format!("digest {}: {}", lane.name, lane.digest.as_ref()?)));
    lines.collect::<Vec<_>>().join("\n")
}

/// What was whole has been processed and reported by now; this says whether that was all.
fn verdict(args: &ReplayArgs, replay: &Replay, report: &Report) -> Result<(), Failure> {
    let file = args.file.display();
    if !report.is_balanced() {
        return Err(Failure::failed("the ledger does not add up: this is a fault of the engine"));
    }
    if no_message_was_decoded(report) {
        return Err(Failure::failed(format!("{file} holds no ITCH 5.0 message"))
            .with_help(format!("`freshlane inspect {file}` says what it looks like")));
    }
    match replay.feed.source().end() {
        Some(end) if !end.is_clean() => Err(Failure::failed(format!("{file}: {end}"))),
        _ => Ok(()),
    }
}

fn no_message_was_decoded(report: &Report) -> bool {
    report.feeds.iter().all(|feed| {
        let refused = ["malformed", "unknown_type"].map(|name| feed.outcomes.get(name).copied());
        feed.received == refused.into_iter().flatten().sum::<u64>()
    })
}
