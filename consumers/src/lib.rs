//! Lane to effect: the freshness gate, the consumer and the latency histograms.
//!
//! ```text
//! lane ring ─ Gate (fresh?) ─ Consumer::on_quote
//!               │                   └ age and end-to-end latency ─┐
//!               └ expired: age at drop ───────────────────────────┴ LaneTelemetry ─ cold side
//! ```
//!
//! [`ConsumerAgent`] polls a lane on a core; [`SimulatedLane`] runs the same gate and the same
//! consumer in event time. Both account for every record in the lane's ledger and write the
//! histograms of [`LaneTelemetry`], which the cold side reads while they run.

#![forbid(unsafe_code)]

pub mod agent;
pub mod consumer;
pub mod digest;
pub mod gate;
mod handover;
pub mod latency;
pub mod simulated;
mod tally;
pub mod telemetry;
pub mod work;

pub use agent::ConsumerAgent;
pub use consumer::{Consumer, Discard, Fresh};
pub use digest::DigestConsumer;
pub use gate::{Gate, Verdict};
pub use latency::{IntervalReader, LatencyRecorder, LatencySnapshot};
pub use simulated::SimulatedLane;
pub use telemetry::LaneTelemetry;
pub use work::WorkConsumer;
