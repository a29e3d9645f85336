//! The 64-byte record that every stage passes on.

use std::fmt;

use crate::ids::{ChannelId, InstrumentId, VenueId};
use crate::price::Price;

/// One best bid and offer of one instrument: exactly one cache line, plain old data.
///
/// The same bytes stand in a ring, in a capture file and in shared memory (little-endian).
///
/// ```text
/// byte  0        8        16             24      32
///       +--------+--------+--------------+-------+
///       |ts_event| ts_recv| wire_sequence|  bid  |
///       +--------+--------+--------------+-------+
/// byte  32      40       44       48         52    54    56     60      62
///       +-------+--------+--------+----------+-----+-----+------+-------+--------+
///       |  ask  |bid_size|ask_size|instrument|venue|flags|ttl_us|channel|reserved|
///       +-------+--------+--------+----------+-----+-----+------+-------+--------+
/// ```
///
/// Invariants: a side is present if and only if its price is not [`Price::NONE`] and its size is
/// not zero; [`QuoteFlags::ONE_SIDED`] stands exactly when at least one side is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Quote {
    /// The venue's own time, ns since the Unix epoch (UTC).
    pub ts_event: u64,
    /// Engine clock when the bytes were received, ns since the Unix epoch (UTC).
    pub ts_recv: u64,
    /// The venue's or channel's sequence number; the first message of a session is 1.
    pub wire_sequence: u64,
    /// Best bid, 1e-9; [`Price::NONE`] = no bid.
    pub bid: Price,
    /// Best ask, 1e-9; [`Price::NONE`] = no ask.
    pub ask: Price,
    /// Size at the best bid, in the instrument's lot; 0 = no bid.
    pub bid_size: u32,
    /// Size at the best ask, in the instrument's lot; 0 = no ask.
    pub ask_size: u32,
    /// What is quoted.
    pub instrument: InstrumentId,
    /// Where.
    pub venue: VenueId,
    /// What is special about it.
    pub flags: QuoteFlags,
    /// The producer's own validity in microseconds; 0 = none given.
    pub ttl_us: u32,
    /// Which feed session brought it.
    pub channel: ChannelId,
    /// Zero.
    pub reserved: u16,
}

const _: () = {
    use std::mem::{align_of, offset_of, size_of};
    assert!(size_of::<Quote>() == 64 && align_of::<Quote>() == 64);
    assert!(offset_of!(Quote, ts_event) == 0);
    assert!(offset_of!(Quote, ts_recv) == 8);
    assert!(offset_of!(Quote, wire_sequence) == 16);
    assert!(offset_of!(Quote, bid) == 24);
    assert!(offset_of!(Quote, ask) == 32);
    assert!(offset_of!(Quote, bid_size) == 40);
    assert!(offset_of!(Quote, ask_size) == 44);
    assert!(offset_of!(Quote, instrument) == 48);
    assert!(offset_of!(Quote, venue) == 52);
    assert!(offset_of!(Quote, flags) == 54);
    assert!(offset_of!(Quote, ttl_us) == 56);
    assert!(offset_of!(Quote, channel) == 60);
    assert!(offset_of!(Quote, reserved) == 62);
};

impl Quote {
    /// Size of a record, bytes.
    pub const SIZE_BYTES: usize = 64;

    /// A record without prices: both sides absent, every number zero.
    pub const EMPTY: Self = Self {
        ts_event: 0,
        ts_recv: 0,
        wire_sequence: 0,
        bid: Price::NONE,
        ask: Price::NONE,
        bid_size: 0,
        ask_size: 0,
        instrument: InstrumentId::NONE,
        venue: VenueId(0),
        flags: QuoteFlags::ONE_SIDED,
        ttl_us: 0,
        channel: ChannelId(0),
        reserved: 0,
    };

    /// Whether this record is a feed event and not a price.
    #[must_use]
    pub const fn is_event(&self) -> bool {
        self.flags.contains(QuoteFlags::FEED_EVENT)
    }

    /// The record as it stands in files: fields in order, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::SIZE_BYTES] {
        let mut bytes = [0; Self::SIZE_BYTES];
        bytes[0..8].copy_from_slice(&self.ts_event.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.ts_recv.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.wire_sequence.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.bid.units().to_le_bytes());
        bytes[32..40].copy_from_slice(&self.ask.units().to_le_bytes());
        bytes[40..44].copy_from_slice(&self.bid_size.to_le_bytes());
        bytes[44..48].copy_from_slice(&self.ask_size.to_le_bytes());
        bytes[48..52].copy_from_slice(&self.instrument.0.to_le_bytes());
        bytes[52..54].copy_from_slice(&self.venue.0.to_le_bytes());
        bytes[54..56].copy_from_slice(&self.flags.bits().to_le_bytes());
        bytes[56..60].copy_from_slice(&self.ttl_us.to_le_bytes());
        bytes[60..62].copy_from_slice(&self.channel.0.to_le_bytes());
        bytes[62..64].copy_from_slice(&self.reserved.to_le_bytes());
        bytes
    }

    /// The record from the bytes that [`Quote::to_bytes`] gave.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::SIZE_BYTES]) -> Self {
        Self {
            ts_event: u64::from_le_bytes(field(bytes, 0)),
            ts_recv: u64::from_le_bytes(field(bytes, 8)),
            wire_sequence: u64::from_le_bytes(field(bytes, 16)),
            bid: Price::from_units(i64::from_le_bytes(field(bytes, 24))),
            ask: Price::from_units(i64::from_le_bytes(field(bytes, 32))),
            bid_size: u32::from_le_bytes(field(bytes, 40)),
            ask_size: u32::from_le_bytes(field(bytes, 44)),
            instrument: InstrumentId(u32::from_le_bytes(field(bytes, 48))),
            venue: VenueId(u16::from_le_bytes(field(bytes, 52))),
            flags: QuoteFlags::from_bits(u16::from_le_bytes(field(bytes, 54))),
            ttl_us: u32::from_le_bytes(field(bytes, 56)),
            channel: ChannelId(u16::from_le_bytes(field(bytes, 60))),
            reserved: u16::from_le_bytes(field(bytes, 62)),
        }
    }
}

