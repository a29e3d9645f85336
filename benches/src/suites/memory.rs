//! How much memory a crowded market takes.
//!
//! A process of its own reads the market from its standard input and keeps only what the engine
//! keeps; the generator, whose own books are as large, stays here. What counts is the most memory
//! that the process ever had, program and stacks included.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use freshlane_consumers::ConsumerAgent;
use freshlane_feed_handlers::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use freshlane_feed_handlers::itch50::{BATCH_MAX, Itch50Handler, ReceiveTime};
use freshlane_feed_handlers::synthetic::{ItchMarketSpec, write_binary_file};
use freshlane_quote::{Agent, SimulatedClock, SymbolDirectory};
use serde::{Deserialize, Serialize};

use crate::contest::Standing;
use crate::day::DaySpec;
use crate::machine::peak_memory_bytes;
use crate::path::{BusRig, Count, handler, reference_lanes};
use crate::plan::Suite;
use crate::row::Row;
use crate::series::Series;
use crate::session::{Session, SessionError};

/// The goal of the books, MiB.
const GOAL_MIB: f64 = 400.0;

/// What the process holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// Symbol directory, orders and levels.
    Books,
    /// The whole engine: besides, ingress ring, the four lanes of the reference installation and
    /// their histograms.
    Engine,
}

impl Held {
    const ALL: [(Self, &'static str); 2] = [(Self::Books, "books"), (Self::Engine, "engine")];

    /// What `name` stands for on the command line.
    ///
    /// # Errors
    /// A sentence for any other name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == name);
        found.map(|(held, _)| held).ok_or_else(|| "books or engine".into())
    }

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(held, _)| *held == self).map_or("", |(_, name)| name)
    }
}

/// What the process found of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemoryReport {
    /// The most memory that it ever had, bytes; 0 where the OS does not tell.
    pub peak_bytes: u64,
    /// The most orders that lived at a time.
    pub live_orders_max: u64,
    /// Instruments that were quoted.
    pub instruments: usize,
    /// How often the books had to grow.
    pub book_growths: u64,
}

/// Runs the suite, if it is wanted. `probe` is a program that answers `memory-probe` as
/// [`measure_self`] does; without one there is nothing to measure.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session, probe: Option<&Path>) -> Result<(), SessionError> {
    let Some(probe) = probe.filter(|_| session.wants(Suite::Memory)) else { return Ok(()) };
    let spec = DaySpec::of(session.scale().crowded_market(), 1).market;
    for (held, what) in
        [(Held::Books, "books of one feed"), (Held::Engine, "whole engine, four lanes")]
    {
        let report = measure(probe, held, &spec).map_err(SessionError::MemoryProbe)?;
        session.add(row(what, held, &report))?;
    }
    Ok(())
}

fn row(what: &str, held: Held, report: &MemoryReport) -> Row {
    let mebibytes = report.peak_bytes as f64 / f64::from(1 << 20);
    let name =
        format!("{} instruments, {} live orders", report.instruments, report.live_orders_max);
    let standing = Standing { name, each_ns: Series::new(vec![mebibytes]) };
    let row = Row::of(Suite::Memory, what, "MiB", &standing).note(format!(
        "Peak resident set of a process of its own. The books grew {} times.",
        report.book_growths
    ));
    if held == Held::Books { row.goal(GOAL_MIB) } else { row }
}

fn measure(probe: &Path, held: Held, spec: &ItchMarketSpec) -> Result<MemoryReport, String> {
    let orders = spec.live_orders.unwrap_or_default().to_string();
    let mut child = Command::new(probe)
        .args(["memory-probe", "--held", held.name(), "--orders", &orders])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    send_market(&mut child, spec)?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: {error}", output.status))
}

fn send_market(child: &mut Child, spec: &ItchMarketSpec) -> Result<(), String> {
    let input = child.stdin.take().ok_or("it takes no input")?;
    let mut input = BufWriter::new(input);
    write_binary_file(spec, &mut input, |_| ()).map_err(|error| error.to_string())?;
    // Dropped here, which ends the process's input.
    input.flush().map_err(|error| error.to_string())
}

