//! A synthetic market on the engine's clock: a live feed without a network.

use std::fmt;

use freshlane_quote::Clock;

use crate::itch50::BATCH_MAX;
use crate::itch50::message::MESSAGE_LEN_MAX;
use crate::session_time::SessionTime;
use crate::source::{Batch, MessageSource};
use crate::synthetic::LiveItchMarket;

/// Messages per second while the market lists its symbols and builds its opening books.
const OPENING_RATE_PER_S: u64 = 250_000;
/// A feed that is further behind its schedule than this does not catch up, ns: a market that was
/// not listened to does not repeat itself.
const BEHIND_NS_MAX: u64 = 500_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// A [`LiveItchMarket`] that sends its messages at an even rate.
///
/// The opening burst goes out at a quarter of a million messages a second, then `rate_per_s` applies. Each
/// message carries the time at which it was due, so it is never ahead of the clock.
pub struct PacedMarket<C> {
    market: LiveItchMarket,
    clock: C,
    session: SessionTime,
    day: usize,
    rate_per_s: u64,
    sent: u64,
    /// When message `origin_sent` was due, ns since the Unix epoch.
    origin_ns: u64,
    origin_sent: u64,
    bytes: Box<[[u8; MESSAGE_LEN_MAX]; BATCH_MAX]>,
}

impl<C: Clock> PacedMarket<C> {
    /// A market that starts now. `session` is that of today.
    pub fn new(market: LiveItchMarket, clock: C, session: SessionTime, rate_per_s: u64) -> Self {
        let origin_ns = clock.now();
        Self {
            market,
            clock,
            session,
            day: 0,
            rate_per_s: rate_per_s.max(1),
            sent: 0,
            origin_ns,
            origin_sent: 0,
            bytes: Box::new([[0; MESSAGE_LEN_MAX]; BATCH_MAX]),
        }
    }

    /// When the next message is due, ns since the Unix epoch.
    #[inline]
    fn due_ns(&self) -> u64 {
        let is_opening = self.sent < self.market.opening_messages();
        let rate_per_s = if is_opening { OPENING_RATE_PER_S } else { self.rate_per_s };
        let since = u128::from(self.sent - self.origin_sent) * u128::from(SECOND_NS);
        let since_ns = u64::try_from(since / u128::from(rate_per_s)).unwrap_or(u64::MAX);
        self.origin_ns.saturating_add(since_ns)
    }

    /// Starts the schedule anew, with the next message due at `due_ns`.
    fn restart_at(&mut self, due_ns: u64) {
        (self.origin_ns, self.origin_sent) = (due_ns, self.sent);
    }

    fn ns_since_midnight(&mut self, due_ns: u64) -> u64 {
        while due_ns >= self.session.midnight_ns(self.day + 1) {
            self.day += 1;
        }
        due_ns.saturating_sub(self.session.midnight_ns(self.day))
    }

    /// Makes the next message into place `index`; returns its length.
    fn make(&mut self, index: usize, due_ns: u64) -> usize {
        let stamp = self.ns_since_midnight(due_ns);
        let message = self.market.next_message_at(stamp).bytes;
        self.bytes[index][..message.len()].copy_from_slice(message);
        let len = message.len();
        self.sent += 1;
        if self.sent == self.market.opening_messages() {
            self.restart_at(due_ns);
        }
        len
    }
}

impl<C: Clock> MessageSource for PacedMarket<C> {
    fn next_batch(&mut self, max: usize, visit: impl FnOnce(&[&[u8]], u64)) -> Batch {
        let now_ns = self.clock.now();
        if now_ns.saturating_sub(self.due_ns()) > BEHIND_NS_MAX {
            self.restart_at(now_ns);
        }
        let mut lens = [0; BATCH_MAX];
        let mut count = 0;
        while count < max.min(BATCH_MAX) {
            let due_ns = self.due_ns();
            if due_ns > now_ns {
                break;
            }
            lens[count] = self.make(count, due_ns);
            count += 1;
        }
        if count == 0 {
            return Batch::Nothing;
        }
        let mut messages: [&[u8]; BATCH_MAX] = [&[]; BATCH_MAX];
        for (message, (bytes, len)) in messages.iter_mut().zip(self.bytes.iter().zip(lens)) {
            *message = &bytes[..len];
        }
        visit(&messages[..count], self.sent - count as u64 + 1);
        Batch::Messages(count)
    }
}

impl<C> fmt::Debug for PacedMarket<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacedMarket")
            .field("rate_per_s", &self.rate_per_s)
            .field("sent", &self.sent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use freshlane_quote::SimulatedClock;

    use super::*;
    use crate::itch50::Message;
    use crate::session_time::parse_date;
    use crate::synthetic::LiveItchMarketSpec;

    const HOUR_NS: u64 = 3600 * SECOND_NS;

    fn market(clock: &SimulatedClock, rate_per_s: u64) -> PacedMarket<SimulatedClock> {
        let spec = LiveItchMarketSpec { symbols: 5, seed: 1, live_orders: Some(100) };
        let session =
            SessionTime::new(parse_date("2026-12-01").unwrap(), "America/New_York").unwrap();
        let market = LiveItchMarket::new(&spec).unwrap();
        PacedMarket::new(market, clock.clone(), session, rate_per_s)
    }

    fn clock_at(hours: u64) -> SimulatedClock {
        let session =
            SessionTime::new(parse_date("2026-12-01").unwrap(), "America/New_York").unwrap();
        SimulatedClock::at(session.midnight_ns(0) + hours * HOUR_NS)
    }

    /// The stamps of everything that is due now.
    fn take(source: &mut PacedMarket<SimulatedClock>) -> Vec<u64> {
        let mut stamps = Vec::new();
        while let Batch::Messages(_) = source.next_batch(BATCH_MAX, |messages, _| {
            for message in messages {
                stamps.push(Message::decode(message).unwrap().prefix().timestamp_ns);
            }
        }) {}
        stamps
    }

    fn open(clock: &SimulatedClock, source: &mut PacedMarket<SimulatedClock>) {
        while source.sent < source.market.opening_messages() {
            clock.advance_by(1_000_000);
            take(source);
        }
    }

    #[test]
    fn the_rate_holds_and_no_stamp_is_ahead_of_the_clock() {
        let clock = clock_at(10);
        let mut source = market(&clock, 1000);
        open(&clock, &mut source);
        take(&mut source);
        let sent = source.sent;
        for _ in 0..100 {
            clock.advance_by(10_000_000);
            let midnight_ns = source.session.midnight_ns(0);
            let stamps = take(&mut source);
            assert!(stamps.iter().all(|stamp| midnight_ns + stamp <= clock.now()));
        }
        assert_eq!(source.sent - sent, 1000);
    }

    #[test]
    fn a_market_that_was_not_listened_to_does_not_catch_up() {
        let clock = clock_at(10);
        let mut source = market(&clock, 1000);
        open(&clock, &mut source);
        clock.advance_by(HOUR_NS);
        assert!(take(&mut source).len() <= 1);
    }

    #[test]
    fn stamps_begin_again_at_midnight() {
        let clock = clock_at(0);
        let mut source = market(&clock, 1000);
        open(&clock, &mut source);
        clock.advance_to(source.session.midnight_ns(1) - 1_000_000);
        take(&mut source);
        clock.advance_by(3_000_000);
        let stamps = take(&mut source);
        assert!(stamps.iter().any(|&stamp| stamp < 3_000_000), "{stamps:?}");
    }
}
