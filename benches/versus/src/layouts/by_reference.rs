//! Orders in a vector by reference: no search at all. Against it, however fast it is: its
//! memory grows with the references of the day and not with the live orders, and it holds only where
//! references are dense and begin low.

use freshlane_feed_handlers::book::Side;

use super::pair::{Order, OrderTable};

const NONE: Order = Order { reference: 0, price: 0, shares: 0, book: 0, side: Side::Bid };

/// Orders by reference; an entry without shares is free.
#[derive(Debug)]
pub(super) struct OrdersByReference(Vec<Order>);

impl OrdersByReference {
    /// For references up to `reference_max`.
    pub(super) fn up_to(reference_max: u64) -> Self {
        let len = usize::try_from(reference_max).map_or(usize::MAX, |max| max + 1);
        Self(vec![NONE; len])
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the vector was made for all references")]
    fn entry(&mut self, reference: u64) -> &mut Order {
        &mut self.0[reference as usize]
    }
}

impl OrderTable for OrdersByReference {
    #[inline(always)]
    fn insert(&mut self, order: Order) {
        *self.entry(order.reference) = order;
    }

    #[inline(always)]
    fn find(&mut self, reference: u64) -> Option<&mut Order> {
        Some(self.entry(reference)).filter(|order| order.shares != 0)
    }

    #[inline(always)]
    fn remove(&mut self, reference: u64) -> Option<Order> {
        let order = std::mem::replace(self.entry(reference), NONE);
        (order.reference != 0).then_some(order)
    }
}
