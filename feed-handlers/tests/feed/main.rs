//! The feed as a whole from outside: any bytes, any batch size, a naive model, faults of files, a
//! sink that is full.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod agent;
mod any_bytes;
mod batch_sizes;
mod file_faults;
mod framing_windows;
mod handler_against_model;
mod model;
mod rig;
mod seed_corpus;
mod step;
