//! Which day a capture is of.

use std::path::Path;

use freshlane_feed_handlers::session_time::{SessionError, date_at, date_in_file_name};
use freshlane_quote::clock::{ClockHints, ClockMode};
use freshlane_quote::{Clock, EngineClock};
use jiff::civil::Date;

/// A session date and where it was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionDate {
    /// The day, in the venue's zone.
    pub date: Date,
    /// Who says so.
    pub origin: DateOrigin,
}

/// Who says which day a session is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateOrigin {
    /// The command line or the configuration.
    Given,
    /// The file's name.
    FileName,
    /// Nobody: it is taken to be of today.
    Today,
}

impl SessionDate {
    /// A session of today.
    #[must_use]
    pub fn today(date: Date) -> Self {
        Self { date, origin: DateOrigin::Today }
    }

    /// The line that a user should see, where the date was not given.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let date = self.date;
        match self.origin {
            DateOrigin::Given => None,
            DateOrigin::FileName => Some(format!("session date {date}, from the file's name")),
            DateOrigin::Today => Some(format!(
                "session date {date}, which is today in the venue's zone: neither --date nor the \
                 file's name gives one"
            )),
        }
    }
}

/// What the wall clock says, ns since the Unix epoch: for telling which day is today.
#[must_use]
pub fn wall_clock_ns() -> u64 {
    let started = EngineClock::start(ClockMode::Os, &ClockHints::default());
    started.map_or(0, |(clock, ..)| clock.now())
}

/// The session date of the capture at `path`: as given, else by its name, else today at `now_ns`
/// (ns since the Unix epoch).
///
/// # Errors
/// [`SessionError::UnknownZone`].
pub fn session_date_of(
    path: &Path,
    given: Option<Date>,
    time_zone: &str,
    now_ns: u64,
) -> Result<SessionDate, SessionError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let today = SessionDate::today(date_at(now_ns, time_zone)?);
    Ok(given
        .map(|date| SessionDate { date, origin: DateOrigin::Given })
        .or_else(|| {
            let date = date_in_file_name(&name)?;
            Some(SessionDate { date, origin: DateOrigin::FileName })
        })
        .unwrap_or(today))
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshlane_feed_handlers::session_time::parse_date;

    #[test]
    fn a_given_date_wins_over_the_name_and_the_name_over_today() {
        let dated = Path::new("captures/S081321-v50.txt.gz");
        let plain = Path::new("captures/a.itch");
        let given = parse_date("2024-02-29").ok();
        let zone = "America/New_York";
        let found = |path, given| session_date_of(path, given, zone, 0).map(|found| found.origin);
        assert_eq!(found(dated, given), Ok(DateOrigin::Given));
        assert_eq!(found(dated, None), Ok(DateOrigin::FileName));
        assert_eq!(found(plain, None), Ok(DateOrigin::Today));
        let epoch = session_date_of(plain, None, zone, 0).map(|found| found.date.to_string());
        assert_eq!(epoch.as_deref(), Ok("1969-12-31"));
    }
}
