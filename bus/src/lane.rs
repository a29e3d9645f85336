//! One consumer's ordered view of the bus.

use std::sync::Arc;

use crate::overflow::OverflowPolicy;
use crate::ring::{self, CAPACITY_MAX};

mod consumer;
mod producer;
mod shared;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

pub use consumer::LaneConsumer;
pub use producer::LaneProducer;
pub use shared::LaneShared;

/// Slots beyond a lane's capacity that only feed events may use.
///
/// A market-wide halt sends one event per instrument at the worst moment; this is more than the
/// instruments of all US markets together (about 12,000). It costs 1 MiB a lane.
pub const EVENT_RESERVE: usize = 1 << 14;

/// What a lane is to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneSpec {
    /// Its name in metrics, reports and logs.
    pub name: Box<str>,
    /// How old a quote may be, ns since its receive time; `None` = any age.
    pub ttl_ns: Option<u64>,
    /// How much earlier than that the gate stops handing quotes over, ns.
    pub margin_ns: u64,
    /// How many records it holds before it is full, 1..=[`CAPACITY_MAX`]. Feed events have
    /// [`EVENT_RESERVE`] further slots.
    pub capacity: usize,
    /// What happens to a quote that meets it full.
    pub overflow: OverflowPolicy,
}

/// Why a lane cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LaneError {
    /// The policy has a name but no lane yet.
    #[error("lane `{lane}`: overflow policy `{policy}` is not supported; use `drop_newest` or `block`", policy = policy.name())]
    UnsupportedPolicy {
        /// The lane's name.
        lane: Box<str>,
        /// What was asked for.
        policy: OverflowPolicy,
    },
    /// The capacity is 0 or beyond [`CAPACITY_MAX`].
    #[error("lane `{lane}`: a capacity is 1 to {max} records, not {capacity}", max = CAPACITY_MAX)]
    Capacity {
        /// The lane's name.
        lane: Box<str>,
        /// What was asked for.
        capacity: usize,
    },
}

/// A lane, pre-faulted: the bus's end, the gate's end, and what the cold side sees.
///
/// # Errors
/// [`LaneError`] where the policy is not supported or the capacity out of range.
pub fn lane(spec: LaneSpec) -> Result<(LaneProducer, LaneConsumer, Arc<LaneShared>), LaneError> {
    if !spec.overflow.is_supported() {
        return Err(LaneError::UnsupportedPolicy { lane: spec.name, policy: spec.overflow });
    }
    if !(1..=CAPACITY_MAX).contains(&spec.capacity) {
        return Err(LaneError::Capacity { lane: spec.name, capacity: spec.capacity });
    }
    let (producer, consumer) = ring::prefaulted(spec.capacity + EVENT_RESERVE);
    let blocks = spec.overflow == OverflowPolicy::Block;
    let shared = Arc::new(LaneShared::new(spec));
    Ok((
        LaneProducer::new(producer, Arc::clone(&shared), blocks),
        LaneConsumer::new(consumer, Arc::clone(&shared)),
        shared,
    ))
}
