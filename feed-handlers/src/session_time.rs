//! From ns since local midnight to UTC.

use jiff::civil::Date;
use jiff::tz::TimeZone;

/// ns of 24 hours.
const DAY_NS: u64 = 86_400_000_000_000;
/// A jump of more than this is a midnight, not jitter.
const HALF_DAY_NS: u64 = DAY_NS / 2;
/// The longest local day (a daylight-saving change makes 25 hours), ns. Beyond it a stamp is bad.
const LONGEST_DAY_NS: u64 = DAY_NS + 3_600_000_000_000;
/// The last midnight whose day fits into 64 bits, ns since the Unix epoch.
const MIDNIGHT_NS_MAX: u64 = u64::MAX - LONGEST_DAY_NS;
/// Days of a session whose midnights are known exactly; later ones count 24 hours.
const DAYS: usize = 8;
/// A stamp that leaps by half a day and comes back within this many messages was an outlier.
const OUTLIER_MESSAGES: u32 = 16;
/// For so many messages after a midnight, a stamp near the end of the day before is a straggler.
const STRAGGLER_MESSAGES: u32 = 10_000;
/// How near, ns.
const STRAGGLER_NS: u64 = 600_000_000_000;

/// Why a date and a zone give no session.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SessionError {
    /// The zone is not in the IANA database.
    #[error("unknown time zone {name:?}; use an IANA name such as America/New_York")]
    UnknownZone {
        /// What was asked for.
        name: String,
    },
    /// The days from the date on do not fit into 64 bits of ns since 1970.
    #[error("the session date {date} lies outside 1970 to 2554")]
    OutOfRange {
        /// What was asked for.
        date: Date,
    },
    /// The text is not a calendar date.
    #[error("{text:?} is not a date; write it as YYYY-MM-DD, for example 2026-12-01")]
    NotADate {
        /// What was asked for.
        text: String,
    },
}

