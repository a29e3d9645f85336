//! The Freshlane engine: the stages of the data path put together.
//!
//! Start at [`topology`]: it wires the stages in the order in which data flows. [`engine`] runs
//! them on pinned threads, [`replay`] steps them in event time.

#![forbid(unsafe_code)]

pub mod admin;
pub mod engine;
pub mod replay;
pub mod report;
pub mod runtime;
pub mod session;
pub mod telemetry;
pub mod topology;
