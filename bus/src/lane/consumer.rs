//! The gate's end of a lane.

use std::sync::Arc;

use freshlane_quote::Quote;
use rtrb::Consumer;

use super::LaneShared;
use crate::ledger::GateDrop;
use crate::ring::{self, Chunk};

/// The gate's end of a lane. Dropping it before the lane is finished detaches the lane.
#[derive(Debug)]
pub struct LaneConsumer {
    ring: Consumer<Quote>,
    shared: Arc<LaneShared>,
}

impl LaneConsumer {
    pub(super) fn new(ring: Consumer<Quote>, shared: Arc<LaneShared>) -> Self {
        Self { ring, shared }
    }

    /// At most `count_max` of the oldest records, in place; `None` where there is none.
    #[inline]
    pub fn chunk(&mut self, count_max: usize) -> Option<Chunk<'_>> {
        ring::chunk(&mut self.ring, count_max)
    }

    /// The oldest record, left where it is.
    #[must_use]
    pub fn peek(&self) -> Option<&Quote> {
        self.ring.peek().ok()
    }

    /// What both ends and the cold side share.
    #[must_use]
    pub fn shared(&self) -> &Arc<LaneShared> {
        &self.shared
    }

    /// Whether the bus has closed the lane and every record has been taken.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        // In this order: after the flag was seen, an empty ring stays empty.
        self.shared.is_closed() && self.ring.is_empty()
    }

    /// Compares the ledger with what lies in the ring: 0 where they agree, else by how many records
    /// they differ. Exact while the bus is at rest; while it writes, an answer other than 0 is still
    /// a fault. To be called between two chunks, after what was taken has been counted.
    pub fn check(&self) -> i64 {
        self.shared.ledger().audit(|| self.ring.slots() as u64)
    }
}

impl Drop for LaneConsumer {
    /// What is still queued counts as dropped (detached). A batch that the bus is writing at this
    /// very moment may stay in the ring; the account then says that it is queued, as it is.
    fn drop(&mut self) {
        if self.is_finished() {
            return;
        }
        self.shared.detach();
        while let Some(chunk) = ring::chunk(&mut self.ring, usize::MAX) {
            let count = chunk.records().len();
            self.shared.ledger().dropped_records(GateDrop::Detached, chunk.records());
            chunk.release(count);
        }
    }
}
