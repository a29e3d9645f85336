//! The words that every stage of Freshlane shares.
//!
//! [`Quote`] is the 64-byte record that travels from decoder to consumer; [`Price`] and the ids are
//! its fields; [`SymbolDirectory`] names its instruments; [`clock`] is the one source of time;
//! [`Counter`] is how a stage counts; [`Agent`] is what a core polls.
//!
//! This crate does no I/O, starts no thread and has no unsafe code.

#![forbid(unsafe_code)]

pub mod agent;
pub mod clock;
pub mod counter;
pub mod directory;
pub mod event;
pub mod ids;
pub mod price;
pub mod quote;
mod sync;

pub use agent::{Agent, IdlePolicy};
pub use clock::{Clock, EngineClock, SimulatedClock};
pub use counter::Counter;
pub use directory::{DirectoryFull, SymbolDirectory, SymbolName};
pub use event::{FeedEvent, TradingState};
pub use ids::{ChannelId, InstrumentId, VenueId};
pub use price::{ParsePriceError, Price};
pub use quote::{Quote, QuoteFlags};
