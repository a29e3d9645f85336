//! The one source of time.

mod discipline;
mod engine;
mod metrics;
mod parameters;
mod simulated;
mod source;
mod start;
mod timekeeper;

pub use discipline::ClockEvent;
pub use engine::EngineClock;
pub use metrics::ClockMetrics;
pub use simulated::SimulatedClock;
pub use start::{ClockHints, ClockMode, ClockReport, ClockSource, TscUnusable};
pub use timekeeper::Timekeeper;

/// A clock that a stage reads: ns since the Unix epoch (UTC), never backwards for one handle.
///
/// A stage owns its handle (`Clone` one per agent) and reads it once per batch. Between reads it
/// watches [`Clock::tick`], which costs a load: when the tick has not moved, no more than about
/// [`Clock::TICK_NS`] has passed since, and the last reading is still good. A clock whose tick
/// another thread moves has to notice when that thread is starved or gone, and read precisely
/// until it is back; [`EngineClock`] says how soon it does.
pub trait Clock: Clone + Send + 'static {
    /// The period within which a healthy [`Clock::tick`] moves, ns.
    const TICK_NS: u64 = 1_000_000;

    /// A precise reading, ns since the Unix epoch.
    fn now(&self) -> u64;

    /// A cheap change detector: a coarse time, ns since the Unix epoch, that another thread moves
    /// on. Only whether it differs from the last call's says anything: it may lie a little before
    /// or after [`Clock::now`]. A clock without such a thread returns [`Clock::now`].
    fn tick(&self) -> u64 {
        self.now()
    }
}
