//! TOML to a validated configuration, every mistake reported at once.
//!
//! ```
//! use freshlane_config::Config;
//!
//! let problems = Config::parse("engine.toml", "[engine]\nidel = \"spin\"\n").unwrap_err();
//! assert!(problems.to_string().contains("engine.toml:2:1: engine.idel\n  help: did you mean `idle`?"));
//! ```
//!
//! Text becomes tables (`section`, `unknown`, `value`), tables become raw values that are right
//! each on its own (`raw`), and raw values become the [`Config`] after they have been checked
//! against each other (`check`). A mistake gives one problem: nothing is concluded from a value
//! that was refused. The keys, their units and defaults are in [`schema`].

#![forbid(unsafe_code)]

mod check;
mod config;
mod cores;
mod describe;
mod duration;
mod field;
mod model;
mod problem;
mod raw;
pub mod schema;
mod section;
mod source;
mod suggest;
mod topic;
mod unknown;
mod value;

pub use config::{Config, Loaded};
pub use duration::{
    DURATION_NS_MAX, ParseDurationError, format_duration, parse_duration, parse_duration_or_zero,
};
pub use model::{
    AdminConfig, ClockSource, ConsumerConfig, ConsumerKind, Cores, EngineConfig, FeedConfig,
    FeedSource, GeneratorConfig, LaneConfig, Overflow, Protocol, TestSymbols, WhenFull,
};
pub use problem::{Problem, Problems, Severity};
