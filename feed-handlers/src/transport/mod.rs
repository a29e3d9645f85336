//! Transports: where the bytes come from.

mod file;

pub use file::{Compression, FileSource, Fill, TransportError};
