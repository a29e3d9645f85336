//! The layout that won, through its public interface.

use freshlane_feed_handlers::book::{Applied, OrderBooks, Side, Top};

use super::Layout;
use super::operations::{Operation, Operations, Replayed};

/// Operations that are prefetched together.
const BATCH: usize = 32;

/// Our books.
#[derive(Debug)]
pub(super) struct Ours {
    books: OrderBooks<()>,
    batch: usize,
}

impl Ours {
    /// Without prefetching.
    pub(super) fn one_by_one(operations: &Operations) -> Self {
        Self { books: OrderBooks::with_expected(operations.orders_expected, ()), batch: 1 }
    }

    /// In batches of 32, each prefetched before it is done.
    pub(super) fn in_batches(operations: &Operations) -> Self {
        Self { batch: BATCH, ..Self::one_by_one(operations) }
    }

    fn prefetch(&self, operations: &[Operation]) {
        let mut buckets = [0; BATCH];
        for (bucket, operation) in buckets.iter_mut().zip(operations) {
            let (reference, book, _) = touched(operation);
            *bucket = self.books.prefetch_order(reference, book);
            if let Operation::Replace { new, .. } = operation {
                self.books.prefetch_reference(new.reference);
            }
        }
        for (bucket, operation) in buckets.iter().zip(operations) {
            let (reference, book, side) = touched(operation);
            self.books.prefetch_levels(reference, *bucket, book, side);
        }
    }

    #[inline(always)]
    fn apply(&mut self, operation: &Operation) -> Option<Top> {
        let applied = match *operation {
            Operation::Add(new) => self.books.add(new).ok(),
            Operation::Reduce { reference, shares, .. } => {
                self.books.reduce(reference, shares).ok()
            }
            Operation::Delete { reference, .. } => self.books.delete(reference).ok(),
            Operation::Replace { reference, new, .. } => self.books.replace(reference, new).ok(),
        };
        let touched = applied.filter(|applied| applied.touched_best());
        touched.map(Applied::book).map(|book| self.books.top(book))
    }
}

/// The order's reference, its book, and its side where the operation tells.
#[inline(always)]
fn touched(operation: &Operation) -> (u64, u16, Side) {
    match *operation {
        Operation::Add(new) => (new.reference, new.book, new.side),
        Operation::Reduce { reference, book, .. }
        | Operation::Delete { reference, book }
        | Operation::Replace { reference, book, .. } => (reference, book, Side::Bid),
    }
}

impl Layout for Ours {
    fn replay(&mut self, operations: &Operations, slice: usize) -> Replayed {
        let mut replayed = Replayed::default();
        for batch in operations.of_slice(slice).chunks(self.batch) {
            if self.batch > 1 {
                self.prefetch(batch);
            }
            for operation in batch {
                replayed.see(self.apply(operation));
            }
        }
        replayed
    }
}
