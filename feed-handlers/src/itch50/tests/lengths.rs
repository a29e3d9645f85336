//! Types and lengths.

use super::rig::{Rig, top};
use super::wire::add;
use crate::itch50::field::FieldValue;
use crate::itch50::message::{MESSAGE_LEN_MAX, PREFIX_LEN, message_len};
use crate::itch50::{DecodeError, Message};
use crate::ledger::Outcome;

/// Every type with its length, as the specification prints it.
const SPECIFICATION: &str = "S12 R39 H25 Y20 L26 V35 W12 K28 J35 h21 A36 F40 E31 C36 X23 D19 U35 \
                             P44 Q40 B19 I50 N20 O48";

fn table() -> impl Iterator<Item = (u8, usize)> {
    Message::TABLE.iter().map(|&(message_type, _, len)| (message_type, len))
}

/// A message of zeros.
fn blank(message_type: u8, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes[0] = message_type;
    bytes
}

fn fields(bytes: &[u8]) -> Vec<(&'static str, FieldValue)> {
    let mut fields = Vec::new();
    Message::decode(bytes).unwrap().fields(&mut |name, value| fields.push((name, value)));
    fields
}

#[test]
fn the_table_is_that_of_the_specification() {
    let ours: Vec<_> =
        table().map(|(message_type, len)| format!("{}{len}", char::from(message_type))).collect();
    assert_eq!(ours, SPECIFICATION.split_whitespace().collect::<Vec<_>>());
    assert_eq!(table().map(|(_, len)| len).max(), Some(MESSAGE_LEN_MAX));
}

#[test]
fn every_other_type_is_unknown() {
    for message_type in 0..=u8::MAX {
        let known = table().any(|(known, _)| known == message_type);
        assert_eq!(message_len(message_type).is_some(), known);
        let decoded = Message::decode(&[message_type; 64]).map(Message::message_type);
        let unknown = DecodeError::UnknownType { message_type };
        assert_eq!(decoded, if known { Ok(message_type) } else { Err(unknown) });
    }
}

#[test]
fn every_shorter_message_is_refused_with_both_lengths() {
    for (message_type, expected) in table() {
        for actual in 1..expected {
            let error = Message::decode(&blank(message_type, actual)).unwrap_err();
            assert_eq!(error, DecodeError::TooShort { message_type, expected, actual });
        }
    }
    assert_eq!(Message::decode(&[]), Err(DecodeError::Empty));
}

#[test]
fn a_message_that_has_grown_reads_as_before() {
    for (message_type, len) in table() {
        let mut grown = blank(message_type, len);
        let before = fields(&grown);
        grown.extend_from_slice(&[0xff; 9]);
        assert_eq!(fields(&grown), before, "{}", char::from(message_type));
    }
    let mut rig = Rig::new();
    let grown = [add(1, b'B', 100, 100_001), vec![0xff; 200]].concat();
    assert_eq!(top(&rig.quote(grown)), "10.0001 x 100 / - x 0");
}

#[test]
fn every_byte_of_every_message_belongs_to_one_field() {
    for (message_type, len) in table() {
        let blank = blank(message_type, len);
        let before = fields(&blank);
        for at in PREFIX_LEN..len {
            let mut changed = blank.clone();
            changed[at] = 1;
            let differing = fields(&changed).iter().zip(&before).filter(|(a, b)| a != b).count();
            assert_eq!(differing, 1, "{} byte {at}", char::from(message_type));
        }
    }
}

#[test]
fn the_first_refused_messages_are_kept_to_look_at() {
    let mut rig = Rig::new();
    rig.batch(&[vec![], b"~".to_vec(), vec![b'A'; 35]]);
    rig.batch(&[vec![0; 300], vec![1], vec![2]]);
    let samples = rig.handler.samples();
    let kept: Vec<_> = samples.iter().map(|s| (s.wire_sequence, s.len_bytes)).collect();
    assert_eq!(kept, [(1, 0), (2, 1), (3, 35), (4, 300)]);
    let starts: Vec<_> = samples.iter().map(|sample| sample.start().to_vec()).collect();
    assert_eq!(starts, [vec![], b"~".to_vec(), vec![b'A'; 35], vec![0; MESSAGE_LEN_MAX]]);
    assert_eq!(rig.outcome(Outcome::Malformed), 2);
    assert_eq!(rig.outcome(Outcome::UnknownType), 4);
}

#[test]
fn messages_are_counted_by_type_unknown_ones_too_and_cut_ones_not() {
    let mut rig = Rig::new();
    let order = add(1, b'B', 100, 100_001);
    rig.batch(&[order.clone(), order[..35].to_vec(), order, b"~~".to_vec(), vec![]]);
    let counted: Vec<_> = rig.handler.counts().by_type().collect();
    assert_eq!(counted, [(b'A', 2), (b'~', 1)]);
    let ledger = rig.handler.ledger();
    assert_eq!((ledger.received.get(), ledger.bytes.get()), (5, 36 + 35 + 36 + 2));
}
