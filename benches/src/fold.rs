//! Every field of a message folded into one number: what makes decoders do the same work.
//!
//! The fold is a sum, so the order of the fields does not matter and a rival's accessors need not
//! give them in ours. Frequent types (A, F, E, C, X, D, U, P) are folded field by field, the others
//! by their prefix.

use freshlane_feed_handlers::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use freshlane_feed_handlers::itch50::Message;
use freshlane_feed_handlers::itch50::message::Prefix;

/// The sum of all fields so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Checksum(pub u64);

impl Checksum {
    /// Adds a field.
    #[inline(always)]
    pub fn add(&mut self, field: impl Into<u64>) {
        self.0 = self.0.wrapping_add(field.into());
    }

    /// Adds text of eight characters.
    #[inline(always)]
    pub fn add_text8(&mut self, text: [u8; 8]) {
        self.add(u64::from_be_bytes(text));
    }

    /// Adds text of four characters.
    #[inline(always)]
    pub fn add_text4(&mut self, text: [u8; 4]) {
        self.add(u32::from_be_bytes(text));
    }

    #[inline(always)]
    fn add_prefix(&mut self, prefix: Prefix) {
        self.add(prefix.stock_locate);
        self.add(prefix.tracking_number);
        self.add(prefix.timestamp_ns);
    }

    /// Adds every field of `message`.
    #[inline(always)]
    pub fn add_message(&mut self, message: Message<'_>) {
        match message {
            Message::AddOrder(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.buy_sell_indicator().byte());
                self.add(m.shares());
                self.add_text8(m.stock().0);
                self.add(m.price().0);
            }
            Message::AddOrderMpid(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.buy_sell_indicator().byte());
                self.add(m.shares());
                self.add_text8(m.stock().0);
                self.add(m.price().0);
                self.add_text4(m.attribution().0);
            }
            Message::OrderExecuted(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.executed_shares());
                self.add(m.match_number());
            }
            Message::OrderExecutedWithPrice(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.executed_shares());
                self.add(m.match_number());
                self.add(m.printable().byte());
                self.add(m.execution_price().0);
            }
            Message::OrderCancel(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.cancelled_shares());
            }
            Message::OrderDelete(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
            }
            Message::OrderReplace(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.new_order_reference_number());
                self.add(m.shares());
                self.add(m.price().0);
            }
            Message::TradeNonCross(m) => {
                self.add_prefix(m.prefix());
                self.add(m.order_reference_number());
                self.add(m.buy_sell_indicator().byte());
                self.add(m.shares());
                self.add_text8(m.stock().0);
                self.add(m.price().0);
                self.add(m.match_number());
            }
            other => self.add_prefix(other.prefix()),
        }
    }
}

/// Frames, decodes and folds all of `bytes`: our decoder as it is compared.
#[must_use]
pub fn decode_and_fold(bytes: &[u8]) -> Checksum {
    let (mut checksum, mut framing, mut rest) = (Checksum::default(), BinaryFile::new(), bytes);
    while let Record::Message(message) = framing.next(rest, true) {
        rest = &rest[LENGTH_BYTES + message.len()..];
        if let Ok(message) = Message::decode(message) {
            checksum.add_message(message);
        }
    }
    checksum
}

/// Reads every byte and does nothing else: the limit of the memory.
#[must_use]
pub fn read_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let of_words =
        words.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_ne_bytes(*word)));
    rest.iter().fold(of_words, |sum, byte| sum.wrapping_add(u64::from(*byte)))
}

/// Goes from length to length and adds up the types: the limit of anything that frames.
#[must_use]
pub fn walk_lengths(bytes: &[u8]) -> u64 {
    let (mut sum, mut framing, mut rest) = (0_u64, BinaryFile::new(), bytes);
    while let Record::Message(message) = framing.next(rest, true) {
        rest = &rest[LENGTH_BYTES + message.len()..];
        sum = sum.wrapping_add(u64::from(message[0]));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::day::{Day, DaySpec, messages_of};
    use freshlane_feed_handlers::itch50::field::FieldValue;

    /// The same sum through the field lists that `inspect` prints.
    fn fold_by_field_lists(bytes: &[u8]) -> Checksum {
        let mut sum = Checksum::default();
        for message in messages_of(bytes).map(|bytes| Message::decode(bytes).unwrap()) {
            sum.add_prefix(message.prefix());
            if b"AFECXDUP".contains(&message.message_type()) {
                message.fields(&mut |_, value| match value {
                    FieldValue::Integer(value) => sum.add(value),
                    FieldValue::Code(code) => sum.add(code.byte()),
                    FieldValue::Text4(text) => sum.add_text4(text.0),
                    FieldValue::Text8(text) => sum.add_text8(text.0),
                    FieldValue::Price(price) => {
                        sum.add(u64::try_from(price.units()).unwrap() / 100_000);
                    }
                    FieldValue::Text2(_) => panic!("no frequent message has such a field"),
                });
            }
        }
        sum
    }

    #[test]
    fn the_fold_holds_every_field_of_the_frequent_types() {
        let day = Day::generate(&DaySpec::of((20, 20_000, 900), 1)).unwrap();
        assert_eq!(decode_and_fold(day.bytes()), fold_by_field_lists(day.bytes()));
    }

    #[test]
    fn the_limits_touch_all_bytes_and_all_messages() {
        assert_eq!(read_bytes(&[1; 19]), 0x0202_0202_0202_0202 + 3);
        assert_eq!(walk_lengths(b"\0\x02AB\0\x01C"), u64::from(b'A') + u64::from(b'C'));
    }
}