/// Reads a BinaryFILE to its end into what is `held`, with memory for `orders_expected` live orders,
/// and reports on this process.
///
/// # Errors
/// What the OS says when the input cannot be read.
pub fn measure_self(
    input: impl Read,
    held: Held,
    orders_expected: usize,
) -> io::Result<MemoryReport> {
    let directory = Arc::new(SymbolDirectory::default());
    let mut handler = handler(Arc::clone(&directory), orders_expected);
    let mut engine = (held == Held::Engine).then(|| EngineRig::new(&directory));
    let mut live_orders_max = 0;
    read_in_batches(input, |messages| {
        handler.on_batch(messages, 1, ReceiveTime::EventTime);
        live_orders_max = live_orders_max.max(handler.ledger().live_orders.get());
        if let Some(engine) = &mut engine {
            engine.pass_on(&handler);
        }
    })?;
    Ok(MemoryReport {
        peak_bytes: peak_memory_bytes().unwrap_or(0),
        live_orders_max,
        instruments: directory.len(),
        book_growths: handler.ledger().book_growths.get(),
    })
}

/// The stages behind the books.
struct EngineRig {
    rig: BusRig,
    clock: SimulatedClock,
    consumers: Vec<ConsumerAgent<Count, SimulatedClock>>,
}

impl EngineRig {
    fn new(directory: &Arc<SymbolDirectory>) -> Self {
        let mut rig = BusRig::new(directory, reference_lanes());
        let clock = SimulatedClock::at(0);
        let lanes = std::mem::take(&mut rig.lanes).into_iter();
        let consumer = |lane| ConsumerAgent::new(lane, Count::default(), clock.clone());
        let consumers = lanes.map(consumer).collect();
        Self { rig, clock, consumers }
    }

    fn pass_on(&mut self, handler: &Itch50Handler) {
        let Some(last) = handler.records().last() else { return };
        self.clock.advance_to(last.ts_recv);
        self.rig.ring.push_batch(handler.records());
        self.rig.bus.do_work();
        self.consumers.iter_mut().for_each(|consumer| {
            consumer.do_work();
        });
    }
}

/// Calls `visit` with up to [`BATCH_MAX`] messages at a time.
fn read_in_batches(mut input: impl Read, mut visit: impl FnMut(&[&[u8]])) -> io::Result<()> {
    let mut window = vec![0; 256 << 10];
    let (mut len, mut framing) = (0, BinaryFile::new());
    loop {
        let count = input.read(&mut window[len..])?;
        len += count;
        let consumed = visit_whole(&window[..len], &mut framing, count == 0, &mut visit);
        window.copy_within(consumed..len, 0);
        len -= consumed;
        if count == 0 {
            return Ok(());
        }
    }
}

fn visit_whole(
    window: &[u8],
    framing: &mut BinaryFile,
    is_last: bool,
    visit: &mut impl FnMut(&[&[u8]]),
) -> usize {
    let (mut consumed, mut batch) = (0, Vec::with_capacity(BATCH_MAX));
    while let Record::Message(message) = framing.next(&window[consumed..], is_last) {
        consumed += LENGTH_BYTES + message.len();
        batch.push(message);
        if batch.len() == BATCH_MAX {
            visit(&batch);
            batch.clear();
        }
    }
    visit(&batch);
    consumed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Scale;

    #[test]
    fn the_market_is_read_to_its_end_whatever_is_held() {
        let spec = DaySpec::of(Scale::Tiny.crowded_market(), 1).market;
        let mut bytes = Vec::new();
        write_binary_file(&spec, &mut bytes, |_| ()).unwrap();
        let reports =
            [Held::Books, Held::Engine].map(|held| measure_self(&bytes[..], held, 6_000).unwrap());
        for report in reports {
            assert_eq!((report.instruments, report.book_growths), (reports[0].instruments, 0));
            assert!(report.live_orders_max > 2_000, "{report:?}");
            assert_eq!(report.live_orders_max, reports[0].live_orders_max);
        }
    }
}
