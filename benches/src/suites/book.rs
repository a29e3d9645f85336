//! Decode, book and quote in batches of several sizes: what prefetching over a batch is worth.

use std::sync::Arc;

use freshlane_feed_handlers::itch50::BATCH_MAX;

use crate::contest::{Contender, contest};
use crate::day::Day;
use crate::memory_source::MemorySource;
use crate::path::{handle_released, handler};
use crate::plan::Suite;
use crate::row::{Comparison, Row};
use crate::session::{Session, SessionError};

const SMALLER_BATCHES: [usize; 3] = [16, 8, 1];

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::Book) {
        return Ok(());
    }
    let day = session.day()?;
    // In pairs: the books of each have to share the caches with as few others as possible.
    for batch_max in SMALLER_BATCHES {
        let turns = day.turns(session.scale().slices_of_turn());
        let mut contenders = [book(&day, &turns, batch_max), book(&day, &turns, BATCH_MAX)];
        let standings = contest(session.scale().rounds(), turns.len(), &mut contenders);
        let [smaller, full] = &standings[..] else { continue };
        let what = "decode + book + quote, by size of batch";
        let row = Row::of(Suite::Book, what, "ns/message", smaller)
            .against(&full.name, &full.each_ns, Comparison::Times)
            .note(format!("The market: {day}."));
        session.add(row)?;
    }
    Ok(())
}

/// A handler that does the day turn by turn (see [`Day::turns`]) in batches of at most `batch_max`.
#[must_use]
pub fn book<'a>(day: &'a Day, turns: &'a [(usize, u64)], batch_max: usize) -> Contender<'a> {
    let mut handler = handler(Arc::default(), day.orders_expected());
    let mut source = MemorySource::new(day.bytes());
    let horizon = source.horizon();
    Contender::timed(format!("batches of {batch_max}"), move |turn| {
        horizon.release(turns[turn].0);
        handle_released(&mut handler, &mut source, batch_max)
    })
}
