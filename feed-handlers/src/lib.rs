//! Wire bytes in, quotes out: transports, framing, decoders and books.
//!
//! The way of a message: a transport (`transport`) gives bytes, a framing (`framing`) cuts them
//! into messages, a decoder (`itch50`) reads them, a book (`book`) keeps the orders, and the
//! handler makes a [`Quote`](freshlane_quote::Quote) whenever the best bid or offer changes.
//! Decoders and framings are pure: bytes in, messages or named refusals out.

pub mod book;
pub mod feed;
pub mod framing;
pub mod itch50;
pub mod ledger;
pub mod paced;
pub mod session_time;
pub mod source;
pub mod synthetic;
pub mod transport;
