//! The symbol directory: dense instrument ids, assigned on first sight, never taken back.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::PoisonError;

use crate::ids::{InstrumentId, VenueId};
use crate::sync::{AtomicU32, Mutex, OnceLock, Ordering};

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

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::thread;

    const VENUE: VenueId = VenueId(3);

    #[test]
    fn ids_are_dense_in_the_order_of_first_sight() {
        let directory = SymbolDirectory::with_capacity(8);
        assert!(directory.is_empty());
        for (symbol, id) in [("AAPL", 0), ("MSFT", 1), ("AAPL", 0), ("ZVZZT", 2), ("MSFT", 1)] {
            assert_eq!(directory.intern(VENUE, symbol), Ok(InstrumentId(id)));
        }
        assert_eq!(directory.len(), 3);
        let symbols: Vec<_> = (0..4).map(|id| directory.symbol(InstrumentId(id))).collect();
        assert_eq!(symbols, ["AAPL", "MSFT", "ZVZZT", "?"]);
        assert_eq!(directory.name(InstrumentId::NONE), None);
    }

    #[test]
    fn symbols_may_hold_dots_signs_and_anything_else() {
        let directory = SymbolDirectory::default();
        for symbol in
            ["BRK.A", "BRK.B", "BRK", "TEST+", "TEST-", "TEST=", "BTC/USD", "*", "#", "", "é"]
        {
            let id = directory.intern(VENUE, symbol).unwrap();
            assert_eq!(directory.symbol(id), symbol);
            assert_eq!(directory.find(VENUE, symbol), Some(id));
        }
        assert_eq!(directory.len(), 11);
        assert_eq!(directory.find(VENUE, "brk.a"), None);
    }

    #[test]
    fn one_symbol_at_two_venues_is_two_instruments() {
        let directory = SymbolDirectory::with_capacity(8);
        let here = directory.intern(VenueId(0), "AAPL").unwrap();
        let there = directory.intern(VenueId(1), "AAPL").unwrap();
        assert_ne!(here, there);
        assert_eq!(directory.find(VenueId(1), "AAPL"), Some(there));
        assert_eq!(directory.find(VenueId(2), "AAPL"), None);
        let name = SymbolName { venue: VenueId(1), symbol: "AAPL".into() };
        assert_eq!(directory.name(there), Some(&name));
    }

    #[test]
    fn a_full_directory_says_so_and_still_finds_what_it_holds() {
        for capacity in [1, 2, 3, 1_000] {
            let directory = SymbolDirectory::with_capacity(capacity);
            for n in 0..capacity {
                directory.intern(VENUE, &n.to_string()).unwrap();
            }
            assert_eq!(directory.intern(VENUE, "new"), Err(DirectoryFull { capacity }));
            assert_eq!(directory.find(VENUE, "new"), None);
            assert_eq!(directory.len(), capacity);
            let last = capacity - 1;
            let id = directory.intern(VENUE, &last.to_string()).unwrap();
            assert_eq!(id.index(), last);
        }
    }

    #[test]
    fn a_directory_for_nothing_holds_one() {
        assert_eq!(SymbolDirectory::with_capacity(0).capacity(), 1);
    }

    #[test]
    fn many_threads_that_meet_the_same_symbols_agree_on_every_id() {
        const SYMBOLS: usize = 10_000;
        let directory = SymbolDirectory::with_capacity(SYMBOLS);
        let by_thread: Vec<Vec<InstrumentId>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|shift| {
                    let directory = &directory;
                    scope.spawn(move || intern_all_from(directory, shift * 1_250, SYMBOLS))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(by_thread.iter().all(|ids| *ids == by_thread[0]));
        assert_eq!(directory.len(), SYMBOLS);
        let mut sorted = by_thread[0].clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(index, id)| id.index() == index), "dense");
    }

    /// Interns symbol `start`, `start + 1` and so on around, checks that each can be read at once,
    /// and returns the ids by symbol number.
    fn intern_all_from(
        directory: &SymbolDirectory,
        start: usize,
        symbols: usize,
    ) -> Vec<InstrumentId> {
        let mut ids = vec![InstrumentId::NONE; symbols];
        for n in (start..symbols).chain(0..start) {
            let symbol = format!("S{n}");
            ids[n] = directory.intern(VENUE, &symbol).unwrap();
            assert_eq!(directory.symbol(ids[n]), symbol);
            assert!(ids[n].index() < directory.len());
        }
        ids
    }

    proptest! {
        #[test]
        fn any_sequence_of_sightings_does_as_a_map_does(
            sightings in proptest::collection::vec((0..3_u16, "[A-C.]{0,3}", any::<bool>()), 0..300),
            capacity in 1..64_usize,
        ) {
            let directory = SymbolDirectory::with_capacity(capacity);
            let mut model: HashMap<(u16, String), InstrumentId> = HashMap::new();
            for (venue, symbol, only_find) in sightings {
                let known = model.get(&(venue, symbol.clone())).copied();
                prop_assert_eq!(directory.find(VenueId(venue), &symbol), known);
                if only_find {
                    continue;
                }
                let next = InstrumentId(u32::try_from(model.len()).unwrap());
                let expected = match known {
                    Some(id) => Ok(id),
                    None if model.len() < capacity => Ok(next),
                    None => Err(DirectoryFull { capacity }),
                };
                prop_assert_eq!(directory.intern(VenueId(venue), &symbol), expected);
                if let Ok(id) = expected {
                    model.insert((venue, symbol), id);
                }
            }
            prop_assert_eq!(directory.len(), model.len());
            for ((venue, symbol), id) in model {
                let name = SymbolName { venue: VenueId(venue), symbol: symbol.into() };
                prop_assert_eq!(directory.name(id), Some(&name));
            }
        }
    }
}

