//! Decode, book and quote in batches of several sizes: what prefetching over a batch is worth.

use std::sync::Arc;

use crate::contest::{Contender, contest};
use crate::day::Day;
use crate::memory_source::MemorySource;
use crate::path::{handle_released, handler};
use crate::plan::Suite;
use crate::row::{Comparison, Row};
use crate::session::{Session, SessionError};

const BATCHES: [usize; 5] = [32, 16, 8, 4, 1];

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::Book) {
        return Ok(());
    }
    let day = session.day()?;
    let mut contenders = BATCHES.map(|batch_max| book(&day, batch_max));
    let standings = contest(session.scale().rounds(), day.slices().len(), &mut contenders);
    let [in_full_batches, smaller @ ..] = &standings[..] else { return Ok(()) };
    for standing in smaller {
        let what = "decode + book + quote, by size of batch";
        let row = Row::of(Suite::Book, what, "ns/message", standing)
            .against(&in_full_batches.name, &in_full_batches.each_ns, Comparison::Times)
            .note(format!("The market: {day}."));
        session.add(row)?;
    }
    Ok(())
}

/// A handler that does the day slice by slice in batches of at most `batch_max`.
#[must_use]
pub fn book(day: &Day, batch_max: usize) -> Contender<'_> {
    let mut handler = handler(Arc::default(), day.orders_expected());
    let mut source = MemorySource::new(day.bytes());
    let horizon = source.horizon();
    Contender::timed(format!("batches of {batch_max}"), move |slice| {
        horizon.release(day.slices()[slice].bytes.end);
        handle_released(&mut handler, &mut source, batch_max)
    })
}
