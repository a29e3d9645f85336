//! The configuration as a whole, and the ways to get one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use freshlane_quote::VenueId;
use toml_edit::{Document, TomlError};

use crate::check;
use crate::cores::CoresAsWritten;
use crate::model::{AdminConfig, EngineConfig, FeedConfig, LaneConfig};
use crate::problem::{Problem, Problems};
use crate::raw::RawConfig;
use crate::source::{Place, Sink, Source, whole_file_error};

/// A validated configuration. Only parsing makes one, so whoever holds one need not check it.
#[derive(Clone, Debug)]
pub struct Config {
    /// The engine as a whole.
    pub engine: EngineConfig,
    /// The admin port.
    pub admin: AdminConfig,
    /// The feeds, at least one, at most [`FeedConfig::COUNT_MAX`]. Their position is their
    /// [`ChannelId`](freshlane_quote::ChannelId).
    pub feeds: Vec<FeedConfig>,
    /// The lanes, at least one, at most [`LaneConfig::COUNT_MAX`]. Their position is their bit in
    /// an instrument's lane mask.
    pub lanes: Vec<LaneConfig>,
    pub(crate) cores_as_written: CoresAsWritten,
}

/// A configuration that can be used, with what is probably not meant.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Warnings only, in the order of the lines.
    pub warnings: Vec<Problem>,
}

impl Config {
    /// The text of the default profile, `config/default.toml`.
    pub const EMBEDDED: &'static str = include_str!("../default.toml");

    /// What the default profile is called in messages.
    pub const EMBEDDED_NAME: &'static str = "default.toml (embedded)";

    /// The longest text that is read, bytes.
    pub const TEXT_BYTES_MAX: usize = 1 << 20;

    /// The configuration that `text` is. `file_name` is only for messages.
    ///
    /// # Errors
    /// Every mistake in the text at once; a mistake in the TOML itself hides what comes with it.
    pub fn parse(file_name: &str, text: &str) -> Result<Loaded, Problems> {
        let mut sink = Sink::new(Source::new(file_name, text));
        let config = parse_into(text, &mut sink);
        let has_errors = sink.has_errors();
        let problems = Problems::new(sink.into_problems());
        match config {
            Some(config) if !has_errors => Ok(Loaded { config, warnings: problems.into_vec() }),
            _ => Err(problems),
        }
    }

    /// The configuration in the file at `path`.
    ///
    /// # Errors
    /// As [`Config::parse`]; and one problem where the file cannot be read, is not UTF-8, or is
    /// longer than [`Config::TEXT_BYTES_MAX`].
    pub fn load(path: &Path) -> Result<Loaded, Problems> {
        let name = path.display().to_string();
        let text = read_text(path, &name).map_err(|problem| Problems::new(vec![problem]))?;
        Self::parse(&name, &text)
    }

    /// The default profile.
    ///
    /// # Errors
    /// None, as a test sees to it; the type is that of [`Config::parse`], so that one code path
    /// serves both.
    pub fn embedded() -> Result<Loaded, Problems> {
        Self::parse(Self::EMBEDDED_NAME, Self::EMBEDDED)
    }

    /// The venues of the feeds, each once, in the order of their first feed: position is
    /// [`VenueId`].
    #[must_use]
    pub fn venues(&self) -> Vec<&str> {
        let mut venues: Vec<&str> = Vec::new();
        for feed in &self.feeds {
            if !venues.contains(&feed.venue.as_str()) {
                venues.push(&feed.venue);
            }
        }
        venues
    }

    /// The id of `venue`, where a feed has it.
    #[must_use]
    pub fn venue_id(&self, venue: &str) -> Option<VenueId> {
        let position = self.venues().iter().position(|known| *known == venue)?;
        u16::try_from(position).ok().map(VenueId)
    }
}

/// None where an error was reported.
fn parse_into(text: &str, sink: &mut Sink<'_>) -> Option<Config> {
    if text.len() > Config::TEXT_BYTES_MAX {
        sink.error_in_whole(too_long(), TOO_LONG_HELP);
        return None;
    }
    let document = Document::parse(text).map_err(|error| report_syntax(&error, sink)).ok()?;
    let raw = RawConfig::read(document.as_table(), sink);
    let (engine, admin, feeds, lanes) = check::check(&raw, sink)?;
    let cores_as_written = CoresAsWritten::new(&raw.engine.core_places, sink);
    Some(Config { engine, admin, feeds, lanes, cores_as_written })
}

fn report_syntax(error: &TomlError, sink: &mut Sink<'_>) {
    let offset = error.span().map_or(0, |span| span.start);
    let place = Place { path: String::new(), offset };
    // The parser's message may run over lines; a problem's does not.
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    let help = "mend this first: what stands in the file is only known after";
    sink.error(&place, format!("this is not TOML: {message}"), help);
}

const TOO_LONG_HELP: &str = "a configuration is a few kilobytes of TOML; is this the right file?";

fn too_long() -> String {
    format!("the text is longer than {} bytes", Config::TEXT_BYTES_MAX)
}

/// The text of the file; at most one byte more than is accepted is ever read.
fn read_text(path: &Path, name: &str) -> Result<String, Problem> {
    let unreadable = |error: std::io::Error| {
        whole_file_error(name, format!("cannot be read: {error}"), "give the path of a TOML file")
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    let len_max = u64::try_from(Config::TEXT_BYTES_MAX).unwrap_or(u64::MAX);
    file.take(len_max + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > Config::TEXT_BYTES_MAX {
        return Err(whole_file_error(name, too_long(), TOO_LONG_HELP));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid_bytes = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid_bytes]).into_owned();
        let (line, column) = Source::new(name, &before).line_and_column(valid_bytes);
        let message = "the text is not UTF-8";
        Problem { line, column, ..whole_file_error(name, message, "save the file as UTF-8") }
    })
}
