//! What a message costs by its type.
//!
//! A message cannot be timed alone: that would cost more than the message, and it would take it out
//! of its batch, in which the loads of 32 messages overlap. So whole batches are timed, and the cost
//! of each type follows from how the time of a batch depends on what is in it: least squares over
//! tens of thousands of batches, without a constant (a batch's fixed costs fall on its messages
//! alike). Batches far off the fit were interrupted; they are left out, and the fit is done again.

use std::sync::Arc;

use crate::contest::Standing;
use crate::day::Day;
use crate::memory_source::MemorySource;
use crate::path::handler;
use crate::plan::Suite;
use crate::row::Row;
use crate::series::Series;
use crate::session::{Session, SessionError};
use crate::stopwatch::Stopwatch;
use freshlane_feed_handlers::itch50::{BATCH_MAX, ReceiveTime};
use freshlane_feed_handlers::source::{Batch, MessageSource};

/// The kinds that are told apart: the type bytes of each, and its name.
const KINDS: [(&[u8], &str); KIND_COUNT] = [
    (b"AF", "add (A, F)"),
    (b"D", "delete (D)"),
    (b"U", "replace (U)"),
    (b"EC", "execute (E, C)"),
    (b"X", "cancel (X)"),
    (b"", "no order (all others)"),
];
const KIND_COUNT: usize = 6;

/// One batch: its messages by kind, and its time.
#[derive(Clone, Copy, PartialEq, Debug)]
struct TimedBatch {
    counts: [f64; KIND_COUNT],
    ns: f64,
}

/// Runs the suite, if it is wanted.
///
/// # Errors
/// [`SessionError`].
pub fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::BookByType) {
        return Ok(());
    }
    let day = session.day()?;
    let batches = timed_batches(&day, session.scale().rounds());
    let fits: Vec<_> = batches.iter().map(|batches| fit_without_outliers(batches)).collect();
    let shares = shares(&batches);
    for (kind, (_, name)) in KINDS.into_iter().enumerate() {
        let each_ns = Series::new(fits.iter().map(|fit| fit[kind]).collect());
        let standing = Standing { name: format!("{:.1} % of messages", shares[kind]), each_ns };
        let row = Row::of(Suite::BookByType, name, "ns/message", &standing).note(
            "By least squares over the times of batches of 32: what one more message of the type \
             adds to a batch.",
        );
        session.add(row)?;
    }
    Ok(())
}

fn kind_of(message: &[u8]) -> usize {
    let is_of = |(types, _): &(&[u8], &str)| types.contains(&message[0]);
    KINDS.iter().position(is_of).unwrap_or(KIND_COUNT - 1)
}

/// The full batches of the day, dealt out to `rounds` rounds slice by slice.
fn timed_batches(day: &Day, rounds: usize) -> Vec<Vec<TimedBatch>> {
    let mut handler = handler(Arc::default(), day.orders_expected());
    let mut source = MemorySource::new(day.bytes());
    let mut batches = vec![Vec::new(); rounds];
    let reading_ns = reading_ns();
    for (index, slice) in day.slices().iter().enumerate() {
        source.horizon().release(slice.bytes.end);
        let of_round = &mut batches[index % rounds];
        while let Batch::Messages(_) = source.next_batch(BATCH_MAX, |messages, first| {
            let watch = Stopwatch::start();
            handler.on_batch(messages, first, ReceiveTime::EventTime);
            let ns = watch.elapsed_ns() as f64 - reading_ns;
            if messages.len() == BATCH_MAX {
                of_round.push(TimedBatch { counts: counts(messages), ns });
            }
        }) {}
    }
    batches
}

fn counts(messages: &[&[u8]]) -> [f64; KIND_COUNT] {
    let mut counts = [0.0; KIND_COUNT];
    messages.iter().for_each(|message| counts[kind_of(message)] += 1.0);
    counts
}

/// What two readings of the clock measure of themselves, ns.
fn reading_ns() -> f64 {
    Series::new((0..1_001).map(|_| Stopwatch::start().elapsed_ns() as f64).collect()).median()
}

fn shares(batches: &[Vec<TimedBatch>]) -> [f64; KIND_COUNT] {
    let mut sums = [0.0; KIND_COUNT];
    for batch in batches.iter().flatten() {
        sums.iter_mut().zip(batch.counts).for_each(|(sum, count)| *sum += count);
    }
    let all: f64 = sums.iter().sum();
    sums.map(|sum| sum * 100.0 / all.max(1.0))
}

