//! The symbol directory: dense instrument ids, assigned on first sight, never taken back.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::ids::{InstrumentId, VenueId};
use crate::sync::{AtomicU32, Ordering};

/// The name of an instrument: its venue and its symbol there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolName {
    /// The venue that lists it.
    pub venue: VenueId,
    /// The venue's symbol, without padding. It may hold dots, signs and slashes.
    pub symbol: Box<str>,
}

/// The directory holds as many instruments as it was made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the symbol directory is full at {capacity} instruments; raise engine.instruments_max")]
pub struct DirectoryFull {
    /// How many fit.
    pub capacity: usize,
}

/// An append-only table of instruments that every thread reads without a lock.
///
/// Names lie in a table of write-once slots by id; a hash index of ids finds a name. Both are
/// allocated at their full size at the start. A writer (rare: a new symbol) takes a lock against
/// other writers only; it fills the slot first and then publishes the id with a release store, so
/// a reader who finds an id in the index finds its name.
pub struct SymbolDirectory {
    names: Box<[OnceLock<SymbolName>]>,
    /// Open addressing, linear probing; 0 = empty, else id + 1. A power of two, at most half full.
    index: Box<[AtomicU32]>,
    count: AtomicU32,
    writer: Mutex<()>,
}

type Hasher = BuildHasherDefault<DefaultHasher>;

impl SymbolDirectory {
    /// Instruments that a directory made without a number holds.
    pub const CAPACITY_DEFAULT: usize = 1 << 17;

    /// A directory for at most `capacity` instruments (at least 1, at most 2^30).
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        let capacity = capacity.clamp(1, 1 << 30);
        let index_len = (capacity * 2).next_power_of_two();
        Self {
            names: (0..capacity).map(|_| OnceLock::new()).collect(),
            index: (0..index_len).map(|_| AtomicU32::new(0)).collect(),
            count: AtomicU32::new(0),
            writer: Mutex::new(()),
        }
    }

    /// How many instruments are known. Every id below it has a name.
    #[must_use]
    pub fn len(&self) -> usize {
        // Acquire pairs with the release in `append`: ids below the count are filled.
        self.count.load(Ordering::Acquire) as usize
    }

    /// Whether no instrument is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many instruments fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.names.len()
    }

    /// The name of `instrument`. Lock-free.
    #[must_use]
    pub fn name(&self, instrument: InstrumentId) -> Option<&SymbolName> {
        self.names.get(instrument.index())?.get()
    }

    /// The symbol of `instrument`, `?` for an id that nobody assigned. Lock-free.
    #[must_use]
    pub fn symbol(&self, instrument: InstrumentId) -> &str {
        self.name(instrument).map_or("?", |name| &name.symbol)
    }

    /// The id of `symbol` at `venue`, if it is known. Lock-free.
    #[must_use]
    pub fn find(&self, venue: VenueId, symbol: &str) -> Option<InstrumentId> {
        self.probe(venue, symbol).ok()
    }

    /// The id of `symbol` at `venue`, assigned now if it is new.
    ///
    /// # Errors
    /// [`DirectoryFull`] when a new symbol has no room; known ones are still found.
    pub fn intern(&self, venue: VenueId, symbol: &str) -> Result<InstrumentId, DirectoryFull> {
        if let Some(known) = self.find(venue, symbol) {
            return Ok(known);
        }
        // A poisoned lock guards no data: every step of `append` leaves a readable directory.
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        match self.probe(venue, symbol) {
            Ok(known) => Ok(known),
            Err(empty_slot) => self.append(empty_slot, venue, symbol),
        }
    }

    fn append(
        &self,
        empty_slot: usize,
        venue: VenueId,
        symbol: &str,
    ) -> Result<InstrumentId, DirectoryFull> {
        let id = self.count.load(Ordering::Relaxed);
        let full = DirectoryFull { capacity: self.capacity() };
        let slot = self.names.get(id as usize).ok_or(full)?;
        slot.set(SymbolName { venue, symbol: symbol.into() }).map_err(|_| full)?;
        // Release: whoever acquires the id or the count sees the name.
        self.index[empty_slot].store(id + 1, Ordering::Release);
        self.count.store(id + 1, Ordering::Release);
        Ok(InstrumentId(id))
    }

    /// The id under that name, or the empty index slot where it would go.
    fn probe(&self, venue: VenueId, symbol: &str) -> Result<InstrumentId, usize> {
        let mask = self.index.len() - 1;
        let hash = Hasher::default().hash_one((venue.0, symbol));
        #[allow(clippy::cast_possible_truncation, reason = "only the low bits index the table")]
        let mut slot = hash as usize & mask;
        // Ends: the index is at most half full, so an empty slot lies ahead.
        loop {
            // Acquire pairs with the release in `append`.
            let Some(id) = self.index[slot].load(Ordering::Acquire).checked_sub(1) else {
                return Err(slot);
            };
            let id = InstrumentId(id);
            if self.name(id).is_some_and(|name| name.venue == venue && *name.symbol == *symbol) {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
    }
}

impl Default for SymbolDirectory {
    fn default() -> Self {
        Self::with_capacity(Self::CAPACITY_DEFAULT)
    }
}

impl fmt::Debug for SymbolDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SymbolDirectory")
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}
