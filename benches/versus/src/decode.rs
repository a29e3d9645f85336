//! ITCH 5.0 decode beside the crates `itch5` and `itchy`, and books beside `itchy`'s decode alone.
//!
//! All go over the same BinaryFILE bytes in memory, frame them by themselves, and fold every field
//! of each frequent type into one sum, which must be the same for all.

use std::ops::ControlFlow;

use freshlane_benches::contest::{Contender, Standing, contest};
use freshlane_benches::day::Day;
use freshlane_benches::fold::{Checksum, decode_and_fold, read_bytes, walk_lengths};
use freshlane_benches::plan::Suite;
use freshlane_benches::row::{Comparison, Row};
use freshlane_benches::session::{Session, SessionError};
use freshlane_benches::suites::book::book;
use itch5::messages::{
    AddOrderNoMPIDAttribution, AddOrderWithMPIDAttribution, BrokenTrade, BuySellIndicator,
    CrossTrade, MWCBDeclineLevel, MWCBStatus, MarketParticipantPosition,
    NetOrderImbalanceIndicator, OrderCancel, OrderDelete, OrderExecuted, OrderExecutedWithPrice,
    OrderReplace, Printable, QuotingPeriodUpdate, RegSHORestriction,
    RetailPriceImprovementIndicator, StockDirectory, StockTradingAction, SystemEvent, Timestamp,
    Trade,
};
use itch5::{MessageHandler, Parser};
use itchy::{Body, Message, MessageStream, Side};
use std::hint::black_box;

/// How often the decoders go over the day: they leave nothing behind that would tell.
const PASSES: usize = 3;

/// Decoders side by side, if the suite is wanted.
pub(crate) fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::Decode) {
        return Ok(());
    }
    let day = session.day()?;
    require_equal_folds(&day)?;
    let over = |name: &str, decode: fn(&[u8]) -> u64| over_slices(&day, name, decode);
    let mut contenders = [
        over("freshlane", |bytes| decode_and_fold(bytes).0),
        over("`itch5` 0.1.5", |bytes| fold_by_itch5(bytes).0),
        over("`itchy` 0.3.4", |bytes| fold_by_itchy(bytes).0),
        over("walk of the lengths", walk_lengths),
        over("read of the bytes", read_bytes),
    ];
    let slices = PASSES * day.slices().len();
    let standings = contest(session.scale().rounds(), slices, &mut contenders);
    let [ours, itch5, itchy, walk, read] = &standings[..] else { return Ok(()) };
    let row = |rival: &Standing, how| {
        let what = "every field of each frequent type, the rest by prefix";
        Row::of(Suite::Decode, what, "ns/message", ours)
            .against(&rival.name, &rival.each_ns, how)
            .note(format!(
                "The market, without the types O, J and h, on which `itchy` panics: {day}."
            ))
    };
    session.add(row(itch5, Comparison::Times).goal(1.2))?;
    session.add(row(itchy, Comparison::TimesAsFast).goal(3.5))?;
    session.add(row(walk, Comparison::Times))?;
    session.add(row(read, Comparison::Times))
}

/// Decode, book and quote beside a decoder alone, if the suite is wanted.
pub(crate) fn run_books(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::Book) {
        return Ok(());
    }
    let day = session.day()?;
    let itchy_alone =
        over_slices(&day, "`itchy` 0.3.4, decode alone", |bytes| fold_by_itchy(bytes).0);
    // The decoder disturbs no cache, so a turn may be short.
    let turns = day.turns(1);
    let mut contenders = [book(&day, &turns, 32), itchy_alone];
    let standings = contest(session.scale().rounds(), day.slices().len(), &mut contenders);
    let row = Row::of(Suite::Book, "decode + book + quote", "ns/message", &standings[0])
        .against(&standings[1].name, &standings[1].each_ns, Comparison::Times)
        .goal(1.8)
        .note(format!("The market: {day}."));
    session.add(row)
}

