//! A consumer that does a measured amount of real work.

use std::hint::black_box;

use freshlane_quote::{Clock, FeedEvent, Quote};

use crate::consumer::{Consumer, Fresh};

/// Works on each quote for a service time: it computes the microprice over and over until the clock
/// says that the time is up.
///
/// With a service time of 0 it computes it once. Where the clock stands still it gives up after as
/// many rounds as the service time has ns.
#[derive(Debug)]
pub struct WorkConsumer<C> {
    clock: C,
    service_time_ns: u64,
    microprice_sum: i64,
    quotes: u64,
    events: u64,
}

impl<C: Clock> WorkConsumer<C> {
    /// A consumer that works for `service_time_ns` on each quote, by `clock`.
    #[must_use]
    pub fn new(clock: C, service_time_ns: u64) -> Self {
        Self { clock, service_time_ns, microprice_sum: 0, quotes: 0, events: 0 }
    }

    /// Quotes worked on.
    #[must_use]
    pub fn quotes(&self) -> u64 {
        self.quotes
    }

    /// Events seen.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The sum of all microprices computed, in units of 1e-9, wrapping: the proof of the work.
    #[must_use]
    pub fn microprice_sum(&self) -> i64 {
        self.microprice_sum
    }

    #[inline]
    fn work(&mut self, quote: &Quote) {
        let microprice = microprice_units(black_box(quote)).unwrap_or(0);
        self.microprice_sum = black_box(self.microprice_sum.wrapping_add(microprice));
    }

    fn work_until_done(&mut self, quote: &Quote) {
        let begun_ns = self.clock.now();
        for _ in 0..self.service_time_ns {
            self.work(quote);
            if self.clock.now().saturating_sub(begun_ns) >= self.service_time_ns {
                break;
            }
        }
    }
}

impl<C: Clock> Consumer for WorkConsumer<C> {
    fn on_quote<G: Clock>(&mut self, quote: Fresh<'_, G>) {
        self.quotes += 1;
        match self.service_time_ns {
            0 => self.work(&quote),
            _ => self.work_until_done(&quote),
        }
    }

    fn on_event(&mut self, _event: FeedEvent, _record: &Quote) {
        self.events += 1;
    }
}

/// Bid and ask weighted by the size on the other side, units of 1e-9; `None` where a side is
/// missing.
fn microprice_units(quote: &Quote) -> Option<i64> {
    let (bid, ask) = (quote.bid.some()?, quote.ask.some()?);
    let (bid_size, ask_size) = (i128::from(quote.bid_size), i128::from(quote.ask_size));
    let weighted = i128::from(bid.units()) * ask_size + i128::from(ask.units()) * bid_size;
    i64::try_from(weighted.checked_div(bid_size + ask_size)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Verdict;

    const FRESH: Verdict = Verdict { age_ns: 0, limit_ns: 0 };

    use freshlane_quote::{Price, SimulatedClock};

    fn quote() -> Quote {
        let (bid, ask) = (Price::from_price4(100_000), Price::from_price4(100_400));
        Quote { bid, ask, bid_size: 300, ask_size: 100, ..Quote::EMPTY }
    }

    fn hand(consumer: &mut WorkConsumer<SimulatedClock>, quote: &Quote) {
        let clock = SimulatedClock::at(0);
        consumer.on_quote(Fresh { quote, verdict: FRESH, clock: &clock });
    }

    #[test]
    fn the_microprice_leans_to_the_side_with_less_size() {
        assert_eq!(microprice_units(&quote()), Some(10_030_000_000));
        assert_eq!(microprice_units(&Quote { bid_size: 0, ask_size: 0, ..quote() }), None);
        assert_eq!(microprice_units(&Quote::EMPTY), None);
        let extreme = Price::from_units(i64::MAX - 1);
        let most = Quote { bid: extreme, ask: extreme, bid_size: u32::MAX, ..quote() };
        assert_eq!(microprice_units(&most), Some(i64::MAX - 1));
    }

    #[test]
    fn without_a_service_time_each_quote_is_computed_once() {
        let mut consumer = WorkConsumer::new(SimulatedClock::at(5), 0);
        hand(&mut consumer, &quote());
        hand(&mut consumer, &Quote::EMPTY);
        assert_eq!((consumer.quotes(), consumer.microprice_sum()), (2, 10_030_000_000));
    }

    #[test]
    fn a_clock_that_stands_still_does_not_hold_it_for_ever() {
        let mut consumer = WorkConsumer::new(SimulatedClock::at(5), 1_000);
        hand(&mut consumer, &quote());
        assert_eq!(consumer.microprice_sum(), 1_000 * 10_030_000_000);
    }

    /// Each reading of this clock is 10 ns later than the one before.
    #[derive(Clone, Debug, Default)]
    struct Running(SimulatedClock);

    impl Clock for Running {
        fn now(&self) -> u64 {
            self.0.advance_by(10);
            self.0.now()
        }
    }

    #[test]
    fn it_works_until_the_service_time_is_over() {
        let mut consumer = WorkConsumer::new(Running::default(), 95);
        let clock = SimulatedClock::at(0);
        let quote = quote();
        consumer.on_quote(Fresh { quote: &quote, verdict: FRESH, clock: &clock });
        assert_eq!(consumer.microprice_sum(), 10 * 10_030_000_000);
    }
}