/// Batches further off the fit than so many median deviations were interrupted.
const DEVIATIONS_MAX: f64 = 6.0;

fn fit_without_outliers(batches: &[TimedBatch]) -> [f64; KIND_COUNT] {
    let first = fit(batches);
    let deviation = |batch: &TimedBatch| (batch.ns - predicted(&first, batch)).abs();
    let bound = DEVIATIONS_MAX * Series::new(batches.iter().map(deviation).collect()).median();
    let kept: Vec<_> = batches.iter().copied().filter(|batch| deviation(batch) <= bound).collect();
    fit(&kept)
}

fn predicted(cost: &[f64; KIND_COUNT], batch: &TimedBatch) -> f64 {
    cost.iter().zip(batch.counts).map(|(cost, count)| cost * count).sum()
}

/// Least squares by the normal equations. A kind that occurs in no batch costs 0.
fn fit(batches: &[TimedBatch]) -> [f64; KIND_COUNT] {
    let mut matrix = [[0.0; KIND_COUNT + 1]; KIND_COUNT];
    for batch in batches {
        for (row, count) in matrix.iter_mut().zip(batch.counts) {
            for (cell, other) in row.iter_mut().zip(batch.counts.into_iter().chain([batch.ns])) {
                *cell += count * other;
            }
        }
    }
    solve(matrix)
}

/// Gauss-Jordan with pivots from the diagonal, which is right for a matrix of products.
fn solve(mut matrix: [[f64; KIND_COUNT + 1]; KIND_COUNT]) -> [f64; KIND_COUNT] {
    for pivot in 0..KIND_COUNT {
        let of_pivot = matrix[pivot];
        if of_pivot[pivot].abs() < 1e-9 {
            continue;
        }
        for (index, row) in matrix.iter_mut().enumerate() {
            let factor = if index == pivot { 0.0 } else { row[pivot] / of_pivot[pivot] };
            row.iter_mut().zip(of_pivot).for_each(|(cell, of_pivot)| *cell -= factor * of_pivot);
        }
    }
    std::array::from_fn(|kind| {
        let diagonal = matrix[kind][kind];
        if diagonal.abs() < 1e-9 { 0.0 } else { matrix[kind][KIND_COUNT] / diagonal }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: [f64; KIND_COUNT] = [90.0, 70.0, 150.0, 60.0, 55.0, 20.0];

    /// Batches of 32 with a mix that changes from one to the next.
    fn batches(noise: impl Fn(usize) -> f64) -> Vec<TimedBatch> {
        (0..5_000)
            .map(|number| {
                let mut counts = [0.0; KIND_COUNT];
                (0..BATCH_MAX).for_each(|i| counts[(number * 31 + i * i * number) % 23 % 6] += 1.0);
                let exact = TimedBatch { counts, ns: 0.0 };
                TimedBatch { ns: predicted(&COSTS, &exact) + noise(number), ..exact }
            })
            .collect()
    }

    #[test]
    fn the_costs_are_found_again() {
        let found = fit(&batches(|_| 0.0));
        assert!(found.iter().zip(COSTS).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    }

    #[test]
    fn interrupted_batches_do_not_count() {
        let noise = |number: usize| {
            let interruption = if number.is_multiple_of(50) { 300_000.0 } else { 0.0 };
            interruption + (number % 7) as f64
        };
        let found = fit_without_outliers(&batches(noise));
        assert!(found.iter().zip(COSTS).all(|(a, b)| (a - b).abs() < 2.0), "{found:?}");
    }

    #[test]
    fn a_kind_that_never_occurs_costs_nothing() {
        let only_adds = |ns| TimedBatch { counts: [32.0, 0.0, 0.0, 0.0, 0.0, 0.0], ns };
        assert_eq!(fit(&[only_adds(3_200.0), only_adds(3_200.0)])[..2], [100.0, 0.0]);
    }

    #[test]
    fn every_type_has_a_kind() {
        let kinds: Vec<_> = [b"A", b"F", b"D", b"U", b"C", b"X", b"P", b"S"]
            .iter()
            .map(|message| kind_of(&message[..]))
            .collect();
        assert_eq!(kinds, [0, 0, 1, 2, 3, 4, 5, 5]);
    }
}
