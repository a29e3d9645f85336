//! The decoder byte by byte, the handler situation by situation.

mod backpressure;
mod books;
mod golden;
mod lengths;
mod listings;
mod rig;
mod states;
mod times;
mod tops;
mod vectors;
mod wire;
