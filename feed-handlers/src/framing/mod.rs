//! Framing: where one message ends and the next begins.

pub mod binary_file;
