//! How large the inputs of the criterion benches are.

use crate::day::{Day, DaySpec};

/// Whether this process measures, as `cargo bench` says, or only tries each bench once, as
/// `cargo test --benches` does.
#[must_use]
pub fn is_measuring() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// A market for one bench: large enough to miss the caches where it is measured, small where the
/// bench is only tried.
///
/// # Panics
/// Never: such markets exist.
#[must_use]
pub fn day() -> Day {
    let market = if is_measuring() { (2_000, 600_000, 60_000) } else { (50, 6_000, 500) };
    Day::generate(&DaySpec::of(market, 1)).expect("a market that can be made")
}
