//! The validated configuration: what the rest of the engine sees.

mod engine;
mod feed;
mod lane;

pub use engine::{AdminConfig, ClockSource, Cores, EngineConfig};
pub use feed::{FeedConfig, FeedSource, GeneratorConfig, Protocol, TestSymbols, WhenFull};
pub use lane::{ConsumerConfig, ConsumerKind, LaneConfig, Overflow};
