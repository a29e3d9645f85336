//! Order books: order by order in, best bid and offer out.
//!
//! One [`OrderBooks`] serves a whole feed: all live orders lie in one table by reference, all price
//! levels in one arena, and the books are an array by the venue's own dense number.

mod levels;
mod memory;
mod orders;

use self::levels::{LevelArena, LevelSide};
use self::memory::{huge_vec, prefetch};
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
///
/// One integer and not three fields: it is returned through many branches, and reading several
/// small fields back from where they were stored stalls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Applied(u32);

impl Applied {
    const TOUCHED_BEST: u32 = 1 << 16;
    const CLAMPED: u32 = 1 << 17;

    #[inline(always)]
    fn new(book: u16, touched_best: bool) -> Self {
        Self(u32::from(book) | (Self::TOUCHED_BEST * u32::from(touched_best)))
    }

    /// The book that it concerned.
    #[inline(always)]
    #[must_use]
    pub const fn book(self) -> u16 {
        (self.0 & 0xffff) as u16
    }

    /// Whether a best level was touched: the top may have changed.
    #[inline(always)]
    #[must_use]
    pub const fn touched_best(self) -> bool {
        self.0 & Self::TOUCHED_BEST != 0
    }

    /// Whether more shares were taken off than were left; the order ended.
    #[inline(always)]
    #[must_use]
    pub const fn clamped(self) -> bool {
        self.0 & Self::CLAMPED != 0
    }
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

/// Levels to have memory for beyond one an order: blocks are never full. A fuzzer makes new books
/// for each input, and is to see them grow.
const LEVELS_SPARE: usize = if cfg!(fuzzing) { 1 << 10 } else { 1 << 19 };

/// A book and what its feed keeps beside it. With an attachment of up to 40 bytes both lie in one
/// cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Book<A> {
    sides: [LevelSide; 2],
    attachment: A,
}

/// The books of one feed, each with an attachment that the feed reads and writes.
#[derive(Debug)]
pub struct OrderBooks<A> {
    books: Vec<Book<A>>,
    orders: Orders,
    levels: LevelArena,
}

impl<A: Copy> OrderBooks<A> {
    /// Books for every possible 16-bit number, with memory for `orders_expected` live orders. All
    /// of it is allocated and touched now; more orders make it grow, which pauses the feed and
    /// counts in [`OrderBooks::growths`].
    #[must_use]
    pub fn with_expected(orders_expected: usize, attachment: A) -> Self {
        let book = Book { sides: [LevelSide::EMPTY; 2], attachment };
        Self {
            books: huge_vec(usize::from(u16::MAX) + 1, book),
            orders: Orders::with_expected(orders_expected),
            levels: LevelArena::with_expected(orders_expected + LEVELS_SPARE),
        }
    }

    /// What the feed keeps beside `book`.
    #[inline(always)]
    #[must_use]
    pub fn attachment(&self, book: u16) -> &A {
        &self.books[usize::from(book)].attachment
    }

    /// The same, to change.
    #[inline(always)]
    #[must_use]
    pub fn attachment_mut(&mut self, book: u16) -> &mut A {
        &mut self.books[usize::from(book)].attachment
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

    /// First stage of a batch: brings a reference that will be added into the cache.
    #[inline(always)]
    pub fn prefetch_reference(&self, reference: u64) {
        self.orders.prefetch(reference);
    }

    /// First stage of a batch: brings the order and the book into the cache. Returns where the
    /// order most likely lies, for the second stage.
    #[inline(always)]
    #[must_use]
    pub fn prefetch_order(&self, reference: u64, book: u16) -> usize {
        prefetch(&self.books[usize::from(book)]);
        self.orders.prefetch(reference)
    }

    /// Second stage of a batch: brings the best levels of the side that the message will touch: for
    /// an add the side that it names, else the side of the order.
    #[inline(always)]
    pub fn prefetch_levels(&self, reference: u64, bucket: usize, book: u16, side: Side) {
        // No branch on the message's type: in a real feed it is nearly a coin toss.
        let (book, side) = self.orders.peek(bucket, reference, (book, side));
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
        Ok(Applied::new(book, touched_best))
    }

    /// Takes `shares` off an order, for an execution or a cancel; at 0 the order ends.
    ///
    /// # Errors
    /// [`Refused::UnknownReference`]; nothing changed.
    #[inline(always)]
    pub fn reduce(&mut self, reference: u64, shares: u32) -> Result<Applied, Refused> {
        let place = self.orders.find(reference).ok_or(Refused::UnknownReference)?;
        let order = self.orders.get(place);
        let taken = shares.min(order.shares);
        if taken == order.shares {
            self.orders.remove(place);
        } else {
            self.orders.set_shares(place, order.shares - taken);
        }
        let touched_best = self.reduce_level(&order, taken);
        let clamped = Applied::CLAMPED * u32::from(shares > order.shares);
        Ok(Applied(Applied::new(order.book, touched_best).0 | clamped))
    }

    /// Ends an order, whatever is left of it.
    ///
    /// # Errors
    /// [`Refused::UnknownReference`]; nothing changed.
    #[inline(always)]
    pub fn delete(&mut self, reference: u64) -> Result<Applied, Refused> {
        let order = self.take(reference)?;
        let touched_best = self.reduce_level(&order, order.shares);
        Ok(Applied::new(order.book, touched_best))
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
        let left_best = self.reduce_level(&order, order.shares);
        let ended = Applied::new(order.book, left_best);
        let begun = self
            .add(NewOrder {
                reference: new.reference,
                book: order.book,
                side: order.side,
                price: new.price,
                shares: new.shares,
            })
            .map_err(|refused| (refused, Some(ended)))?;
        Ok(Applied(ended.0 | begun.0))
    }

    #[inline(always)]
    fn take(&mut self, reference: u64) -> Result<Order, Refused> {
        let place = self.orders.find(reference).ok_or(Refused::UnknownReference)?;
        let order = self.orders.get(place);
        self.orders.remove(place);
        Ok(order)
    }

    #[inline(always)]
    fn reduce_level(&mut self, order: &Order, shares: u32) -> bool {
        let side = &mut self.books[usize::from(order.book)].sides[order.side as usize];
        self.levels.reduce(side, order.side.key(order.price), shares)
    }
}

#[cfg(test)]
mod tests;