fn over_slices<'a>(day: &'a Day, name: &str, decode: fn(&[u8]) -> u64) -> Contender<'a> {
    Contender::timed(name, move |slice| {
        let slice = slice % day.slices().len();
        black_box(decode(day.slice(slice)));
        day.slices()[slice].messages
    })
}

fn require_equal_folds(day: &Day) -> Result<(), SessionError> {
    let bytes = day.slice(day.slices().len() / 2);
    let ours = decode_and_fold(bytes);
    if fold_by_itch5(bytes) == ours && fold_by_itchy(bytes) == ours {
        return Ok(());
    }
    Err(SessionError::Unequal { what: "the sums over all fields of the three decoders".into() })
}

struct Folding(Checksum);

impl Folding {
    #[inline(always)]
    fn prefix(&mut self, locate: u16, tracking: u16, timestamp: &Timestamp) {
        self.0.add(locate);
        self.0.add(tracking);
        self.0.add(timestamp.to_u64());
    }
}

fn side_byte(side: BuySellIndicator) -> u8 {
    match side {
        BuySellIndicator::Buy => b'B',
        BuySellIndicator::Sell => b'S',
        BuySellIndicator::Unknown(byte) => byte,
    }
}

fn printable_byte(printable: Printable) -> u8 {
    match printable {
        Printable::Printable => b'Y',
        Printable::NonPrintable => b'N',
        Printable::Unknown(byte) => byte,
    }
}

fn text4(bytes: &[u8]) -> [u8; 4] {
    bytes.first_chunk().copied().unwrap_or_default()
}

/// A message of which only the prefix is folded.
macro_rules! by_prefix {
    ($($method:ident: $message:ty, $locate:ident;)*) => {
        $(fn $method(&mut self, m: &$message) -> ControlFlow<()> {
            self.prefix(m.$locate(), m.tracking_number(), m.timestamp());
            ControlFlow::Continue(())
        })*
    };
}

impl MessageHandler for Folding {
    by_prefix! {
        on_system_event: SystemEvent, stock_locate;
        on_stock_directory: StockDirectory, stock_locate;
        on_stock_trading_action: StockTradingAction, stock_locate;
        on_reg_sho_restriction: RegSHORestriction, locate_code;
        on_market_participant_position: MarketParticipantPosition, stock_locate;
        on_mwcb_decline_level: MWCBDeclineLevel, stock_locate;
        on_mwcb_status: MWCBStatus, stock_locate;
        on_quoting_period_update: QuotingPeriodUpdate, stock_locate;
        on_cross_trade: CrossTrade, stock_locate;
        on_broken_trade: BrokenTrade, stock_locate;
        on_net_order_imbalance_indicator: NetOrderImbalanceIndicator, stock_locate;
        on_retail_price_improvement_indicator: RetailPriceImprovementIndicator, stock_locate;
    }

    #[inline(always)]
    fn on_add_order_no_mpid_attribution(
        &mut self,
        m: &AddOrderNoMPIDAttribution,
    ) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        self.0.add(side_byte(m.buy_sell_indicator()));
        self.0.add(m.shares());
        self.0.add(m.stock().to_u64());
        self.0.add(m.price().into_u32());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_add_order_with_mpid_attribution(
        &mut self,
        m: &AddOrderWithMPIDAttribution,
    ) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        self.0.add(side_byte(m.buy_sell_indicator()));
        self.0.add(m.shares());
        self.0.add(m.stock().to_u64());
        self.0.add(m.price().into_u32());
        self.0.add_text4(text4(m.attribution()));
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_order_executed(&mut self, m: &OrderExecuted) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        self.0.add(m.executed_shares());
        self.0.add(m.match_number());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_order_executed_with_price(&mut self, m: &OrderExecutedWithPrice) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        self.0.add(m.executed_shares());
        self.0.add(m.match_number());
        self.0.add(printable_byte(m.printable()));
        self.0.add(m.execution_price().into_u32());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_order_cancel(&mut self, m: &OrderCancel) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        self.0.add(m.cancelled_shares());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_order_delete(&mut self, m: &OrderDelete) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_order_replace(&mut self, m: &OrderReplace) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.original_order_reference_number());
        self.0.add(m.new_order_reference_number());
        self.0.add(m.shares());
        self.0.add(m.price().into_u32());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn on_trade(&mut self, m: &Trade) -> ControlFlow<()> {
        self.prefix(m.stock_locate(), m.tracking_number(), m.timestamp());
        self.0.add(m.order_reference_number());
        self.0.add(side_byte(m.buy_sell_indicator()));
        self.0.add(m.shares());
        self.0.add(m.stock().to_u64());
        self.0.add(m.price().into_u32());
        self.0.add(m.match_number());
        ControlFlow::Continue(())
    }
}

