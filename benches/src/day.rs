//! A day of a synthetic market in memory, cut into slices.

use std::fmt;
use std::ops::Range;

use freshlane_feed_handlers::synthetic::{ItchMarket, ItchMarketSpec, SpecError};

/// There is no such market.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the market of the benches: {0}")]
pub struct DayError(#[from] SpecError);

/// What day to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DaySpec {
    /// The market.
    pub market: ItchMarketSpec,
    /// How many slices.
    pub slices: usize,
}

impl DaySpec {
    /// A day of `(symbols, messages, live orders)`. Always of one seed, so that results of
    /// different days are of one input.
    #[must_use]
    pub fn of((symbols, messages, live_orders): (u16, u64, u32), slices: usize) -> Self {
        let live_orders = Some(live_orders);
        Self { market: ItchMarketSpec { symbols, messages, seed: 7, live_orders }, slices }
    }
}

/// Messages that one of the rivals cannot parse: `itchy` panics on them. They are left out for all.
/// None of them touches a book.
const LEFT_OUT: [u8; 3] = [b'O', b'J', b'h'];

/// A day as BinaryFILE: each message after its length.
pub struct Day {
    bytes: Vec<u8>,
    slices: Vec<DaySlice>,
    by_type: [u64; 256],
    live_orders_max: u32,
}

/// A part of a day, of whole messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DaySlice {
    /// Where in the day's bytes.
    pub bytes: Range<usize>,
    /// How many messages.
    pub messages: u64,
}

impl Day {
    /// Makes the day of `spec`.
    ///
    /// # Errors
    /// [`DayError`] where there is no such market.
    pub fn generate(spec: &DaySpec) -> Result<Self, DayError> {
        let mut market = ItchMarket::new(&spec.market)?;
        let slices = spec.slices.max(1) as u64;
        let mut day =
            Self { bytes: Vec::new(), slices: Vec::new(), by_type: [0; 256], live_orders_max: 0 };
        let (mut seen, mut start, mut messages) = (0, 0, 0);
        while let Some(message) = market.next_message() {
            let message = message.bytes;
            if !LEFT_OUT.contains(&message[0]) {
                day.append(message);
                messages += 1;
            }
            seen += 1;
            if seen * slices >= spec.market.messages * (day.slices.len() as u64 + 1) {
                day.live_orders_max = day.live_orders_max.max(market.live_orders());
                day.slices.push(DaySlice { bytes: start..day.bytes.len(), messages });
                (start, messages) = (day.bytes.len(), 0);
            }
        }
        Ok(day)
    }

    fn append(&mut self, message: &[u8]) {
        #[allow(clippy::cast_possible_truncation, reason = "no message is longer than 50 bytes")]
        let len = message.len() as u16;
        self.bytes.extend_from_slice(&len.to_be_bytes());
        self.bytes.extend_from_slice(message);
        self.by_type[usize::from(message[0])] += 1;
    }

    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The slices, one after the other.
    #[must_use]
    pub fn slices(&self) -> &[DaySlice] {
        &self.slices
    }

    /// The bytes of a slice.
    #[must_use]
    pub fn slice(&self, index: usize) -> &[u8] {
        &self.bytes[self.slices[index].bytes.clone()]
    }

    /// The day in turns of `slices_of_turn` slices each: where each turn ends in the day's bytes,
    /// and how many messages it has.
    #[must_use]
    pub fn turns(&self, slices_of_turn: usize) -> Vec<(usize, u64)> {
        let turn = |slices: &[DaySlice]| {
            let end = slices.last().map_or(0, |slice| slice.bytes.end);
            (end, slices.iter().map(|slice| slice.messages).sum())
        };
        self.slices.chunks(slices_of_turn.max(1)).map(turn).collect()
    }

    /// How many messages.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.by_type.iter().sum()
    }

    /// The largest number of live orders at the end of a slice.
    #[must_use]
    pub fn live_orders_max(&self) -> u32 {
        self.live_orders_max
    }

    /// Orders to have memory for: a fifth more than ever live at the end of a slice.
    #[must_use]
    pub fn orders_expected(&self) -> usize {
        self.live_orders_max as usize * 6 / 5
    }
}

/// The messages of BinaryFILE `bytes` that is known to be whole: for preparation, not for measuring.
pub fn messages_of(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk()?;
        let (message, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        bytes = rest;
        Some(message)
    })
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (messages, bytes) = (self.messages(), self.bytes.len());
        let mut types: Vec<_> = (0..=u8::MAX).zip(self.by_type).filter(|(_, n)| *n > 0).collect();
        types.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let share = |count| count as f64 * 100.0 / messages.max(1) as f64;
        write!(
            f,
            "a day of {messages} messages of {:.1} bytes, at most {} live orders:",
            bytes as f64 / messages.max(1) as f64,
            self.live_orders_max,
        )?;
        types.iter().take(6).try_for_each(|(message_type, count)| {
            write!(f, " {} {:.1} %", char::from(*message_type), share(*count))
        })
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Day").field("day", &self.to_string()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_the_day_in_whole_messages() {
        let day = Day::generate(&DaySpec::of((20, 5_000, 300), 7)).unwrap();
        assert_eq!(day.slices().len(), 7);
        let mut end = 0;
        for (index, slice) in day.slices().iter().enumerate() {
            assert_eq!(slice.bytes.start, end);
            end = slice.bytes.end;
            assert_eq!(messages_of(day.slice(index)).count() as u64, slice.messages);
        }
        assert_eq!(end, day.bytes().len());
        let messages: u64 = day.slices().iter().map(|slice| slice.messages).sum();
        assert_eq!(messages, day.messages());
        assert!(messages > 4_500 && day.live_orders_max() > 100);
        let turns = day.turns(3);
        assert_eq!((turns.len(), turns[2].0), (3, day.bytes().len()));
        assert_eq!(turns.iter().map(|(_, messages)| messages).sum::<u64>(), messages);
        assert!(messages_of(day.bytes()).all(|message| !LEFT_OUT.contains(&message[0])));
    }

    #[test]
    fn a_day_that_cannot_be_is_refused() {
        assert!(Day::generate(&DaySpec::of((20, 10, 1), 2)).is_err());
    }
}
