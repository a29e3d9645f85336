//! The HTTP side: `/metrics` for Prometheus, on a thread of its own.
//!
//! Everything here is cold. It reads shared counters and never writes to what the data path reads.

pub mod metrics;
mod server;

pub use server::{AdminServer, ServeError};
