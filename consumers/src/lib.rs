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

pub mod latency;

pub use latency::{IntervalReader, LatencyRecorder, LatencySnapshot};
