//! The atomics of this crate: std's, or loom's when the models run (`--cfg loom`).

#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, Ordering};
