//! Order books: order by order in, best bid and offer out.
//!
//! One [`OrderBooks`] serves a whole feed: all live orders lie in one table by reference, all price
//! levels in one arena, and the books are an array by the venue's own dense number.

mod levels;
mod memory;
mod orders;

use self::levels::{LevelArena, LevelSide};
use self::memory::huge_vec;
pub(crate) use self::memory::prefetch;
use self::orders::{Duplicate, Order, Orders};

/// A side of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Side {
    /// Buyers.
    Bid = 0,
    /// Sellers.
    Ask = 1,
}

impl Side {
    /// The sort key of `price` on this side: greater is better.
    #[inline(always)]
    const fn key(self, price: u32) -> u32 {
        // All bits flip on the ask side.
        price ^ (self as u32).wrapping_neg()
    }
}

/// The best price of one side with all shares there; 0 and 0 where the side is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Best {
    /// Venue ticks; 0 = none.
    pub price: u32,
    /// Shares of all orders at the price; 0 = none.
    pub shares: u64,
}

/// Both best prices of one book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Top {
    /// Highest bid.
    pub bid: Best,
    /// Lowest ask.
    pub ask: Best,
}

/// What an accepted operation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Applied {
    /// The book that it concerned.
    pub book: u16,
    /// Whether a best level was touched: the top may have changed.
    pub touched_best: bool,
    /// Whether more shares were taken off than were left; the order ended.
    pub clamped: bool,
}

/// Why an operation was refused. The books are as before, but for a replace: see
/// [`OrderBooks::replace`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// No live order has that reference.
    UnknownReference,
    /// A live order has that reference already.
    DuplicateReference,
    /// Reference, shares or price are 0: no displayable order.
    InvalidOrder,
}

/// A new order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewOrder {
    /// Unique among live orders; not 0.
    pub reference: u64,
    /// Index of the book.
    pub book: u16,
    /// Side.
    pub side: Side,
    /// Limit price, venue ticks; not 0.
    pub price: u32,
    /// Displayed shares; not 0.
    pub shares: u32,
}

/// The new half of a replace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// Unique among live orders; not 0. May equal the old one.
    pub reference: u64,
    /// Limit price, venue ticks; not 0.
    pub price: u32,
    /// Displayed shares; not 0.
    pub shares: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Book {
    sides: [LevelSide; 2],
}

/// The books of one feed.
#[derive(Debug)]
pub struct OrderBooks {
    books: Vec<Book>,
    orders: Orders,
    levels: LevelArena,
}

impl OrderBooks {
    /// Books for every possible 16-bit number, with memory for `orders_expected` live orders. All
    /// of it is allocated and touched now; more orders make it grow, which pauses the feed and
    /// counts in [`OrderBooks::growths`].
    #[must_use]
    pub fn with_expected(orders_expected: usize) -> Self {
        Self {
            books: huge_vec(usize::from(u16::MAX) + 1, Book { sides: [LevelSide::EMPTY; 2] }),
            orders: Orders::with_expected(orders_expected),
            levels: LevelArena::with_expected(orders_expected.max(1 << 16)),
        }
    }

    /// How many orders live.
    #[must_use]
    pub fn live_orders(&self) -> usize {
        self.orders.len()
    }

    /// How often memory had to grow after the start.
    #[must_use]
    pub fn growths(&self) -> u64 {
        self.orders.growths() + self.levels.growths()
    }

    /// First stage of a batch: brings the order and the book into the cache.
    #[inline(always)]
    pub fn prefetch_order(&self, reference: u64, book: u16) {
        self.orders.prefetch(reference);
        prefetch(&self.books[usize::from(book)]);
    }

    /// Second stage of a batch: brings the best levels that the order's end will touch.
    #[inline(always)]
    pub fn prefetch_levels_of(&self, reference: u64) {
        if let Some(order) = self.orders.peek_home(reference) {
            self.prefetch_levels(order.book, order.side);
        }
    }

    /// Second stage of a batch: brings the best levels of a side.
    #[inline(always)]
    pub fn prefetch_levels(&self, book: u16, side: Side) {
        self.levels.prefetch_best(self.books[usize::from(book)].sides[side as usize]);
    }

