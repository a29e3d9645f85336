//! Looking ahead in a batch: what its messages will touch is brought into the cache beforehand.

use super::field::{Alpha, Code};
use super::handler::BATCH_MAX;
use super::message::OrderReplace;
use crate::book::{OrderBooks, Side};

/// An order message of a batch, as the second prefetch pass needs it.
#[derive(Clone, Copy)]
struct OrderHint {
    reference: u64,
    bucket: usize,
    locate: u16,
    side: Side,
}

impl OrderHint {
    const NONE: Self = Self { reference: 0, bucket: 0, locate: 0, side: Side::Bid };
}

/// Two passes over the batch ahead of the work: the books are random memory, and so many loads in
/// flight at once cost little more than one.
#[inline(always)]
pub(super) fn prefetch<A: Copy>(books: &OrderBooks<A>, messages: &[&[u8]]) {
    let mut hints = [OrderHint::NONE; BATCH_MAX];
    let mut count = 0;
    for message in messages {
        let Some((reference, locate, side)) = order_of(message) else { continue };
        let bucket = books.prefetch_order(reference, locate);
        hints[count] = OrderHint { reference, bucket, locate, side };
        count += 1;
        if message[0] == OrderReplace::TYPE
            && let Some(replace) = OrderReplace::view(message)
        {
            books.prefetch_reference(replace.new_order_reference_number());
        }
    }
    for hint in &hints[..count] {
        books.prefetch_levels(hint.reference, hint.bucket, hint.locate, hint.side);
    }
}

/// Order reference, locate and side of a message that names an order. Only an add has a side; for
/// the others it is a byte of another field.
#[inline(always)]
fn order_of(message: &[u8]) -> Option<(u64, u16, Side)> {
    const NAMES_ORDER: [bool; 256] = {
        let mut table = [false; 256];
        let mut types = b"ADUEXFC".as_slice();
        while let [message_type, rest @ ..] = types {
            table[*message_type as usize] = true;
            types = rest;
        }
        table
    };
    let head: &[u8; 19] = message.first_chunk()?;
    if !NAMES_ORDER[usize::from(head[0])] {
        return None;
    }
    let reference = u64::from_be_bytes(std::array::from_fn(|i| head[11 + i]));
    let side = side(Alpha([*message.get(19).unwrap_or(&0)]));
    Some((reference, u16::from_be_bytes([head[1], head[2]]), side))
}

/// The side of an order; not `S` is taken for a buy.
#[inline(always)]
pub(super) fn side(indicator: Code) -> Side {
    if indicator.byte() == b'S' { Side::Ask } else { Side::Bid }
}
