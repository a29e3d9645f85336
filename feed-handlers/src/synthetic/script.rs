//! The script of a day: which acts follow each other, how many messages each has, and when.

use super::auction::cross_messages;
use super::halt::HaltPace;
use super::spec::{ItchMarketSpec, LiveItchMarketSpec, SpecError};

/// What one segment of the day does, message by message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// `S` with that event.
    System(u8),
    /// `R` for each symbol.
    Directory,
    /// `H` for each symbol: it trades.
    Resume,
    /// `Y`.
    RegSho,
    /// `L`.
    Participants,
    /// `V`.
    DeclineLevels,
    /// The opening population.
    Build,
    /// `I` for that cross.
    Imbalances(u8),
    /// `Q` of that cross.
    Cross(u8),
    /// Continuous trading.
    Trade,
    /// The same with imbalances for the closing cross.
    TradeIntoClose,
    /// Orders leave after the close.
    Drain,
}

/// A stretch of the day. Times are ns since midnight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    pub(super) act: Act,
    pub(super) messages: u64,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
}

/// The segments in order, and where the market stands in them.
#[derive(Debug)]
pub(super) struct Script {
    segments: Box<[Segment]>,
    segment: usize,
    /// Messages of the current segment that are done.
    done: u64,
    /// Messages of the current segment's act that earlier segments did.
    done_before: u64,
}

const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;
const HOUR_NS: u64 = 60 * MINUTE_NS;
const START_NS: u64 = 3 * HOUR_NS + 2 * MINUTE_NS;
const SYSTEM_OPEN_NS: u64 = 4 * HOUR_NS;
const OPEN_NS: u64 = 9 * HOUR_NS + 30 * MINUTE_NS;
const CLOSE_NS: u64 = 16 * HOUR_NS;
const SYSTEM_CLOSE_NS: u64 = 20 * HOUR_NS;
const END_NS: u64 = SYSTEM_CLOSE_NS + 5 * MINUTE_NS;
/// No halt begins later, so that every halt ends before the close.
const LAST_HALT_NS: u64 = 15 * HOUR_NS;

/// Five-minute steps of continuous trading, and how many of the last ones have imbalances.
const STEPS: u64 = 78;
const STEPS_INTO_CLOSE: u64 = 2;

/// How many messages the parts of a day have.
#[derive(Clone, Copy, Debug)]
struct Counts {
    symbols: u64,
    reg_sho: u64,
    participants: u64,
    decline_levels: u64,
    population: u64,
    imbalances: u64,
    crosses: u64,
    drain: u64,
}

impl Counts {
    /// Everything but continuous trading has its fixed part of the day, at most.
    fn of_day(spec: &ItchMarketSpec) -> Result<Self, SpecError> {
        let symbols = u64::from(spec.symbols);
        let spare = spec.spare_messages()?;
        let population = u64::from(spec.population()?);
        Ok(Self {
            symbols,
            reg_sho: symbols.min(spare / 32),
            participants: (2 * symbols).min(spare / 32),
            decline_levels: u64::from(spare >= 64),
            population,
            imbalances: symbols.min(spare / 128),
            crosses: symbols.min(spare / 96),
            drain: population.min(spare / 8),
        })
    }

    fn of_live(symbols: u16, population: u32) -> Self {
        let symbols = u64::from(symbols);
        Self {
            symbols,
            reg_sho: symbols,
            participants: 2 * symbols,
            decline_levels: 1,
            population: u64::from(population),
            imbalances: symbols,
            crosses: symbols,
            drain: 0,
        }
    }
}

impl Script {
    /// A whole day.
    ///
    /// # Errors
    /// [`SpecError`] where there is no such day.
    pub(super) fn of_day(spec: &ItchMarketSpec) -> Result<Self, SpecError> {
        let counts = Counts::of_day(spec)?;
        let mut segments = opening(&counts);
        push_cross(&mut segments, &counts, b'O', OPEN_NS);
        let closing = closing(&counts);
        let planned: u64 = segments.iter().chain(&closing).map(|segment| segment.messages).sum();
        segments.extend(trading(spec.messages - planned));
        segments.extend(closing);
        Ok(Self::new(segments))
    }

