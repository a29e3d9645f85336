//! Orders in the standard library's map. Against it: its hash function, and two cache lines an
//! order.

use std::collections::HashMap;

use super::pair::{Order, OrderTable};

/// Orders in a `HashMap`.
#[derive(Debug)]
pub(super) struct HashedOrders(HashMap<u64, Order>);

impl HashedOrders {
    /// With room for `expected` orders.
    pub(super) fn with_expected(expected: usize) -> Self {
        Self(HashMap::with_capacity(expected))
    }
}

impl OrderTable for HashedOrders {
    #[inline(always)]
    fn insert(&mut self, order: Order) {
        self.0.insert(order.reference, order);
    }

    #[inline(always)]
    fn find(&mut self, reference: u64) -> Option<&mut Order> {
        self.0.get_mut(&reference)
    }

    #[inline(always)]
    fn remove(&mut self, reference: u64) -> Option<Order> {
        self.0.remove(&reference)
    }
}
