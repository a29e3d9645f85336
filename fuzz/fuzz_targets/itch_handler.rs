//! Any batch size gives the records and counters of single messages. The first byte chooses the
//! batch size and the receive time, the rest is a BinaryFILE.

#![no_main]

use freshlane_feed_handlers::itch50::{BATCH_MAX, ReceiveTime};
use freshlane_fuzz::{counters, handler, whole_messages};
use freshlane_quote::Quote;
use libfuzzer_sys::fuzz_target;

/// 09:30 in New York on 15 January 2026, ns since the Unix epoch.
const OPEN_NS: u64 = 1_768_487_400_000_000_000;

fn outcome(messages: &[&[u8]], batch: usize, received: ReceiveTime) -> (Vec<Quote>, Vec<u64>) {
    let (mut handler, mut records) = (handler(), Vec::new());
    for (messages, number) in messages.chunks(batch).zip(0..) {
        handler.on_batch(messages, 1 + number * batch as u64, received);
        assert!(handler.records().len() <= messages.len());
        assert_eq!(handler.ledger().imbalance(), 0);
        records.extend_from_slice(handler.records());
    }
    (records, counters(&handler))
}

fn check_record(record: &Quote) {
    assert_eq!(record.reserved, 0);
    assert!(record.is_event() || record.bid.is_some() == (record.bid_size != 0));
    assert!(record.is_event() || record.ask.is_some() == (record.ask_size != 0));
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, file)) = bytes.split_first() else { return };
    let messages = whole_messages(file);
    let batch = 1 + usize::from(choice) % BATCH_MAX;
    let received = if choice < 128 { ReceiveTime::EventTime } else { ReceiveTime::At(OPEN_NS) };
    let one_by_one = outcome(&messages, 1, received);
    one_by_one.0.iter().for_each(check_record);
    assert_eq!(outcome(&messages, batch, received), one_by_one);
});
