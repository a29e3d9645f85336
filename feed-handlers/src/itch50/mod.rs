//! NASDAQ TotalView-ITCH 5.0 (also BX and PSX): decoder and feed handler.

pub mod field;
mod handler;
mod listing;
mod lookahead;
pub mod message;
mod quoting;
mod tally;
#[cfg(test)]
mod tests;

pub use handler::{BATCH_MAX, HandlerSpec, Itch50Handler, ReceiveTime};
pub use message::{DecodeError, Message};
pub use tally::{MessageCounts, RefusalSample, RefusalSamples};
