//! Book layouts that lost, beside the one that won.
//!
//! The operations of the day are replayed through each, and after each operation that touched a best
//! level the book's top is added to a sum, which must be the same for all. The layouts differ in
//! where orders lie (by reference) and where levels lie (by book, side and price); a loser is a pair
//! of the two. Ours is measured one operation at a time, as the losers are, and in batches with
//! prefetching, as the feed handler runs it.

mod bisected;
mod by_reference;
mod hashed;
mod open_addressing;
mod operations;
mod ours;
mod pair;
mod tree;

use freshlane_benches::contest::{Contender, contest};
use freshlane_benches::plan::Suite;
use freshlane_benches::row::{Comparison, Row};
use freshlane_benches::session::{Session, SessionError};

use self::bisected::BisectedLevels;
use self::by_reference::OrdersByReference;
use self::hashed::HashedOrders;
use self::open_addressing::OpenAddressing;
use self::operations::{Operations, Replayed};
use self::ours::Ours;
use self::pair::BookPair;
use self::tree::TreeLevels;

/// Replays a slice through a layout; returns what came of it.
trait Layout {
    fn replay(&mut self, operations: &Operations, slice: usize) -> Replayed;
}

/// Runs the suite, if it is wanted.
pub(crate) fn run(session: &mut Session) -> Result<(), SessionError> {
    if !session.wants(Suite::BookLayouts) {
        return Ok(());
    }
    let operations = Operations::of(&*session.day()?, session.scale().slices_of_turn());
    let what = "orders by reference, levels by price";
    for (name, layout) in losers(&operations) {
        let ours = Box::new(Ours::one_by_one(&operations));
        versus(session, &operations, what, ("buckets and split arrays", ours), (name, layout))?;
    }
    let one_by_one: Box<dyn Layout> = Box::new(Ours::one_by_one(&operations));
    versus(
        session,
        &operations,
        "ours, batches of 32 with prefetching",
        ("batches of 32", Box::new(Ours::in_batches(&operations))),
        ("one by one", one_by_one),
    )
}

fn losers(operations: &Operations) -> Vec<(&'static str, Box<dyn Layout>)> {
    let bisected = || BisectedLevels::new(operations.books);
    let open_addressing = || OpenAddressing::with_expected(operations.orders_expected);
    vec![
        (
            "open addressing, bisected levels",
            Box::new(BookPair::new(open_addressing(), bisected())),
        ),
        (
            "`HashMap`, bisected levels",
            Box::new(BookPair::new(
                HashedOrders::with_expected(operations.orders_expected),
                bisected(),
            )),
        ),
        (
            "vector by reference, bisected levels",
            Box::new(BookPair::new(OrdersByReference::up_to(operations.reference_max), bisected())),
        ),
        (
            "open addressing, `BTreeMap` levels",
            Box::new(BookPair::new(open_addressing(), TreeLevels::new(operations.books))),
        ),
    ]
}

fn versus(
    session: &mut Session,
    operations: &Operations,
    what: &str,
    (our_name, mut ours): (&str, Box<dyn Layout>),
    (name, mut rival): (&str, Box<dyn Layout>),
) -> Result<(), SessionError> {
    let (mut our_tops, mut rival_tops) = (Vec::new(), Vec::new());
    let replay = |layout: &mut dyn Layout, tops: &mut Vec<u64>, slice| {
        let replayed = layout.replay(operations, slice);
        tops.push(replayed.tops.0);
        replayed.operations
    };
    let mut contenders = [
        Contender::timed(our_name, |slice| replay(&mut *ours, &mut our_tops, slice)),
        Contender::timed(name, |slice| replay(&mut *rival, &mut rival_tops, slice)),
    ];
    let standings = contest(session.scale().rounds(), operations.slices(), &mut contenders);
    drop(contenders);
    if our_tops != rival_tops {
        return Err(SessionError::Unequal { what: format!("the tops of {our_name} and {name}") });
    }
    let row = Row::of(Suite::BookLayouts, what, "ns/operation", &standings[0])
        .against(name, &standings[1].each_ns, Comparison::TimesAsFast)
        .note(format!("{operations}"));
    session.add(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshlane_benches::day::{Day, DaySpec};

    #[test]
    fn every_layout_has_the_same_tops_after_the_same_operations() {
        let day = Day::generate(&DaySpec::of((100, 60_000, 4_000), 3)).unwrap();
        let operations = Operations::of(&day, 1);
        let tops_of = |mut layout: Box<dyn Layout>| -> Vec<u64> {
            (0..3).map(|slice| layout.replay(&operations, slice).tops.0).collect()
        };
        let expected = tops_of(Box::new(Ours::one_by_one(&operations)));
        assert!(expected.iter().all(|tops| *tops != 0));
        assert_eq!(tops_of(Box::new(Ours::in_batches(&operations))), expected);
        for (name, layout) in losers(&operations) {
            assert_eq!(tops_of(layout), expected, "{name}");
        }
    }
}
