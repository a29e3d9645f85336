//! Standard output for many lines: gathered, and written in large pieces.

use std::io::{self, StdoutLock, Write};

use super::exit::Failure;

/// Bytes from which on what was gathered is written.
const CHUNK_BYTES: usize = 128 << 10;

/// Lines on their way to standard output. [`Output::finish`] writes the last of them.
pub(super) struct Output {
    gathered: Vec<u8>,
    out: StdoutLock<'static>,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { gathered: Vec::with_capacity(2 * CHUNK_BYTES), out: io::stdout().lock() }
    }

    /// Where the next line goes.
    pub(super) fn gathered(&mut self) -> &mut Vec<u8> {
        &mut self.gathered
    }

    /// Writes what was gathered if it is worth it.
    pub(super) fn write_if_full(&mut self) -> Result<(), Failure> {
        if self.gathered.len() < CHUNK_BYTES { Ok(()) } else { self.write() }
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.write()?;
        self.out.flush().map_err(|error| Failure::stdout(&error))
    }

    fn write(&mut self) -> Result<(), Failure> {
        self.out.write_all(&self.gathered).map_err(|error| Failure::stdout(&error))?;
        self.gathered.clear();
        Ok(())
    }
}
