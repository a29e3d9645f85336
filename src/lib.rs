//! The Freshlane engine: the stages of the data path put together.
//!
//! Start at [`topology`]: it wires the stages in the order in which data flows.

#![forbid(unsafe_code)]

pub mod runtime;
pub mod session;
pub mod telemetry;
pub mod topology;