/// Two threads on a directory of two: exhaustive, no bound needed. The interesting interleavings are
/// those of one append against one look-up or another append; a third symbol adds none. The writer
/// runs on the model's main thread: see the models of [`Counter`](crate::Counter).
#[cfg(loom)]
#[cfg(test)]
mod loom_models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const VENUE: VenueId = VenueId(0);

    /// Interns `symbol` here while `other` runs elsewhere, and returns what both gave.
    fn while_interning<T: 'static>(
        symbol: &str,
        other: fn(&SymbolDirectory) -> T,
    ) -> (Arc<SymbolDirectory>, InstrumentId, T) {
        let directory = Arc::new(SymbolDirectory::with_capacity(2));
        let elsewhere = thread::spawn({
            let directory = Arc::clone(&directory);
            move || other(&directory)
        });
        let id = directory.intern(VENUE, symbol).unwrap();
        (directory, id, elsewhere.join().unwrap())
    }

    #[test]
    fn loom_whoever_finds_an_id_finds_its_name() {
        loom::model(|| {
            while_interning("A", |directory| {
                if let Some(id) = directory.find(VENUE, "A") {
                    assert_eq!(id, InstrumentId(0));
                    assert_eq!(directory.symbol(id), "A");
                }
            });
        });
    }

    #[test]
    fn loom_every_id_below_the_count_has_a_name_and_is_found() {
        loom::model(|| {
            while_interning("A", |directory| {
                if directory.len() == 1 {
                    assert_eq!(directory.symbol(InstrumentId(0)), "A");
                    assert_eq!(directory.find(VENUE, "A"), Some(InstrumentId(0)));
                }
            });
        });
    }

    #[test]
    fn loom_two_who_meet_one_new_symbol_agree() {
        loom::model(|| {
            let (directory, mine, other) =
                while_interning("A", |directory| directory.intern(VENUE, "A").unwrap());
            assert_eq!(mine, other);
            assert_eq!(directory.len(), 1);
        });
    }

    #[test]
    fn loom_two_new_symbols_at_once_get_two_ids() {
        loom::model(|| {
            let (directory, mine, other) =
                while_interning("A", |directory| directory.intern(VENUE, "B").unwrap());
            assert_ne!(mine, other);
            assert_eq!([directory.symbol(mine), directory.symbol(other)], ["A", "B"]);
            assert_eq!(directory.len(), 2);
        });
    }
}
