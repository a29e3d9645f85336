//! `freshlane run`: the engine, live.

use std::io::{self, IsTerminal, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use freshlane::admin::{AdminServer, ServeError, metrics};
use freshlane::engine::Engine;
use freshlane::report::{Report, grouped, shown_ns};
use freshlane::runtime::{AllowedCores, Ending, PinOutcome};
use freshlane_config::{Config, parse_duration};
use freshlane_consumers::{IntervalReader, LaneTelemetry};
use freshlane_quote::{Clock, EngineClock};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::exit::Failure;
use super::log::note;

/// How often the engine is looked after.
const WATCH_PERIOD: Duration = Duration::from_millis(20);
/// How often the summary is shown.
const SUMMARY_PERIOD_NS: u64 = 1_000_000_000;

/// Runs the engine until it is stopped (Ctrl-C or SIGTERM) or for a given time.
///
/// Without CONFIG: the embedded default, a synthetic NASDAQ market of 8,000 symbols into four
/// lanes with a time to live of 200 ms, 500 ms, 2 s and 5 s, metrics on 127.0.0.1:7373. On a
/// terminal each lane is summed up once a second; at the end comes a table. The feeds stop first,
/// then everything that is on its way is handed over.
#[derive(Args, Debug)]
pub(super) struct RunArgs {
    /// Configuration to run [default: the embedded one; print it with `freshlane check --embedded`]
    config: Option<PathBuf>,
    /// Stop after this long, for example 30s or 5m [default: run until stopped]
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,
    /// Serve /metrics on this loopback address instead of admin.listen
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Print the final report as JSON instead of the table
    #[arg(long)]
    json: bool,
}

fn duration(text: &str) -> Result<Duration, String> {
    let ns = parse_duration(text).map_err(|error| format!("{error}; {}", error.help(text)))?;
    Ok(Duration::from_nanos(ns))
}

/// Loads a configuration, or the embedded one; warnings go to standard error.
///
/// # Errors
/// [`Failure`] with exit code 2 and every mistake.
pub(super) fn load_config(path: Option<&Path>) -> Result<Config, Failure> {
    let loaded = match path {
        Some(path) => Config::load(path),
        None => Config::embedded(),
    }
    .map_err(Failure::usage)?;
    for warning in &loaded.warnings {
        note(warning);
    }
    Ok(loaded.config)
}

/// Runs the verb.
///
/// # Errors
/// [`Failure`] with exit code 2 for a wrong configuration, 1 when the engine does not start, an
/// agent died or is stuck, or the ledger does not add up.
pub(super) fn execute(args: &RunArgs) -> Result<(), Failure> {
    let mut config = load_config(args.config.as_deref())?;
    if let Some(listen) = args.listen {
        if !listen.ip().is_loopback() {
            return Err(Failure::usage(
                "--listen takes a loopback address: there is no \
                                       authentication yet",
            ));
        }
        (config.admin.listen, config.admin.enabled) = (listen, true);
    }
    check_cores(&config)?;
    let stop_asked = stop_on_signals().map_err(Failure::failed)?;
    let mut engine = Engine::start(&config).map_err(Failure::failed)?;
    let serves = serve(&config, &engine, args);
    if let Err(error) = announce(&engine).and(serves) {
        let _ = engine.stop();
        return Err(error);
    }
    watch(&engine, args.duration, &stop_asked);
    let stopped = engine.stop();
    let report = Report::of(engine.telemetry(), &config.venues(), &[]);
    if args.json {
        super::exit::print(&serde_json::to_string_pretty(&report).map_err(Failure::failed)?)?;
    } else {
        super::exit::print(&report.to_string())?;
    }
    stopped.map_err(Failure::failed)?;
    verdict(&engine, &report)
}

fn check_cores(config: &Config) -> Result<(), Failure> {
    let allowed = AllowedCores::of_process().map_err(Failure::failed)?;
    let problems = config.check_cores(allowed.ids());
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    if problems.iter().any(|problem| problem.is_error()) {
        return Err(Failure::usage(texts.join("\n")));
    }
    texts.iter().for_each(note);
    Ok(())
}

fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // A second signal ends the process at once.
        signal_hook::flag::register_conditional_shutdown(signal, 1, asked.clone())?;
        signal_hook::flag::register(signal, asked.clone())?;
    }
    Ok(asked)
}

/// Serves the metrics. With the embedded default, which nobody chose a port for, another free port
/// will do when the usual one is taken.
fn serve(config: &Config, engine: &Engine, args: &RunArgs) -> Result<(), Failure> {
    if !config.admin.enabled {
        return Ok(());
    }
    let registry = || {
        let threads = engine.crew().threads().iter();
        let threads = threads
            .map(|thread| (thread.name().to_owned(), thread.pin() == PinOutcome::Pinned))
            .collect();
        let venues = config.venues().into_iter().map(str::to_owned).collect();
        metrics::registry(engine.telemetry().clone(), venues, threads, engine.clock())
    };
    let port_was_chosen = args.config.is_some() || args.listen.is_some();
    let server = match AdminServer::start(config.admin.listen, registry()) {
        Err(ServeError::Bind { address, .. }) if !port_was_chosen => {
            note(format!("{address} is taken; serving metrics on another port"));
            AdminServer::start(SocketAddr::new(address.ip(), 0), registry())
        }
        served => served,
    };
    let server = server.map_err(Failure::failed)?;
    note(format!("metrics: http://{}/metrics", server.address()));
    Ok(())
}

