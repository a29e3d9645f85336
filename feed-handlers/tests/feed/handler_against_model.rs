//! The handler against the naive model, record by record and counter by counter.

use freshlane_feed_handlers::itch50::ReceiveTime;
use freshlane_quote::Quote;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::model::Model;
use crate::rig::{counters, handler, session};
use crate::step::{Step, step};

/// A batch, and how many of its records find room.
fn batch() -> impl Strategy<Value = (Vec<Step>, usize)> {
    (vec(step(), 1..=12), prop_oneof![3 => Just(12), 1 => 0..4_usize])
}

fn received() -> impl Strategy<Value = ReceiveTime> {
    let open_ns = session().midnight_ns(0);
    prop_oneof![Just(ReceiveTime::EventTime), Just(ReceiveTime::At(open_ns + 500_000))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_messages_give_the_records_and_counters_of_the_naive_model(
        batches in vec(batch(), 0..60),
        received in received(),
        exclude_test_symbols in any::<bool>(),
    ) {
        let mut handler = handler(exclude_test_symbols);
        let mut model = Model::new(exclude_test_symbols);
        let mut next_sequence = 1;
        for (steps, room) in batches {
            let bytes: Vec<Vec<u8>> = steps.iter().map(Step::bytes).collect();
            let views: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
            handler.on_batch(&views, next_sequence, received);
            let expected: Vec<(Quote, u16)> = (next_sequence..)
                .zip(&steps)
                .filter_map(|(sequence, step)| model.take(step, sequence, received))
                .collect();
            next_sequence += steps.len() as u64;
            let records: Vec<Quote> = expected.iter().map(|(record, _)| *record).collect();
            prop_assert_eq!(handler.records(), records, "{:#?}", steps);

            let accepted = room.min(expected.len());
            handler.refuse_records_from(accepted);
            for (record, locate) in &expected[accepted..] {
                model.refuse(record, *locate);
            }
        }
        for (name, count) in counters(&handler) {
            prop_assert_eq!(count, model.counter(name), "{}", name);
        }
        prop_assert_eq!(handler.ledger().imbalance(), 0);
    }
}
