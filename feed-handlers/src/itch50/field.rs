//! The field types of ITCH 5.0, as they lie on the wire: big-endian, unsigned, space padded.

use std::fmt;

use freshlane_quote::Price;

/// ASCII text of a fixed width, left justified, padded with spaces.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Alpha<const N: usize>(pub [u8; N]);

impl<const N: usize> Alpha<N> {
    /// The text without its padding; it ends before the first byte that is not printable ASCII.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let printable = self.0.iter().position(|byte| !matches!(byte, b' '..=b'~')).unwrap_or(N);
        // Printable ASCII is valid UTF-8, so the default is never taken.
        std::str::from_utf8(&self.0[..printable]).unwrap_or_default().trim_end()
    }
}

impl<const N: usize> fmt::Debug for Alpha<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// One character: a code of the specification's tables.
pub type Code = Alpha<1>;

impl Code {
    /// The code's byte.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.0[0]
    }
}

/// A price with 4 implied decimals; at most 200,000.0000 by the specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Price4(pub u32);

impl From<Price4> for Price {
    fn from(price: Price4) -> Self {
        Self::from_price4(price.0)
    }
}

/// A price with 8 implied decimals: the decline levels of the market-wide circuit breaker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Price8(pub u64);

/// One field of a message, for people and programs that look inside a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldValue {
    /// An unsigned integer of any width.
    Integer(u64),
    /// A code of one character.
    Code(Alpha<1>),
    /// Text of two characters.
    Text2(Alpha<2>),
    /// Text of four characters.
    Text4(Alpha<4>),
    /// Text of eight characters.
    Text8(Alpha<8>),
    /// An exact price.
    Price(Price),
}

/// How one field type is read and shown.
pub(crate) trait Field: Copy {
    /// Bytes on the wire.
    const WIDTH: usize;
    /// Reads the field from exactly `WIDTH` bytes.
    fn read(bytes: &[u8]) -> Self;
    /// The value as it is shown.
    fn value(self) -> FieldValue;
}

/// The first `N` bytes; the slice always has them, which the optimiser sees after inlining.
#[inline(always)]
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

macro_rules! field {
    ($type:ty, $width:literal, |$bytes:ident| $read:expr, |$self_:ident| $value:expr) => {
        impl Field for $type {
            const WIDTH: usize = $width;
            #[inline(always)]
            fn read($bytes: &[u8]) -> Self {
                $read
            }
            fn value(self) -> FieldValue {
                let $self_ = self;
                $value
            }
        }
    };
}

field!(u16, 2, |b| u16::from_be_bytes(array(b)), |v| FieldValue::Integer(v.into()));
field!(u32, 4, |b| u32::from_be_bytes(array(b)), |v| FieldValue::Integer(v.into()));
field!(u64, 8, |b| u64::from_be_bytes(array(b)), |v| FieldValue::Integer(v));
field!(Alpha<1>, 1, |b| Alpha(array(b)), |v| FieldValue::Code(v));
field!(Alpha<2>, 2, |b| Alpha(array(b)), |v| FieldValue::Text2(v));
field!(Alpha<4>, 4, |b| Alpha(array(b)), |v| FieldValue::Text4(v));
field!(Alpha<8>, 8, |b| Alpha(array(b)), |v| FieldValue::Text8(v));
field!(Price4, 4, |b| Price4(u32::read(b)), |v| FieldValue::Price(v.into()));
field!(Price8, 8, |b| Price8(u64::read(b)), |v| FieldValue::Price(
    Price::from_price8(v.0).unwrap_or(Price::NONE)
));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_its_padding_or_at_the_first_unprintable_byte() {
        assert_eq!(Alpha(*b"BRK.A   ").as_str(), "BRK.A");
        assert_eq!(Alpha(*b"ABCDEFGH").as_str(), "ABCDEFGH");
        assert_eq!(Alpha(*b"        ").as_str(), "");
        assert_eq!(Alpha(*b"AB\0\xff    ").as_str(), "AB");
        assert_eq!(Alpha(*b"\xc3\xa9      ").as_str(), "");
    }
}
