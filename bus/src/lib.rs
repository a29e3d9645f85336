//! Quotes to lanes: ingress ring, topic router, lane, fan-out agent and ledger.
//!
//! ```text
//! feed ─ ingress ring ─┐            ┌─ lane ring ─ gate of consumer 0
//! feed ─ ingress ring ─┼─ Bus agent ┼─ lane ring ─ gate of consumer 1
//! feed ─ ingress ring ─┘            └─ …
//! ```
//!
//! [`ingress()`] makes the ring between one feed handler and the bus, [`lane()`] the one between the
//! bus and one consumer. [`Bus`] is the agent between them: it takes a batch, routes it once
//! ([`Router`]) and writes it lane by lane, so that each lane's indices and cache lines are touched
//! once a batch. What happens to every record is counted in the lane's [`Ledger`].

#![forbid(unsafe_code)]

pub mod close;
pub mod fan_out;
pub mod ingress;
pub mod lane;
pub mod ledger;
#[cfg(all(test, loom))]
mod loom_models;
pub mod overflow;
mod ring;
pub mod router;
pub mod snapshot;
mod sync;
pub mod topic;

pub use close::CloseFlag;
pub use fan_out::{Bus, BusCounters, BusError};
pub use ingress::{IngressConsumer, IngressProducer, ingress};
pub use lane::{LaneConsumer, LaneError, LaneProducer, LaneShared, LaneSpec, lane};
pub use ledger::{GateDrop, Ledger};
pub use overflow::OverflowPolicy;
pub use ring::{CAPACITY_MAX, Chunk};
pub use router::{BatchShape, LaneTopics, Router, RouterError};
pub use snapshot::{Dropped, EventLedger, LedgerSnapshot, VenueLedger};
pub use topic::{ParsePatternError, Pattern, Topic};
