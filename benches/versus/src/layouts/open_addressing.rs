//! Orders in entries of 32 bytes, open addressing with linear probing; a removal shifts what
//! follows back. Against it: a removal walks on over its neighbours, and where the walk ends is a coin
//! toss to the branch predictor.

use freshlane_feed_handlers::book::Side;

use super::pair::{Order, OrderTable};

#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Entry(Order);

const FREE: Entry = Entry(Order { reference: 0, price: 0, shares: 0, book: 0, side: Side::Bid });

/// Orders in open addressing; reference 0 is a free entry.
#[derive(Debug)]
pub(super) struct OpenAddressing {
    entries: Vec<Entry>,
    shift: u32,
}

impl OpenAddressing {
    /// At most half full with `expected` orders.
    pub(super) fn with_expected(expected: usize) -> Self {
        let len = (expected * 2).next_power_of_two().max(64);
        Self { entries: vec![FREE; len], shift: 64 - len.trailing_zeros() }
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the shift leaves an index")]
    fn home(&self, reference: u64) -> usize {
        (reference.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    fn mask(&self) -> usize {
        self.entries.len() - 1
    }

    /// Where `reference` lies, or the free entry where it would go.
    #[inline(always)]
    fn probe(&self, reference: u64) -> Result<usize, usize> {
        let mut at = self.home(reference);
        loop {
            match self.entries[at].0.reference {
                0 => return Err(at),
                found if found == reference => return Ok(at),
                _ => at = (at + 1) & self.mask(),
            }
        }
    }

    /// Frees entry `hole` and moves back whatever would not be found any more.
    fn close(&mut self, mut hole: usize) {
        let mut at = hole;
        loop {
            at = (at + 1) & self.mask();
            let entry = self.entries[at];
            if entry.0.reference == 0 {
                self.entries[hole] = FREE;
                return;
            }
            let distance = at.wrapping_sub(self.home(entry.0.reference)) & self.mask();
            if distance >= at.wrapping_sub(hole) & self.mask() {
                self.entries[hole] = entry;
                hole = at;
            }
        }
    }
}

impl OrderTable for OpenAddressing {
    #[inline(always)]
    fn insert(&mut self, order: Order) {
        if let Err(free) = self.probe(order.reference) {
            self.entries[free] = Entry(order);
        }
    }

    #[inline(always)]
    fn find(&mut self, reference: u64) -> Option<&mut Order> {
        self.probe(reference).ok().map(|at| &mut self.entries[at].0)
    }

    #[inline(always)]
    fn remove(&mut self, reference: u64) -> Option<Order> {
        let at = self.probe(reference).ok()?;
        let order = self.entries[at].0;
        self.close(at);
        Some(order)
    }
}
