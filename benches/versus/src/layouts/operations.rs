//! The book operations of a day, decoded beforehand.

use std::fmt;
use std::ops::Range;

use freshlane_benches::day::{Day, messages_of};
use freshlane_benches::fold::Checksum;
use freshlane_feed_handlers::book::{Best, NewOrder, Replacement, Side, Top};
use freshlane_feed_handlers::itch50::Message;

/// One operation. All but an add name the book of their order too, as messages do: for prefetching
/// only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Add(NewOrder),
    Reduce { reference: u64, shares: u32, book: u16 },
    Delete { reference: u64, book: u16 },
    Replace { reference: u64, new: Replacement, book: u16 },
}

impl Operation {
    fn of(message: Message<'_>) -> Option<Self> {
        let book = message.prefix().stock_locate;
        Some(match message {
            Message::AddOrder(m) => Self::Add(NewOrder {
                reference: m.order_reference_number(),
                book,
                side: side(m.buy_sell_indicator().byte()),
                price: m.price().0,
                shares: m.shares(),
            }),
            Message::AddOrderMpid(m) => Self::Add(NewOrder {
                reference: m.order_reference_number(),
                book,
                side: side(m.buy_sell_indicator().byte()),
                price: m.price().0,
                shares: m.shares(),
            }),
            Message::OrderExecuted(m) => {
                let (reference, shares) = (m.order_reference_number(), m.executed_shares());
                Self::Reduce { reference, shares, book }
            }
            Message::OrderExecutedWithPrice(m) => {
                let (reference, shares) = (m.order_reference_number(), m.executed_shares());
                Self::Reduce { reference, shares, book }
            }
            Message::OrderCancel(m) => {
                let (reference, shares) = (m.order_reference_number(), m.cancelled_shares());
                Self::Reduce { reference, shares, book }
            }
            Message::OrderDelete(m) => Self::Delete { reference: m.order_reference_number(), book },
            Message::OrderReplace(m) => Self::Replace {
                reference: m.order_reference_number(),
                new: Replacement {
                    reference: m.new_order_reference_number(),
                    price: m.price().0,
                    shares: m.shares(),
                },
                book,
            },
            _ => return None,
        })
    }

    fn reference_max(self) -> u64 {
        match self {
            Self::Add(new) => new.reference,
            Self::Reduce { reference, .. } | Self::Delete { reference, .. } => reference,
            Self::Replace { reference, new, .. } => reference.max(new.reference),
        }
    }
}

fn side(indicator: u8) -> Side {
    if indicator == b'S' { Side::Ask } else { Side::Bid }
}

/// All operations of a day, slice by slice.
#[derive(Debug)]
pub(super) struct Operations {
    all: Vec<Operation>,
    slices: Vec<Range<usize>>,
    pub(super) books: usize,
    pub(super) reference_max: u64,
    pub(super) orders_expected: usize,
}

impl Operations {
    /// The operations of `day`; a slice here is as long as `slices_of_turn` of the day's.
    pub(super) fn of(day: &Day, slices_of_turn: usize) -> Self {
        let (mut all, mut slices, mut at) = (Vec::new(), Vec::new(), 0);
        for (end, _) in day.turns(slices_of_turn) {
            let start = all.len();
            let messages = messages_of(&day.bytes()[at..end]);
            let messages = messages.filter_map(|message| Message::decode(message).ok());
            all.extend(messages.filter_map(Operation::of));
            slices.push(start..all.len());
            at = end;
        }
        let reference_max = all.iter().map(|operation| operation.reference_max()).max();
        Self {
            all,
            slices,
            books: usize::from(u16::MAX) + 1,
            reference_max: reference_max.unwrap_or(0),
            orders_expected: day.orders_expected(),
        }
    }

    pub(super) fn slices(&self) -> usize {
        self.slices.len()
    }

    pub(super) fn of_slice(&self, slice: usize) -> &[Operation] {
        &self.all[self.slices[slice].clone()]
    }
}

impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} operations, references up to {}, memory for {} live orders.",
            self.all.len(),
            self.reference_max,
            self.orders_expected
        )
    }
}

/// What came of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Replayed {
    pub(super) operations: u64,
    /// The sum of the tops after each operation that touched a best level.
    pub(super) tops: Checksum,
}

impl Replayed {
    #[inline(always)]
    pub(super) fn see(&mut self, touched: Option<Top>) {
        self.operations += 1;
        if let Some(Top { bid, ask }) = touched {
            self.add(bid);
            self.add(ask);
        }
    }

    #[inline(always)]
    fn add(&mut self, best: Best) {
        self.tops.add(u64::from(best.price) << 32);
        self.tops.add(best.shares);
    }
}