    /// The best bid and offer of `book`.
    #[inline(always)]
    #[must_use]
    pub fn top(&self, book: u16) -> Top {
        let sides = &self.books[usize::from(book)].sides;
        let best = |side: Side| {
            self.levels.best(sides[side as usize]).map_or(Best::default(), |level| Best {
                price: side.key(level.key),
                shares: level.shares,
            })
        };
        Top { bid: best(Side::Bid), ask: best(Side::Ask) }
    }

    /// Adds an order.
    ///
    /// # Errors
    /// [`Refused::InvalidOrder`] or [`Refused::DuplicateReference`]; nothing changed.
    #[inline(always)]
    pub fn add(&mut self, new: NewOrder) -> Result<Applied, Refused> {
        let NewOrder { reference, book, side, price, shares } = new;
        if reference == 0 || price == 0 || shares == 0 {
            return Err(Refused::InvalidOrder);
        }
        let order = Order { reference, price, shares, book, side };
        self.orders.insert(order).map_err(|Duplicate| Refused::DuplicateReference)?;
        let levels = &mut self.books[usize::from(book)].sides[side as usize];
        let touched_best = self.levels.add(levels, side.key(price), shares);
        Ok(Applied { book, touched_best, clamped: false })
    }

    /// Takes `shares` off an order, for an execution or a cancel; at 0 the order ends.
    ///
    /// # Errors
    /// [`Refused::UnknownReference`]; nothing changed.
    #[inline(always)]
    pub fn reduce(&mut self, reference: u64, shares: u32) -> Result<Applied, Refused> {
        let slot = self.orders.find(reference).ok_or(Refused::UnknownReference)?;
        let order = *self.orders.get(slot);
        let taken = shares.min(order.shares);
        let order_ends = taken == order.shares;
        if order_ends {
            self.orders.remove(slot);
        } else {
            self.orders.set_shares(slot, order.shares - taken);
        }
        let touched_best = self.reduce_level(&order, taken, order_ends);
        Ok(Applied { book: order.book, touched_best, clamped: shares > order.shares })
    }

    /// Ends an order, whatever is left of it.
    ///
    /// # Errors
    /// [`Refused::UnknownReference`]; nothing changed.
    #[inline(always)]
    pub fn delete(&mut self, reference: u64) -> Result<Applied, Refused> {
        let order = self.take(reference)?;
        let touched_best = self.reduce_level(&order, order.shares, true);
        Ok(Applied { book: order.book, touched_best, clamped: false })
    }

    /// Ends an order and begins another on the same side of the same book.
    ///
    /// # Errors
    /// [`Refused::UnknownReference`]: nothing changed, the new order does not enter. For another
    /// refusal of the new order the old one has ended all the same, since the venue says so; the
    /// [`Applied`] beside the reason tells what that touched.
    #[inline(always)]
    pub fn replace(
        &mut self,
        reference: u64,
        new: Replacement,
    ) -> Result<Applied, (Refused, Option<Applied>)> {
        let order = self.take(reference).map_err(|refused| (refused, None))?;
        let left_best = self.reduce_level(&order, order.shares, true);
        let ended = Applied { book: order.book, touched_best: left_best, clamped: false };
        let begun = self
            .add(NewOrder {
                reference: new.reference,
                book: order.book,
                side: order.side,
                price: new.price,
                shares: new.shares,
            })
            .map_err(|refused| (refused, Some(ended)))?;
        Ok(Applied { touched_best: left_best | begun.touched_best, ..ended })
    }

    #[inline(always)]
    fn take(&mut self, reference: u64) -> Result<Order, Refused> {
        let slot = self.orders.find(reference).ok_or(Refused::UnknownReference)?;
        let order = *self.orders.get(slot);
        self.orders.remove(slot);
        Ok(order)
    }

    #[inline(always)]
    fn reduce_level(&mut self, order: &Order, shares: u32, order_ends: bool) -> bool {
        let side = &mut self.books[usize::from(order.book)].sides[order.side as usize];
        self.levels.reduce(side, order.side.key(order.price), shares, order_ends)
    }
}

#[cfg(test)]
mod tests;
