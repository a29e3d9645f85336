//! The live clock (placeholder until calibrated).

use std::time::SystemTime;

use crate::clock::Clock;

/// The live engine clock.
#[derive(Clone, Debug, Default)]
pub struct EngineClock;

impl Clock for EngineClock {
    #[allow(clippy::disallowed_methods, reason = "this is the clock module")]
    fn now(&self) -> u64 {
        SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |d| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX))
    }
}