    /// The opening and then trading for ever.
    ///
    /// # Errors
    /// [`SpecError`] where there is no such market.
    pub(super) fn of_live(spec: &LiveItchMarketSpec) -> Result<Self, SpecError> {
        let counts = Counts::of_live(spec.symbols, spec.population()?);
        let mut segments = opening(&counts);
        push_cross(&mut segments, &counts, b'O', OPEN_NS);
        segments.push(span(Act::Trade, u64::MAX, OPEN_NS, CLOSE_NS));
        Ok(Self::new(segments))
    }

    fn new(mut segments: Vec<Segment>) -> Self {
        segments.retain(|segment| segment.messages > 0);
        Self { segments: segments.into(), segment: 0, done: 0, done_before: 0 }
    }

    /// The act of the next message and how many of that act went before; the segment, when the
    /// message is its first.
    pub(super) fn advance(&mut self) -> Option<(Act, u64, Option<Segment>)> {
        let mut segment = self.segments.get(self.segment)?;
        if self.done == segment.messages {
            let act = segment.act;
            self.segment += 1;
            segment = self.segments.get(self.segment)?;
            self.done_before = if segment.act == act { self.done_before + self.done } else { 0 };
            self.done = 0;
        }
        let is_first = self.done == 0;
        let index = self.done_before + self.done;
        self.done += 1;
        Some((segment.act, index, is_first.then_some(*segment)))
    }

    /// Messages up to the opening of the market, that system event included.
    pub(super) fn opening_messages(&self) -> u64 {
        let is_open = |segment: &Segment| segment.act == Act::System(b'Q');
        let open = self.segments.iter().position(is_open).unwrap_or(0);
        self.segments[..=open].iter().map(|segment| segment.messages).sum()
    }

    /// The pace of halts in a day of so many symbols and messages.
    pub(super) fn day_halts(spec: &ItchMarketSpec) -> HaltPace {
        let halts = (2 + u64::from(spec.symbols) / 50).min(spec.messages / 400);
        let every_ns = (LAST_HALT_NS - OPEN_NS).checked_div(halts).unwrap_or(0);
        HaltPace {
            every_ns,
            last_ns: LAST_HALT_NS,
            pause_ns: 5 * MINUTE_NS,
            news_ns: 30 * MINUTE_NS,
        }
    }

    /// The pace of halts in a live run: something to see within seconds.
    pub(super) const fn live_halts() -> HaltPace {
        HaltPace {
            every_ns: 4 * SECOND_NS,
            last_ns: u64::MAX,
            pause_ns: 3 * SECOND_NS,
            news_ns: 8 * SECOND_NS,
        }
    }
}

const fn span(act: Act, messages: u64, start_ns: u64, end_ns: u64) -> Segment {
    Segment { act, messages, start_ns, end_ns }
}

const fn system_event(event: u8, at_ns: u64) -> Segment {
    span(Act::System(event), 1, at_ns, at_ns)
}

/// From the start of messages to the open.
fn opening(counts: &Counts) -> Vec<Segment> {
    let early = counts.population / 8;
    let morning = counts.population / 4;
    let late = counts.population - early - morning;
    let at = |minute: u64| START_NS + minute * MINUTE_NS;
    let imbalances_ns = OPEN_NS - MINUTE_NS;
    vec![
        system_event(b'O', START_NS),
        span(Act::Directory, counts.symbols, START_NS, at(2)),
        span(Act::Resume, counts.symbols, at(5), at(7)),
        span(Act::RegSho, counts.reg_sho, at(8), at(9)),
        span(Act::Participants, counts.participants, at(9), at(12)),
        span(Act::DeclineLevels, counts.decline_levels, at(13), at(13)),
        system_event(b'S', SYSTEM_OPEN_NS),
        span(Act::Build, early, SYSTEM_OPEN_NS, 7 * HOUR_NS),
        span(Act::Build, morning, 7 * HOUR_NS, 9 * HOUR_NS),
        span(Act::Build, late, 9 * HOUR_NS, imbalances_ns),
        span(Act::Imbalances(b'O'), counts.imbalances, imbalances_ns, OPEN_NS),
        system_event(b'Q', OPEN_NS),
    ]
}

