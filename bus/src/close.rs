//! The end of a ring: said once by its producer, never lost, never early.

use crate::sync::{AtomicBool, Ordering};

/// A flag that one side raises once and the other reads.
///
/// As the end of a ring, the protocol is: the producer stores its last record, then raises the
/// flag (release). The consumer that sees it raised (acquire) **drains once more** before it
/// believes in the end: a ring that was empty before the flag was read may have been filled since,
/// while after the flag was read no record can follow, and all earlier ones are visible.
#[derive(Debug, Default)]
pub struct CloseFlag(AtomicBool);

impl CloseFlag {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Raises the flag. Everything stored before is visible to whoever sees it raised.
    pub fn close(&self) {
        // Release pairs with the acquire in `is_closed`.
        self.0.store(true, Ordering::Release);
    }

    /// Whether the flag is raised.
    #[inline]
    #[must_use]
    pub fn is_closed(&self) -> bool {
        // Acquire pairs with the release in `close`: the ring's last index is visible from here on.
        self.0.load(Ordering::Acquire)
    }
}
