//! What both ends of a lane and the cold side share.

use crossbeam_utils::CachePadded;

use super::LaneSpec;
use crate::close::CloseFlag;
use crate::ledger::Ledger;
use crate::snapshot::LedgerSnapshot;

/// What both ends and the cold side share: the ledger and three flags that are raised once.
#[derive(Debug)]
#[repr(C)]
pub struct LaneShared {
    ledger: Ledger,
    /// Read by everyone, written at most once each: a line that stays shared in every cache.
    signs: CachePadded<Signs>,
    spec: LaneSpec,
}

#[derive(Debug, Default)]
struct Signs {
    end: CloseFlag,
    detached: CloseFlag,
    stopped: CloseFlag,
}

impl LaneShared {
    pub(super) fn new(spec: LaneSpec) -> Self {
        Self { ledger: Ledger::default(), signs: CachePadded::default(), spec }
    }

    /// What the lane was made as.
    #[must_use]
    pub fn spec(&self) -> &LaneSpec {
        &self.spec
    }

    /// The account, as counters. The gate writes its half.
    #[inline]
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The account at this moment.
    #[must_use]
    pub fn snapshot(&self) -> LedgerSnapshot {
        LedgerSnapshot::of(&self.ledger)
    }

    /// Takes the consumer off the lane, for good: from here on the bus counts what it has for the
    /// lane as dropped (detached) and writes nothing, and the gate throws away what is queued.
    /// Releases a bus that a full `block` lane holds up.
    pub fn detach(&self) {
        self.signs.detached.close();
    }

    /// Whether the consumer is off the lane.
    #[inline]
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.signs.detached.is_closed()
    }

    /// Asks the gate to hand nothing over any more: what is and will be queued counts as dropped
    /// (shutdown). For an end that cannot wait until the queue is empty.
    pub fn stop(&self) {
        self.signs.stopped.close();
    }

    /// Whether the lane was stopped.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.signs.stopped.is_closed()
    }

    /// Says that no record will follow.
    pub(super) fn close(&self) {
        self.signs.end.close();
    }

    /// Whether the bus has closed the lane: no record will follow.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.signs.end.is_closed()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::mem::{align_of, offset_of, size_of};

    #[test]
    fn the_flags_share_no_pair_of_cache_lines_with_the_counters() {
        assert!(align_of::<LaneShared>() >= 128);
        let (ledger, signs) = (offset_of!(LaneShared, ledger), offset_of!(LaneShared, signs));
        assert!(signs - ledger >= size_of::<Ledger>());
        assert!(offset_of!(LaneShared, spec) - signs >= 128);
        assert_eq!(signs % 128, 0);
    }
}