/// Says what runs where, and what is not as planned.
fn announce(engine: &Engine) -> Result<(), Failure> {
    note(engine.clock_report());
    for thread in engine.crew().threads() {
        if thread.pin() == PinOutcome::Refused {
            tracing::warn!("{} could not be pinned to its core; it runs anywhere", thread.name());
        }
        tracing::info!("{} pinned: {:?}", thread.name(), thread.pin());
    }
    Ok(())
}

/// Shows the lanes once a second until the time is over, somebody asks to stop, or every input has
/// ended.
fn watch(engine: &Engine, duration: Option<Duration>, stop_asked: &AtomicBool) {
    let clock = engine.clock();
    let started_ns = clock.now();
    let mut summary = Summary::new(engine, &clock);
    loop {
        pause(WATCH_PERIOD);
        let elapsed_ns = clock.now().saturating_sub(started_ns);
        let is_over = duration.is_some_and(|limit| u128::from(elapsed_ns) >= limit.as_nanos());
        if is_over || stop_asked.load(Ordering::Relaxed) || engine.has_ended() {
            return summary.clear();
        }
        summary.show_if_due(clock.now());
    }
}

#[allow(clippy::disallowed_methods, reason = "the main thread only watches")]
fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// One line a lane, rewritten in place once a second on a terminal.
struct Summary<'a> {
    lanes: Vec<LaneSummary<'a>>,
    is_terminal: bool,
    shown_lines: usize,
    shown_ns: u64,
}

struct LaneSummary<'a> {
    telemetry: &'a LaneTelemetry,
    ages: IntervalReader,
    delivered: u64,
}

impl<'a> Summary<'a> {
    fn new(engine: &'a Engine, clock: &EngineClock) -> Self {
        let lanes = engine.telemetry().lanes.iter().map(|telemetry| LaneSummary {
            telemetry,
            ages: IntervalReader::new(),
            delivered: 0,
        });
        Self {
            lanes: lanes.collect(),
            is_terminal: io::stderr().is_terminal(),
            shown_lines: 0,
            shown_ns: clock.now(),
        }
    }

    fn show_if_due(&mut self, now_ns: u64) {
        let elapsed_ns = now_ns.saturating_sub(self.shown_ns);
        if !self.is_terminal || elapsed_ns < SUMMARY_PERIOD_NS {
            return;
        }
        self.shown_ns = now_ns;
        let lines: Vec<String> = self.lanes.iter_mut().map(|lane| lane.line(elapsed_ns)).collect();
        self.clear();
        // A terminal that goes away is no reason to stop the engine.
        let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
        self.shown_lines = lines.len();
    }

    /// Takes the lines shown last off the screen.
    fn clear(&mut self) {
        if self.shown_lines != 0 {
            let _ = write!(io::stderr(), "\x1b[{}A\x1b[J", self.shown_lines);
            self.shown_lines = 0;
        }
    }
}

impl LaneSummary<'_> {
    fn line(&mut self, elapsed_ns: u64) -> String {
        let ledger = self.telemetry.ledger();
        let total = ledger.total();
        let spec = self.telemetry.lane().spec();
        let ages = self.ages.read(&self.telemetry.age_at_handover);
        let rate_per_s = u128::from(total.delivered - self.delivered) * 1_000_000_000
            / u128::from(elapsed_ns.max(1));
        self.delivered = total.delivered;
        format!(
            "{:<14} {:>10}/s  age p50 {:>8}  p99 {:>8}  expired {:>9}  dropped {:>9}  queued {:>7}",
            spec.name,
            grouped(u64::try_from(rate_per_s).unwrap_or(u64::MAX)),
            shown_ns(ages.value_at_quantile(0.5)),
            shown_ns(ages.value_at_quantile(0.99)),
            grouped(total.expired),
            grouped(total.dropped.total()),
            grouped(ledger.queued()),
        )
    }
}

fn verdict(engine: &Engine, report: &Report) -> Result<(), Failure> {
    let departures = engine.crew().threads().iter().flat_map(|thread| thread.departures());
    let died: Vec<String> = departures
        .filter_map(|departure| match departure.ending {
            Ending::Panicked(message) => Some(format!("{}: {message}", departure.agent)),
            Ending::Finished | Ending::Stopped => None,
        })
        .chain(report.lanes.iter().filter_map(|lane| {
            Some(format!("consumer of lane {}: {}", lane.name, lane.panic.as_ref()?))
        }))
        .collect();
    if !died.is_empty() {
        return Err(Failure::failed(format!("panicked: {}", died.join("; "))));
    }
    if !report.is_balanced() {
        return Err(Failure::failed("the ledger does not add up: this is a fault of the engine"));
    }
    Ok(())
}