fn push_cross(segments: &mut Vec<Segment>, counts: &Counts, cross: u8, at_ns: u64) {
    let messages = cross_messages(counts.crosses);
    segments.push(span(Act::Cross(cross), messages, at_ns, at_ns + 2 * SECOND_NS));
}

/// Continuous trading in five-minute steps, busiest after the open and before the close.
fn trading(messages: u64) -> impl Iterator<Item = Segment> {
    let weight = |step: u64| 20 + 120 / (1 + step) + 90 / (STEPS - step);
    let total: u64 = (0..STEPS).map(weight).sum();
    let part = move |sum: u64| {
        let part = u128::from(messages) * u128::from(sum) / u128::from(total);
        u64::try_from(part).unwrap_or(u64::MAX)
    };
    let step_ns = (CLOSE_NS - OPEN_NS) / STEPS;
    (0..STEPS).scan(0, move |sum, step| {
        let before = part(*sum);
        *sum += weight(step);
        let into_close = step >= STEPS - STEPS_INTO_CLOSE;
        let act = if into_close { Act::TradeIntoClose } else { Act::Trade };
        let start_ns = OPEN_NS + step * step_ns;
        Some(span(act, part(*sum) - before, start_ns, start_ns + step_ns))
    })
}

/// From the close to the end of messages.
fn closing(counts: &Counts) -> Vec<Segment> {
    let (at_once, late) = (counts.drain / 2, counts.drain / 64);
    let evening = counts.drain - at_once - late;
    let mut segments = vec![system_event(b'M', CLOSE_NS)];
    push_cross(&mut segments, counts, b'C', CLOSE_NS);
    segments.extend([
        span(Act::Drain, at_once, CLOSE_NS + MINUTE_NS, CLOSE_NS + 5 * MINUTE_NS),
        span(Act::Drain, evening, CLOSE_NS + 5 * MINUTE_NS, SYSTEM_CLOSE_NS),
        system_event(b'E', SYSTEM_CLOSE_NS),
        span(Act::Drain, late, SYSTEM_CLOSE_NS, END_NS),
        system_event(b'C', END_NS),
    ]);
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_day_has_exactly_its_messages_in_order_of_time(
            symbols in 1_u16..300,
            messages in 0_u64..2_000_000,
            live_orders in prop::option::of(0_u32..1_000),
        ) {
            let spec = ItchMarketSpec { symbols, messages, seed: 1, live_orders };
            let Ok(script) = Script::of_day(&spec) else { return Ok(()) };
            let total: u64 = script.segments.iter().map(|segment| segment.messages).sum();
            prop_assert_eq!(total, messages);
            prop_assert!(script.segments.is_sorted_by_key(|segment| segment.start_ns));
            prop_assert!(script.segments.windows(2).all(|pair| pair[0].end_ns <= pair[1].end_ns));
            prop_assert_eq!(script.segments.last().map(|last| last.act), Some(Act::System(b'C')));
        }
    }

    #[test]
    fn trading_is_busiest_at_its_ends() {
        let steps: Vec<u64> = trading(10_000_000).map(|segment| segment.messages).collect();
        assert_eq!(steps.iter().sum::<u64>(), 10_000_000);
        assert!(steps[0] > 3 * steps[39] && steps[77] > 3 * steps[39]);
    }

    #[test]
    fn an_index_goes_on_over_the_segments_of_one_act() {
        let segments = vec![
            span(Act::Trade, 2, 0, 1),
            span(Act::Trade, 1, 1, 2),
            span(Act::Drain, 0, 2, 3),
            span(Act::Cross(b'C'), 1, 2, 3),
        ];
        let mut script = Script::new(segments);
        let steps: Vec<(Act, u64, bool)> = std::iter::from_fn(|| script.advance())
            .map(|(act, index, first)| (act, index, first.is_some()))
            .collect();
        let expected = [
            (Act::Trade, 0, true),
            (Act::Trade, 1, false),
            (Act::Trade, 2, true),
            (Act::Cross(b'C'), 0, true),
        ];
        assert_eq!(steps, expected);
        assert!(script.advance().is_none(), "it must not start again");
    }
}
