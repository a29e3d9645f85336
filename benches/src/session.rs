//! A run of the harness: what to measure, where the rows go.

use std::cell::OnceCell;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::cores::{Cores, pin};
use crate::day::{Day, DayError, DaySpec};
use crate::pair::Pair;
use crate::plan::{Scale, Suite};
use crate::row::Row;
use crate::timekeeping::Timekeeping;

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The rows cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Rows {
        /// Where to.
        path: PathBuf,
        /// What the OS says.
        source: io::Error,
    },
    /// There is no such market.
    #[error(transparent)]
    Day(#[from] DayError),
    /// The engine clock does not start.
    #[error("the engine clock does not start: {0}")]
    Clock(String),
    /// The process that measures its own memory did not do its part.
    #[error("the process that measures its memory: {0}")]
    MemoryProbe(String),
    /// Two that ought to compute the same do not.
    #[error("{what} differ: the comparison would be worth nothing")]
    Unequal {
        /// What.
        what: String,
    },
}

/// Everything that the suites need of each other.
#[derive(Debug)]
pub struct Session {
    scale: Scale,
    only: Option<Suite>,
    rows_path: Option<PathBuf>,
    rows: Vec<Row>,
    pair: Option<Pair>,
    timekeeping: Timekeeping,
    day: OnceCell<Rc<Day>>,
}

impl Session {
    /// A run at `scale` of all suites or `only` one. The calling thread is pinned from here on.
    /// Rows are appended to `rows_path` as lines of JSON, where one is given.
    ///
    /// # Errors
    /// [`SessionError::Clock`] where the engine clock does not start.
    pub fn start(
        scale: Scale,
        only: Option<Suite>,
        rows_path: Option<&Path>,
    ) -> Result<Self, SessionError> {
        let cores = Cores::of_process();
        // Before the pin: the thread that keeps the clock must not inherit it.
        let timekeeping = Timekeeping::start().map_err(SessionError::Clock)?;
        if let Some(core) = cores.main() {
            pin(core);
        }
        let pair = Pair::on(cores);
        if pair.is_none() {
            progress("one core only: the rows of two cores are skipped");
        }
        let rows_path = rows_path.map(Path::to_owned);
        let day = OnceCell::new();
        Ok(Self { scale, only, rows_path, rows: Vec::new(), pair, timekeeping, day })
    }

    /// How much is measured.
    #[must_use]
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether `suite` is to run. Says so to whoever waits.
    #[must_use]
    pub fn wants(&self, suite: Suite) -> bool {
        let wanted = self.only.is_none_or(|only| only == suite);
        if wanted {
            progress(&format!("== {}", suite.name()));
        }
        wanted
    }

    /// The two cores; `None` where there is only one.
    #[must_use]
    pub fn pair(&self) -> Option<Pair> {
        self.pair
    }

    /// The engine clock and the thread that keeps it.
    #[must_use]
    pub fn timekeeping(&self) -> &Timekeeping {
        &self.timekeeping
    }

    /// The market's day, made on first use.
    ///
    /// # Errors
    /// [`SessionError::Day`] where there is no such market.
    pub fn day(&self) -> Result<Rc<Day>, SessionError> {
        if let Some(day) = self.day.get() {
            return Ok(Rc::clone(day));
        }
        let spec = DaySpec::of(self.scale.market(), self.scale.slices());
        progress(&format!("generating a day of {} messages", spec.market.messages));
        let day = Rc::new(Day::generate(&spec)?);
        progress(&day.to_string());
        Ok(Rc::clone(self.day.get_or_init(|| day)))
    }

    /// Takes a row in, shows it and keeps it.
    ///
    /// # Errors
    /// [`SessionError::Rows`] where it cannot be written.
    pub fn add(&mut self, row: Row) -> Result<(), SessionError> {
        progress(&crate::table::in_one_line(&row));
        if let Some(path) = &self.rows_path {
            append(path, &row)
                .map_err(|source| SessionError::Rows { path: path.clone(), source })?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// The rows so far.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

fn append(path: &Path, row: &Row) -> io::Result<()> {
    let mut line = serde_json::to_string(row)?;
    line.push('\n');
    OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}

/// Tells whoever waits how far the run is.
pub fn progress(text: &str) {
    eprintln!("{text}");
}
