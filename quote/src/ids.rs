//! Dense identifiers. Each is an index into a table, never a venue's own number.

/// An instrument: an index into the [`SymbolDirectory`](crate::SymbolDirectory).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct InstrumentId(pub u32);

impl InstrumentId {
    /// No instrument: on feed events that concern a whole feed.
    pub const NONE: Self = Self(u32::MAX);

    /// The id as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A venue: an index into the venue list of the running configuration, in its order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct VenueId(pub u16);

impl VenueId {
    /// How many venues one engine can carry. Tables by venue have this many rows.
    pub const COUNT_MAX: usize = 64;

    /// The id as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A feed session: an index into the feed list of the running configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ChannelId(pub u16);

impl ChannelId {
    /// The id as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