/// The `N` bytes at `offset`.
fn field<const N: usize>(bytes: &[u8; Quote::SIZE_BYTES], offset: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[offset + i])
}

/// What is special about a [`Quote`]: a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct QuoteFlags(u16);

impl QuoteFlags {
    /// Nothing special.
    pub const NONE: Self = Self(0);
    /// At least one side of the book is empty.
    pub const ONE_SIDED: Self = Self(1 << 0);
    /// Bid equals ask.
    pub const LOCKED: Self = Self(1 << 1);
    /// Bid is above ask. Legal before the open, in halts and around crosses.
    pub const CROSSED: Self = Self(1 << 2);
    /// Comes from a snapshot and not from an incremental message.
    pub const SNAPSHOT: Self = Self(1 << 3);
    /// Its message was retransmitted.
    pub const RECOVERED: Self = Self(1 << 4);
    /// A gap is open: the book behind it may be wrong.
    pub const UNTRUSTED: Self = Self(1 << 5);
    /// The instrument is halted, paused or in quotation-only: no trading at this price.
    pub const HALTED: Self = Self(1 << 6);
    /// A size exceeded `u32::MAX` and stands clamped.
    pub const SIZE_CLAMPED: Self = Self(1 << 7);
    /// The venue's time was implausible (beyond a day): `ts_event` is not to be trusted.
    pub const BAD_TIMESTAMP: Self = Self(1 << 8);
    /// Not a price but a feed event; see [`FeedEvent`](crate::FeedEvent).
    pub const FEED_EVENT: Self = Self(1 << 9);

    const NAMES: [(Self, &'static str); 10] = [
        (Self::ONE_SIDED, "one_sided"),
        (Self::LOCKED, "locked"),
        (Self::CROSSED, "crossed"),
        (Self::SNAPSHOT, "snapshot"),
        (Self::RECOVERED, "recovered"),
        (Self::UNTRUSTED, "untrusted"),
        (Self::HALTED, "halted"),
        (Self::SIZE_CLAMPED, "size_clamped"),
        (Self::BAD_TIMESTAMP, "bad_timestamp"),
        (Self::FEED_EVENT, "feed_event"),
    ];

    /// The set from its bits; unknown bits are kept.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The bits of the set.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether every flag of `other` stands in `self`.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// `self` where `condition` holds, else the empty set.
    #[must_use]
    pub const fn when(self, condition: bool) -> Self {
        Self(self.0 * condition as u16)
    }

    /// The names of the flags that stand, in bit order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(flag, _)| self.contains(*flag)).map(|(_, name)| name)
    }
}

impl std::ops::BitOr for QuoteFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl std::ops::BitOrAssign for QuoteFlags {
    fn bitor_assign(&mut self, other: Self) {
        *self = self.union(other);
    }
}

impl fmt::Debug for QuoteFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_stand_at_their_pinned_offsets_in_bytes() {
        let quote = Quote {
            ts_event: 1,
            ts_recv: 2,
            wire_sequence: 3,
            bid: Price::from_units(4),
            ask: Price::from_units(5),
            bid_size: 6,
            ask_size: 7,
            instrument: InstrumentId(8),
            venue: VenueId(9),
            flags: QuoteFlags::from_bits(10),
            ttl_us: 11,
            channel: ChannelId(12),
            reserved: 13,
        };
        let bytes = quote.to_bytes();
        for (offset, value) in [
            (0, 1),
            (8, 2),
            (16, 3),
            (24, 4),
            (32, 5),
            (40, 6),
            (44, 7),
            (48, 8),
            (52, 9),
            (54, 10),
            (56, 11),
            (60, 12),
            (62, 13),
        ] {
            assert_eq!(bytes[offset], value, "offset {offset}");
        }
        assert_eq!(bytes.iter().filter(|&&byte| byte != 0).count(), 13);
    }

    #[test]
    fn flag_bits_and_names_are_a_file_format() {
        let all = QuoteFlags::NAMES.iter().fold(QuoteFlags::NONE, |set, (flag, _)| set | *flag);
        assert_eq!(all.bits(), 0b11_1111_1111);
        assert_eq!(
            all.names().collect::<Vec<_>>().join(" "),
            "one_sided locked crossed snapshot recovered untrusted halted size_clamped \
             bad_timestamp feed_event"
        );
    }

    proptest! {
        #[test]
        fn bytes_round_trip(bytes in proptest::array::uniform32(any::<u8>())) {
            let mut record = [0; 64];
            record[..32].copy_from_slice(&bytes);
            record[32..].copy_from_slice(&bytes);
            prop_assert_eq!(Quote::from_bytes(&record).to_bytes(), record);
        }
    }
}
