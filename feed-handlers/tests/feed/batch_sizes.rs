//! The size of a batch changes nothing that comes out.

use freshlane_feed_handlers::itch50::{BATCH_MAX, Itch50Handler, ReceiveTime};
use freshlane_feed_handlers::synthetic::{ItchMarket, ItchMarketSpec};
use freshlane_quote::Quote;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::rig::{counters, feed, handler, handler_for, session};
use crate::step::stream;

/// A synthetic day, with garbage after every 50th message.
fn market_with_garbage() -> Vec<Vec<u8>> {
    let spec = ItchMarketSpec { symbols: 20, messages: 6_000, seed: 11, live_orders: Some(400) };
    let mut market = ItchMarket::new(&spec).unwrap();
    let mut messages = Vec::new();
    while let Some(message) = market.next_message() {
        messages.push(message.bytes.to_vec());
        if messages.len() % 51 == 50 {
            let cut = messages.len() % message.bytes.len();
            messages.push([&message.bytes[..cut / 2], b"~garbage"].concat());
        }
    }
    messages
}

/// All records and all counters of a stream in batches of these lengths.
fn outcome(
    mut handler: Itch50Handler,
    messages: &[Vec<u8>],
    batch_lens: &[usize],
    received: ReceiveTime,
) -> (Vec<Quote>, Vec<(&'static str, u64)>) {
    let records = feed(&mut handler, messages, batch_lens, received);
    assert_eq!(handler.ledger().imbalance(), 0);
    (records, counters(&handler))
}

#[test]
fn every_batch_size_gives_the_records_of_a_synthetic_day() {
    let messages = market_with_garbage();
    let of_size = |size| outcome(handler_for(64, true), &messages, &[size], ReceiveTime::EventTime);
    let one_by_one = of_size(1);
    assert!(one_by_one.0.len() > 1_000, "{}", one_by_one.0.len());
    for size in 2..=BATCH_MAX {
        assert!(of_size(size) == one_by_one, "batches of {size}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_split_into_batches_gives_the_records_of_single_messages(
        messages in stream(0..500),
        batch_lens in vec(1..=BATCH_MAX, 1..20),
        is_replay in any::<bool>(),
    ) {
        let open = ReceiveTime::At(session().midnight_ns(0));
        let received = if is_replay { ReceiveTime::EventTime } else { open };
        let one_by_one = outcome(handler(true), &messages, &[1], received);
        prop_assert_eq!(outcome(handler(true), &messages, &batch_lens, received), one_by_one);
    }
}
