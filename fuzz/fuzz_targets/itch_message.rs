//! Any bytes are a message or a named refusal; bytes that a message has grown by are ignored.

#![no_main]

use freshlane_feed_handlers::itch50::field::FieldValue;
use freshlane_feed_handlers::itch50::message::message_len;
use freshlane_feed_handlers::itch50::{DecodeError, Message};
use libfuzzer_sys::fuzz_target;

fn fields(message: Message<'_>) -> Vec<(&'static str, FieldValue)> {
    let mut fields = Vec::new();
    message.fields(&mut |name, value| fields.push((name, value)));
    fields
}

fn check_message(bytes: &[u8], message: Message<'_>) {
    let len = message_len(bytes[0]).expect("a decoded type is known");
    assert!(bytes.len() >= len && message.message_type() == bytes[0]);
    assert!(message.prefix().timestamp_ns < 1 << 48);
    let exact = Message::decode(&bytes[..len]).expect("the length of the table is enough");
    assert_eq!((exact.prefix(), fields(exact)), (message.prefix(), fields(message)));
    assert!(Message::decode(&bytes[..len - 1]).is_err());
    assert!(!format!("{message:?}").is_empty());
}

fuzz_target!(|bytes: &[u8]| {
    match Message::decode(bytes) {
        Ok(message) => check_message(bytes, message),
        Err(DecodeError::Empty) => assert!(bytes.is_empty()),
        Err(DecodeError::UnknownType { message_type }) => {
            assert_eq!((message_type, message_len(message_type)), (bytes[0], None));
        }
        Err(DecodeError::TooShort { message_type, expected, actual }) => {
            assert_eq!((message_type, message_len(message_type)), (bytes[0], Some(expected)));
            assert!(actual == bytes.len() && actual < expected);
        }
    }
});
