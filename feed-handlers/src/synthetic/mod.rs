//! A synthetic NASDAQ market in ITCH 5.0: realistic, seeded, with books that hold together.
//!
//! [`ItchMarket`] makes a whole day with its own clock, [`LiveItchMarket`] one without an end for
//! the caller's clock, and [`write_binary_file`] a day as a BinaryFILE. Messages come in a real
//! day's proportions from symbols whose activity follows Zipf's law; every reference is to a live
//! order, trades take the best order first, and books do not cross. [`encode`] writes single
//! messages of any type.
//!
//! Where things are: `script` says which acts follow each other in a day and `burst_clock` when;
//! `market` performs them on the `book`; `flow` and `execution` are continuous trading, `quoting` the look of a new
//! order. Only integers and the generator's own random numbers are used, so a seed gives the same
//! bytes on any machine. Nothing is allocated after construction.

mod activity;
mod auction;
mod book;
mod burst_clock;
mod day;
pub mod encode;
mod execution;
mod file;
mod flow;
mod halt;
mod ladder;
mod listing;
mod market;
mod orders;
mod quoting;
mod random;
mod recent;
mod reference;
mod script;
mod spec;
mod symbols;
#[cfg(test)]
mod tests;

pub use day::{ItchMarket, LiveItchMarket, SyntheticMessage};
pub use file::{WriteFileError, write_binary_file};
pub use spec::{ItchMarketSpec, LIVE_ORDERS_MAX, LiveItchMarketSpec, SYMBOLS_MAX, SpecError};