/// The sum over what `itch5` decodes; 0 where it refuses the bytes.
fn fold_by_itch5(bytes: &[u8]) -> Checksum {
    let mut folding = Folding(Checksum::default());
    match Parser::new(bytes).parse_stream(&mut folding) {
        Ok(()) => folding.0,
        Err(_) => Checksum::default(),
    }
}

/// The sum over what `itchy` decodes, without the messages that it refuses.
fn fold_by_itchy(bytes: &[u8]) -> Checksum {
    let mut checksum = Checksum::default();
    for message in MessageStream::from_reader(bytes) {
        if let Ok(message) = &message {
            add_itchy_message(&mut checksum, message);
        }
    }
    checksum
}

fn itchy_side_byte(side: Side) -> u8 {
    match side {
        Side::Buy => b'B',
        Side::Sell => b'S',
    }
}

#[inline(always)]
fn add_itchy_message(sum: &mut Checksum, message: &Message) {
    sum.add(message.stock_locate);
    sum.add(message.tracking_number);
    sum.add(message.timestamp);
    match &message.body {
        Body::AddOrder(add) => {
            sum.add(add.reference);
            sum.add(itchy_side_byte(add.side));
            sum.add(add.shares);
            sum.add_text8(text8(&add.stock));
            sum.add(add.price.raw());
            if let Some(mpid) = add.mpid {
                sum.add_text4(text4(mpid.as_bytes()));
            }
        }
        Body::OrderExecuted { reference, executed, match_number } => {
            sum.add(*reference);
            sum.add(*executed);
            sum.add(*match_number);
        }
        Body::OrderExecutedWithPrice { reference, executed, match_number, printable, price } => {
            sum.add(*reference);
            sum.add(*executed);
            sum.add(*match_number);
            sum.add(if *printable { b'Y' } else { b'N' });
            sum.add(price.raw());
        }
        Body::OrderCancelled { reference, cancelled } => {
            sum.add(*reference);
            sum.add(*cancelled);
        }
        Body::DeleteOrder { reference } => sum.add(*reference),
        Body::ReplaceOrder(replace) => {
            sum.add(replace.old_reference);
            sum.add(replace.new_reference);
            sum.add(replace.shares);
            sum.add(replace.price.raw());
        }
        Body::NonCrossTrade(trade) => {
            sum.add(trade.reference);
            sum.add(itchy_side_byte(trade.side));
            sum.add(trade.shares);
            sum.add_text8(text8(&trade.stock));
            sum.add(trade.price.raw());
            sum.add(trade.match_number);
        }
        _ => {}
    }
}

fn text8(text: &str) -> [u8; 8] {
    text.as_bytes().first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshlane_benches::day::DaySpec;

    #[test]
    fn all_three_find_the_same_fields_in_a_whole_day() {
        let day = Day::generate(&DaySpec::of((200, 60_000, 3_000), 1)).unwrap();
        let ours = decode_and_fold(day.bytes());
        assert_ne!(ours, Checksum::default());
        assert_eq!(fold_by_itch5(day.bytes()), ours);
        assert_eq!(fold_by_itchy(day.bytes()), ours);
    }
}
