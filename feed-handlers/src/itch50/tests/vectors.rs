//! Messages that other decoders got wrong.

use super::rig::{Rig, top};
use super::wire::hex;
use crate::itch50::Message;
use crate::ledger::Outcome;

const ADD_BUY_100: &str =
    "41000100001f1aced9f000000000000000000142000000645445535420202020000186a1";
const EXECUTE_40: &str = "45000100001f1aced9f0000000000000000001000000280000000000000001";
const EXECUTE_10_NOT_PRINTABLE: &str =
    "43000100001f1aced9f00000000000000000010000000a00000000000000024e000186a0";
const CANCEL_5: &str = "58000100001f1aced9f000000000000000000100000005";
const DELETE: &str = "44000100001f1aced9f0000000000000000001";
const REPLACE_BY_50: &str =
    "55000100001f1aced9f000000000000000000100000000000000020000003200018704";
const AUCTION_COLLAR: &str =
    "4a000100001f1aced9f0005445535420202020000186a00001adb000015f9000000000";

#[test]
fn an_add_gives_time_locate_shares_and_price_exactly() {
    let bytes = hex(ADD_BUY_100);
    let Ok(Message::AddOrder(add)) = Message::decode(&bytes) else { panic!("no add order") };
    assert_eq!(add.prefix().timestamp_ns, 34_200_000_000_000);
    assert_eq!((add.prefix().stock_locate, add.shares(), add.price().0), (1, 100, 100_001));
    assert_eq!(top(&Rig::new().quote(bytes)), "10.0001 x 100 / - x 0");
}

#[test]
fn executions_and_cancels_take_shares_off_whether_printable_or_not() {
    let mut rig = Rig::new();
    let tops = [ADD_BUY_100, EXECUTE_40, EXECUTE_10_NOT_PRINTABLE, CANCEL_5, DELETE]
        .map(|message| top(&rig.quote(hex(message))));
    assert_eq!(
        tops,
        [
            "10.0001 x 100 / - x 0",
            "10.0001 x 60 / - x 0",
            "10.0001 x 50 / - x 0",
            "10.0001 x 45 / - x 0",
            "- x 0 / - x 0",
        ]
    );
    assert_eq!(rig.live_orders(), 0);
}

#[test]
fn unknown_references_are_counted_and_leave_no_trace() {
    let mut rig = Rig::new();
    for message in [DELETE, CANCEL_5, EXECUTE_40, REPLACE_BY_50] {
        rig.silent(hex(message));
    }
    assert_eq!((rig.outcome(Outcome::UnknownReference), rig.live_orders()), (4, 0));
    assert!(rig.directory.is_empty());
    // The new half of a replace without an old half did not enter: the book is as new.
    assert_eq!(top(&rig.quote(hex(ADD_BUY_100))), "10.0001 x 100 / - x 0");
    assert_eq!(top(&rig.quote(hex(REPLACE_BY_50))), "10.01 x 50 / - x 0");
    rig.silent(hex(DELETE));
    assert_eq!((rig.outcome(Outcome::UnknownReference), rig.live_orders()), (5, 1));
}

#[test]
fn an_unknown_type_is_counted_and_the_next_message_is_decoded() {
    let mut rig = Rig::new();
    let unknown = hex("7e 0001 0000 1f1aced9f000");
    let records = rig.batch(&[hex(ADD_BUY_100), hex(EXECUTE_40), unknown, hex(DELETE)]);
    assert_eq!(records.last().map(top).as_deref(), Some("- x 0 / - x 0"));
    assert_eq!(records.iter().map(|r| r.wire_sequence).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(rig.outcome(Outcome::UnknownType), 1);
    assert_eq!(rig.live_orders(), 0);
}

#[test]
fn a_message_that_misses_its_last_byte_is_counted_and_the_next_one_is_decoded() {
    let mut rig = Rig::new();
    let mut cut = hex(ADD_BUY_100);
    cut.pop();
    let records = rig.batch(&[cut, hex(ADD_BUY_100)]);
    assert_eq!(records.iter().map(|r| r.wire_sequence).collect::<Vec<_>>(), [2]);
    assert_eq!((rig.outcome(Outcome::Malformed), rig.outcome(Outcome::Quoted)), (1, 1));
}

#[test]
fn an_auction_collar_is_known_and_touches_no_book() {
    let mut rig = Rig::new();
    rig.silent(hex(AUCTION_COLLAR));
    assert_eq!(rig.outcome(Outcome::Administrative), 1);
    assert_eq!(top(&rig.quote(hex(ADD_BUY_100))), "10.0001 x 100 / - x 0");
}
