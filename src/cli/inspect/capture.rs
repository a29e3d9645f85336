//! An opened capture: its bytes, its day, and the stages that a look inside needs.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshlane::session::{SessionDate, session_date_of, wall_clock_ns};
use freshlane::topology::market_code;
use freshlane_feed_handlers::itch50::{BATCH_MAX, HandlerSpec, Itch50Handler, ReceiveTime};
use freshlane_feed_handlers::session_time::SessionTime;
use freshlane_feed_handlers::source::{Batch, BinaryFileSource, MessageSource};
use freshlane_feed_handlers::transport::{Compression, FileSource};
use freshlane_quote::{ChannelId, SymbolDirectory, VenueId};
use indicatif::{ProgressBar, ProgressStyle};

use super::{InspectArgs, Protocol};
use crate::cli::exit::Failure;
use crate::cli::log::note;

/// Live orders to begin with; the books grow.
const ORDERS_EXPECTED: usize = 1 << 16;

/// How often the progress bar is brought up to date, in batches.
const BATCHES_PER_UPDATE: u32 = 4096;

/// A capture that was opened.
pub(super) struct Capture {
    /// As the user named it.
    pub(super) shown: String,
    /// To open it again.
    pub(super) path: PathBuf,
    pub(super) protocol: Protocol,
    pub(super) venue: String,
    pub(super) time_zone: String,
    pub(super) compression: Compression,
    pub(super) date: SessionDate,
    pub(super) session: SessionTime,
    pub(super) source: BinaryFileSource,
    progress: Progress,
}

impl Capture {
    /// Opens the capture and settles its day, which is said where it was not given.
    pub(super) fn open(args: &InspectArgs) -> Result<Self, Failure> {
        let date = session_date_of(&args.file, args.date, &args.time_zone, wall_clock_ns())
            .map_err(Failure::usage)?;
        let session = SessionTime::new(date.date, &args.time_zone).map_err(Failure::usage)?;
        let is_stdin = args.file.as_os_str() == "-";
        let path = if is_stdin { Path::new("/dev/stdin") } else { &args.file };
        let file = FileSource::open(path).map_err(Failure::failed)?;
        if let Some(text) = date.note() {
            note(text);
        }
        let compression = file.compression();
        let source = BinaryFileSource::new(file);
        let progress = Progress::new(&source, args.messages || args.quotes);
        Ok(Self {
            shown: if is_stdin { "standard input".into() } else { args.file.display().to_string() },
            path: path.to_owned(),
            protocol: args.protocol,
            venue: args.venue.clone(),
            time_zone: args.time_zone.clone(),
            compression,
            date,
            session,
            source,
            progress,
        })
    }

    /// Hands the next batch of at most `max` messages to `visit`; false at the end.
    pub(super) fn next_batch(&mut self, max: usize, visit: impl FnOnce(&[&[u8]], u64)) -> bool {
        self.progress.step(&self.source);
        let is_at_end = self.source.next_batch(max, visit) == Batch::End;
        if is_at_end {
            self.progress.clear();
        }
        !is_at_end
    }

    /// A feed handler for this capture that keeps nothing back: no test symbol, and no time however
    /// implausible.
    pub(super) fn handler(&self, directory: &Arc<SymbolDirectory>) -> Itch50Handler {
        Itch50Handler::new(HandlerSpec {
            directory: directory.clone(),
            venue: VenueId(0),
            channel: ChannelId(0),
            market_code: market_code(&self.venue),
            session: self.session.clone(),
            future_limit_ns: u64::MAX,
            orders_expected: ORDERS_EXPECTED,
            exclude_test_symbols: false,
        })
    }

    /// Lets `handler` handle the next batch as a replay does; false at the end.
    pub(super) fn next_batch_into(&mut self, handler: &mut Itch50Handler) -> bool {
        self.next_batch(BATCH_MAX, |messages, first_sequence| {
            handler.on_batch(messages, first_sequence, ReceiveTime::EventTime);
        })
    }
}

/// A bar on standard error, where that is a terminal and no lines are shown on it.
struct Progress {
    bar: ProgressBar,
    batches: u32,
}

impl Progress {
    fn new(source: &BinaryFileSource, prints_lines: bool) -> Self {
        let would_disturb = prints_lines && io::stdout().is_terminal();
        let bar = if would_disturb || source.file_bytes() == 0 {
            ProgressBar::hidden()
        } else {
            let template = "{wide_bar} {percent:>3} %  {bytes} of {total_bytes}  {eta} left";
            let style = ProgressStyle::with_template(template);
            ProgressBar::new(source.file_bytes())
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        };
        Self { bar, batches: 0 }
    }

    #[inline]
    fn step(&mut self, source: &BinaryFileSource) {
        self.batches += 1;
        if self.batches == BATCHES_PER_UPDATE {
            self.batches = 0;
            self.bar.set_position(source.read_bytes().get());
        }
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