/// Parses `YYYY-MM-DD`.
///
/// # Errors
/// [`SessionError::NotADate`], also for days that no calendar has.
pub fn parse_date(text: &str) -> Result<Date, SessionError> {
    let not_a_date = || SessionError::NotADate { text: text.to_owned() };
    let plain = text.len() == 10
        && text.bytes().enumerate().all(|(i, byte)| match i {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !plain {
        return Err(not_a_date());
    }
    text.parse().map_err(|_| not_a_date())
}

/// Finds the session date in a file's name: `20231225`, `2023-12-25`, NASDAQ's `12252023.NASDAQ…`
/// (month first) or `S122523-v50…` (month first, two-digit year).
#[must_use]
pub fn date_in_file_name(name: &str) -> Option<Date> {
    let bytes = name.as_bytes();
    let runs = bytes.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    if let Some(date) = (0..bytes.len()).find_map(|at| parse_date(name.get(at..at + 10)?).ok()) {
        return Some(date);
    }
    let mut after_s = false;
    for run in runs {
        let text = std::str::from_utf8(run).unwrap_or_default();
        let date = match run.len() {
            8 if run[0].is_ascii_digit() => from_parts(&text[..4], &text[4..6], &text[6..])
                .filter(|date| date.year() >= 1970)
                .or_else(|| from_parts(&text[4..], &text[..2], &text[2..4])),
            6 if after_s && run[0].is_ascii_digit() => {
                from_parts(&format!("20{}", &text[4..]), &text[..2], &text[2..4])
            }
            _ => None,
        };
        if let Some(date) = date.filter(|date| date.year() >= 1970) {
            return Some(date);
        }
        after_s = run.last() == Some(&b'S');
    }
    None
}

fn from_parts(year: &str, month: &str, day: &str) -> Option<Date> {
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// A venue time in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventTime {
    /// ns since the Unix epoch.
    pub ts_event: u64,
    /// Whether the stamp was plausible: within a local day.
    pub is_plausible: bool,
}

/// Turns the stamps of one session into UTC, across midnights.
///
/// A stamp counts the nanoseconds that passed since the local midnight, so on the day of a
/// daylight-saving change it counts 23 or 25 hours. When stamps fall by more than half a day, the
/// next local day has begun; a single stamp that leaps away and comes back does not begin one.
#[derive(Clone, Debug)]
pub struct SessionTime {
    /// Local midnights in UTC, ns since the Unix epoch.
    midnights: [u64; DAYS],
    day: usize,
    /// `midnights[day]`, or its continuation beyond the table.
    base: u64,
    last_ns: u64,
    /// The last stamp before the last midnight.
    before_midnight_ns: u64,
    /// Messages since the last leap by half a day, for telling outliers and stragglers.
    since_leap: u32,
}

impl SessionTime {
    /// The session of `date` in the IANA zone `zone_name`.
    ///
    /// # Errors
    /// [`SessionError`] for an unknown zone or a date out of range.
    pub fn new(date: Date, zone_name: &str) -> Result<Self, SessionError> {
        let zone = TimeZone::get(zone_name)
            .map_err(|_| SessionError::UnknownZone { name: zone_name.to_owned() })?;
        let mut midnights = [0; DAYS];
        let mut day = date;
        for midnight in &mut midnights {
            *midnight = local_midnight_ns(day, &zone).ok_or(SessionError::OutOfRange { date })?;
            day = day.tomorrow().map_err(|_| SessionError::OutOfRange { date })?;
        }
        Ok(Self {
            midnights,
            day: 0,
            base: midnights[0],
            last_ns: 0,
            before_midnight_ns: 0,
            since_leap: u32::MAX,
        })
    }

    /// The UTC time of a stamp of `ns` since local midnight.
    #[inline]
    pub fn event_time(&mut self, ns: u64) -> EventTime {
        if ns >= LONGEST_DAY_NS {
            return EventTime { ts_event: self.base.saturating_add(ns), is_plausible: false };
        }
        self.since_leap = self.since_leap.saturating_add(1);
        if ns.abs_diff(self.last_ns) > HALF_DAY_NS {
            return self.at_leap(ns);
        }
        self.last_ns = ns;
        EventTime { ts_event: self.base + ns, is_plausible: true }
    }

    #[cold]
    fn at_leap(&mut self, ns: u64) -> EventTime {
        if ns > self.last_ns {
            if self.is_straggler(ns) {
                let before = self.midnight_ns(self.day - 1);
                return EventTime { ts_event: before + ns, is_plausible: true };
            }
            self.since_leap = 0;
        } else if self.since_leap > OUTLIER_MESSAGES {
            self.day += 1;
            self.base = self.midnight_ns(self.day);
            self.before_midnight_ns = self.last_ns;
            self.since_leap = 0;
        }
        self.last_ns = ns;
        EventTime { ts_event: self.base + ns, is_plausible: true }
    }

    fn is_straggler(&self, ns: u64) -> bool {
        self.day > 0
            && self.since_leap <= STRAGGLER_MESSAGES
            && ns.abs_diff(self.before_midnight_ns) <= STRAGGLER_NS
    }

    /// The local midnight that the session's day `day` (0 = the first) begins with, ns since the
    /// Unix epoch.
    #[must_use]
    pub fn midnight_ns(&self, day: usize) -> u64 {
        let known = day.min(DAYS - 1);
        let beyond_ns = ((day - known) as u64).saturating_mul(DAY_NS);
        self.midnights[known].saturating_add(beyond_ns).min(MIDNIGHT_NS_MAX)
    }
}

fn local_midnight_ns(date: Date, zone: &TimeZone) -> Option<u64> {
    let midnight = date.to_zoned_datetime(zone.clone()).ok()?;
    u64::try_from(midnight.timestamp().as_nanosecond()).ok().filter(|&ns| ns <= MIDNIGHT_NS_MAX)
}

/// Today's date in `zone_name` at `now_ns` since the Unix epoch.
///
/// # Errors
/// [`SessionError::UnknownZone`].
pub fn date_at(now_ns: u64, zone_name: &str) -> Result<Date, SessionError> {
    let zone = TimeZone::get(zone_name)
        .map_err(|_| SessionError::UnknownZone { name: zone_name.to_owned() })?;
    // 2^64 ns end in 2554, well inside the calendar's range.
    let stamp = jiff::Timestamp::from_nanosecond(now_ns.into()).unwrap_or_default();
    Ok(stamp.to_zoned_datetime(zone).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZONE: &str = "America/New_York";
    const HOUR_NS: u64 = 3_600_000_000_000;

    fn session(date: &str) -> SessionTime {
        SessionTime::new(parse_date(date).unwrap(), ZONE).unwrap()
    }

    fn utc(text: &str) -> u64 {
        let stamp: jiff::Timestamp = text.parse().unwrap();
        u64::try_from(stamp.as_nanosecond()).unwrap()
    }

    #[test]
    fn winter_and_summer_have_their_own_offset() {
        let open_ns = 34_200_000_000_001;
        for (date, expected) in [
            ("2026-01-15", "2026-01-15T14:30:00.000000001Z"),
            ("2026-07-15", "2026-07-15T13:30:00.000000001Z"),
        ] {
            let time = session(date).event_time(open_ns);
            assert_eq!((time.ts_event, time.is_plausible), (utc(expected), true));
        }
    }

    #[test]
    fn a_stamp_counts_elapsed_time_through_a_daylight_saving_change() {
        // 2026-03-08 has 23 hours: 9.5 hours after midnight it is 10:30 in New York.
        let spring = session("2026-03-08").event_time(34_200 * 1_000_000_000).ts_event;
        assert_eq!(spring, utc("2026-03-08T14:30:00Z"));
        // 2026-11-01 has 25 hours, and its last hour is plausible.
        let autumn = session("2026-11-01").event_time(24 * HOUR_NS + HOUR_NS / 2);
        assert_eq!((autumn.ts_event, autumn.is_plausible), (utc("2026-11-02T04:30:00Z"), true));
    }

    #[test]
    fn crossing_midnight_begins_the_next_local_day() {
        let mut session = session("2026-10-31");
        for _ in 0..20 {
            session.event_time(23 * HOUR_NS);
        }
        assert_eq!(session.event_time(5).ts_event, utc("2026-11-01T04:00:00.000000005Z"));
        // A straggler from before midnight keeps its day.
        assert_eq!(session.event_time(23 * HOUR_NS).ts_event, utc("2026-11-01T03:00:00Z"));
        assert_eq!(session.event_time(6).ts_event, utc("2026-11-01T04:00:00.000000006Z"));
        // The day after has its own offset: the clocks went back. Half a day of silence is no
        // straggler.
        for _ in 0..20 {
            session.event_time(20 * HOUR_NS);
        }
        assert_eq!(session.event_time(0).ts_event, utc("2026-11-02T05:00:00Z"));
    }

    #[test]
    fn midnights_without_end_stop_where_64_bits_do() {
        let mut session = session("2554-07-10");
        for hour in (0..24).cycle().take(40 * 24) {
            assert!(session.event_time(hour * HOUR_NS).is_plausible);
        }
        let last = session.event_time(LONGEST_DAY_NS - 1).ts_event;
        assert_eq!(last, u64::MAX - 1);
    }

    #[test]
    fn one_wild_stamp_does_not_begin_a_day() {
        let mut session = session("2026-01-15");
        session.event_time(5 * HOUR_NS);
        session.event_time(22 * HOUR_NS);
        assert_eq!(
            session.event_time(5 * HOUR_NS + 1).ts_event,
            utc("2026-01-15T10:00:00.000000001Z")
        );
    }

    #[test]
    fn a_stamp_beyond_the_day_is_bad_and_moves_nothing() {
        let mut session = session("2026-01-15");
        session.event_time(5 * HOUR_NS);
        assert!(!session.event_time((1 << 48) - 1).is_plausible);
        assert_eq!(session.event_time(5 * HOUR_NS).ts_event, utc("2026-01-15T10:00:00Z"));
    }

    #[test]
    fn dates_are_found_in_file_names() {
        for (name, expected) in [
            ("derived_es_20231225.itch50.gz", Some("2023-12-25")),
            ("01302020.NASDAQ_ITCH50.gz", Some("2020-01-30")),
            ("S081321-v50.txt.gz", Some("2021-08-13")),
            ("bx-2024-02-29.bin", Some("2024-02-29")),
            ("20230230.itch", None),
            ("nasdaq_itch50_messages.bin", None),
            ("ritch_synthetic_12012.itch50", None),
            ("a.itch", None),
        ] {
            let found = date_in_file_name(name).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn wrong_dates_and_zones_are_named() {
        for text in ["2026-02-30", "2026-13-01", "20260101", "tomorrow", "2026-1-1", ""] {
            assert!(matches!(parse_date(text), Err(SessionError::NotADate { .. })), "{text}");
        }
        let date = parse_date("2026-01-01").unwrap();
        assert!(matches!(
            SessionTime::new(date, "America/Gotham"),
            Err(SessionError::UnknownZone { .. })
        ));
        for date in ["1960-01-01", "1969-12-31", "2554-07-14", "9999-12-31"] {
            assert!(matches!(
                SessionTime::new(parse_date(date).unwrap(), ZONE),
                Err(SessionError::OutOfRange { .. })
            ));
        }
    }
}
