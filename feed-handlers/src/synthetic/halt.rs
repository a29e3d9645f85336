//! Halts: pauses by price bands, halts for news, and halts of one market, step by step.

use super::listing::State;
use super::market::Market;

/// Halts that may be under way at once.
const SLOTS: usize = 32;

/// Smaller markets only pause: a halted symbol takes no orders, and few symbols would be left.
const NEWS_FROM_SYMBOLS: u32 = 8;

const HALF_DAY_NS: u64 = 12 * 3_600 * 1_000_000_000;

/// How often symbols halt and for how long. Times are ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct HaltPace {
    /// From the begin of trading to the first halt, and between halts; 0 = no halts.
    pub(super) every_ns: u64,
    /// No halt begins after this time of day.
    pub(super) last_ns: u64,
    /// How long a pause takes.
    pub(super) pause_ns: u64,
    /// How long a halt for news takes.
    pub(super) news_ns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Limit-up limit-down: paused, collar, imbalances, cross, trading.
    Pause,
    /// News pending: halted, news out, quotation, imbalance, cross, trading.
    News,
    /// One NASDAQ market has trouble: `h` and `h`.
    Operational,
}

/// A halt under way: its next step and when it is due.
#[derive(Clone, Copy, Debug)]
struct Halt {
    symbol: u32,
    kind: Kind,
    step: u8,
    due_ns: u64,
}

/// All halts under way.
#[derive(Debug)]
pub(super) struct Halts {
    pace: HaltPace,
    slots: [Option<Halt>; SLOTS],
    /// When the next halt begins; `None` until trading does.
    begins_ns: Option<u64>,
    /// When anything is due next.
    due_ns: u64,
    /// Which kind of halt is next.
    turn: usize,
}

impl Halts {
    pub(super) const fn new(pace: HaltPace) -> Self {
        Self { pace, slots: [None; SLOTS], begins_ns: None, due_ns: 0, turn: 0 }
    }

    fn settle(&mut self) {
        let steps = self.slots.iter().flatten().map(|halt| halt.due_ns);
        self.due_ns = steps.chain(self.begins_ns).min().unwrap_or(0);
    }
}

/// Whether `due_ns` has come. A time more than half a day ahead lies before midnight.
const fn is_due(due_ns: u64, now_ns: u64) -> bool {
    now_ns >= due_ns || due_ns - now_ns > HALF_DAY_NS
}

impl Market {
    /// The next step of a halt, if one is due.
    pub(super) fn halt_step(&mut self) -> Option<usize> {
        if self.halts.pace.every_ns == 0 || !is_due(self.halts.due_ns, self.now_ns) {
            return None;
        }
        let slot = self.due_slot().or_else(|| self.begin_halt());
        let len = slot.and_then(|slot| self.advance(slot));
        self.halts.settle();
        len
    }

    fn due_slot(&self) -> Option<usize> {
        let is_due = |halt: &Halt| is_due(halt.due_ns, self.now_ns);
        self.halts.slots.iter().position(|slot| slot.as_ref().is_some_and(is_due))
    }

    /// A new halt, if its time has come, a slot is free and a trading symbol is found.
    fn begin_halt(&mut self) -> Option<usize> {
        let pace = self.halts.pace;
        let begins_ns = self.halts.begins_ns;
        if begins_ns.is_some_and(|begins_ns| !is_due(begins_ns, self.now_ns)) {
            return None;
        }
        self.halts.begins_ns = Some(self.now_ns.saturating_add(pace.every_ns));
        let slot = self.halts.slots.iter().position(Option::is_none)?;
        if begins_ns.is_none() || self.now_ns > pace.last_ns {
            return None;
        }
        let symbol = self.random.below(self.activity.count());
        if !self.trades(symbol) {
            return None;
        }
        let kind = self.halt_kind();
        self.halts.slots[slot] = Some(Halt { symbol, kind, step: 0, due_ns: self.now_ns });
        Some(slot)
    }

    /// The kinds in turn, so that few halts already show them all.
    fn halt_kind(&mut self) -> Kind {
        const TURN: [Kind; 5] =
            [Kind::Pause, Kind::News, Kind::Operational, Kind::Pause, Kind::News];
        if self.activity.count() < NEWS_FROM_SYMBOLS {
            return Kind::Pause;
        }
        let kind = TURN[self.halts.turn];
        self.halts.turn = (self.halts.turn + 1) % TURN.len();
        kind
    }

    /// Sends a halt's next step and settles when the one after it is due.
    fn advance(&mut self, slot: usize) -> Option<usize> {
        let halt = self.halts.slots[slot]?;
        let HaltPace { pause_ns, news_ns, .. } = self.halts.pace;
        let Halt { symbol, kind, step, .. } = halt;
        let (len, wait_ns) = match (kind, step) {
            (Kind::Pause, 0) => (self.trading_action(symbol, State::Paused, *b"LUDP"), 0),
            (Kind::Pause, 1) => (self.auction_collar(symbol), pause_ns / 2),
            (Kind::Pause, 2) => (self.imbalance(symbol, b'H'), pause_ns / 4),
            (Kind::Pause, 3) => (self.imbalance(symbol, b'H'), pause_ns / 4),
            (Kind::News, 0) => (self.trading_action(symbol, State::Halted, *b"T1  "), news_ns / 2),
            (Kind::News, 1) => (self.trading_action(symbol, State::Halted, *b"T2  "), news_ns / 4),
            (Kind::News, 2) => {
                (self.trading_action(symbol, State::QuotationOnly, *b"T3  "), news_ns / 8)
            }
            (Kind::News, 3) => (self.imbalance(symbol, b'H'), news_ns / 8),
            (Kind::Operational, 0) => (self.operational_halt(symbol, State::Halted), pause_ns),
            (Kind::Pause | Kind::News, 4) => (self.cross_trade(symbol, b'H'), 0),
            (Kind::Operational, _) => {
                return self
                    .end_halt(slot, |market| market.operational_halt(symbol, State::Trading));
            }
            (Kind::Pause | Kind::News, _) => {
                return self.end_halt(slot, |market| {
                    market.trading_action(symbol, State::Trading, *b"    ")
                });
            }
        };
        let due_ns = self.now_ns.saturating_add(wait_ns);
        self.halts.slots[slot] = Some(Halt { step: step + 1, due_ns, ..halt });
        Some(len)
    }

    fn end_halt(&mut self, slot: usize, last: impl Fn(&mut Self) -> usize) -> Option<usize> {
        self.halts.slots[slot] = None;
        Some(last(self))
    }

    /// `h`: this market (`Q`) stops or resumes trading a symbol.
    fn operational_halt(&mut self, symbol: u32, state: State) -> usize {
        self.book.symbol_mut(symbol).state = state;
        let message = super::encode::OperationalHalt {
            stock: self.stock(symbol),
            market: b'Q',
            action: state as u8,
        };
        let prefix = self.prefix(symbol);
        message.encode(prefix, &mut self.buffer).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_due_time_survives_midnight() {
        const DAY_NS: u64 = 2 * HALF_DAY_NS;
        assert!(is_due(10, 10) && is_due(10, 11) && !is_due(11, 10));
        assert!(is_due(DAY_NS - 5, 3));
        assert!(is_due(DAY_NS + 5, 6));
        assert!(!is_due(DAY_NS + 5, DAY_NS));
    }
}
