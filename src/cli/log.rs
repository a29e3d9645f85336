//! Logs and notes: one plain line each on standard error.

use std::fmt::{self, Display};
use std::io;

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// What a user should know even without `-v`. `RUST_LOG=note=off` silences it.
const NOTE: &str = "note";

/// Says something that a user should know.
pub(crate) fn note(text: impl Display) {
    tracing::info!(target: NOTE, "{text}");
}

/// Starts logging: by `-v`s where there are any, else by `RUST_LOG`, else warnings and worse.
pub(super) fn start(verbose: u8) {
    let chosen = match verbose {
        0 => std::env::var("RUST_LOG").ok().filter(|text| !text.trim().is_empty()),
        1 => Some("info".to_owned()),
        2 => Some("debug".to_owned()),
        _ => Some("trace".to_owned()),
    };
    let (filter, refused) = filter(chosen.as_deref().unwrap_or("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        // Standard error may be closed; saying so there would panic.
        .log_internal_errors(false)
        .event_format(PlainLine)
        .with_writer(io::stderr)
        .init();
    if let Some(error) = refused {
        tracing::warn!("RUST_LOG is not understood and was ignored: {error}");
    }
}

/// The filter of `directives`, with why they were not understood.
fn filter(directives: &str) -> (EnvFilter, Option<String>) {
    let with_notes = |directives| format!("{NOTE}=info,{directives}");
    match EnvFilter::try_new(with_notes(directives)) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(with_notes("warn")), Some(error.to_string())),
    }
}

/// `severity: message`, details with the module that says so.
struct PlainLine;

impl<S, N> FormatEvent<S, N> for PlainLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        match *metadata.level() {
            Level::ERROR => writer.write_str("error: ")?,
            Level::WARN => writer.write_str("warning: ")?,
            Level::INFO if metadata.target() == NOTE => writer.write_str("note: ")?,
            Level::INFO => writer.write_str("info: ")?,
            Level::DEBUG => write!(writer, "debug: {}: ", metadata.target())?,
            Level::TRACE => write!(writer, "trace: {}: ", metadata.target())?,
        }
        context.format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_that_are_not_understood_are_named_and_ignored() {
        assert!(filter("warn,freshlane=debug").1.is_none());
        let (fallback, refused) = filter("freshlane=loud");
        assert!(refused.is_some());
        assert_eq!(fallback.to_string(), filter("warn").0.to_string());
    }
}
