//! A synthetic day as a BinaryFILE: each message after its length (u16, big-endian).

use std::io::{self, Write};

use super::day::{ItchMarket, SyntheticMessage};
use super::spec::{ItchMarketSpec, SpecError};

/// Bytes that are gathered before they are written.
const CHUNK_BYTES: usize = 256 << 10;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteFileError {
    /// There is no such market.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The bytes could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes the day of `spec` to `out` and returns how many bytes that were.
///
/// `progress` is told the messages written so far, every 256 KiB and at the end. `out` is written
/// in large pieces and is not flushed.
///
/// # Errors
/// [`WriteFileError`] where there is no such market or `out` refuses.
pub fn write_binary_file(
    spec: &ItchMarketSpec,
    out: &mut impl Write,
    mut progress: impl FnMut(u64),
) -> Result<u64, WriteFileError> {
    let mut market = ItchMarket::new(spec)?;
    let mut chunk = Vec::with_capacity(CHUNK_BYTES + 64);
    let (mut messages, mut bytes) = (0_u64, 0_u64);
    loop {
        let message = market.next_message();
        let ends = message.is_none();
        if let Some(message) = message {
            append(&mut chunk, message);
            messages += 1;
        }
        if ends || chunk.len() >= CHUNK_BYTES {
            out.write_all(&chunk)?;
            bytes += chunk.len() as u64;
            chunk.clear();
            progress(messages);
        }
        if ends {
            return Ok(bytes);
        }
    }
}

fn append(chunk: &mut Vec<u8>, message: SyntheticMessage<'_>) {
    #[allow(clippy::cast_possible_truncation, reason = "no message is longer than 50 bytes")]
    let len = message.bytes.len() as u16;
    chunk.extend_from_slice(&len.to_be_bytes());
    chunk.extend_from_slice(message.bytes);
}
