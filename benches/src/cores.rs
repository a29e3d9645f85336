//! Which cores the harness runs on.

use std::sync::OnceLock;

use core_affinity::CoreId;

/// The cores that this process may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cores {
    ids: Vec<CoreId>,
}

impl Cores {
    /// The cores of this process. Reads them once: a thread that is pinned sees no core but its
    /// own, and hands that view on. So let the main thread call this before anything is pinned.
    #[must_use]
    pub fn of_process() -> &'static Self {
        static FIRST_READING: OnceLock<Cores> = OnceLock::new();
        FIRST_READING
            .get_or_init(|| Self { ids: core_affinity::get_core_ids().unwrap_or_default() })
    }

    /// How many there are; 0 where the OS does not tell.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// The core of everything on one core, and of the producing side: the last one, since
    /// interrupts tend to the first.
    #[must_use]
    pub fn main(&self) -> Option<CoreId> {
        self.ids.last().copied()
    }

    /// The core of the consuming side; `None` where there is only one core.
    #[must_use]
    pub fn other(&self) -> Option<CoreId> {
        self.ids.iter().rev().nth(1).copied()
    }
}

/// Pins the calling thread. Where the OS refuses, it goes on unpinned and the figures are noisier.
pub fn pin(core: CoreId) -> bool {
    core_affinity::set_for_current(core)
}
