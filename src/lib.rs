//! The Freshlane engine: the stages of the data path put together.

#![forbid(unsafe_code)]

pub mod runtime;
