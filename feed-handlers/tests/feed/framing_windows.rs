//! Where the windows of a file end changes nothing that is framed.

use freshlane_feed_handlers::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::rig::binary_file;
use crate::step::stream;

/// What a file was framed to: messages, what ended it, bytes framed.
type Framed = (Vec<Vec<u8>>, &'static str, usize);

/// Frames `bytes` of which `grow` more become visible whenever a record is incomplete.
fn frame(bytes: &[u8], mut grow: impl FnMut() -> usize) -> Framed {
    let (mut framer, mut messages, mut at) = (BinaryFile::new(), Vec::new(), 0);
    let mut visible = grow().min(bytes.len());
    let mut is_last = false;
    loop {
        match framer.next(&bytes[at..visible], is_last) {
            Record::Message(message) => {
                messages.push(message.to_vec());
                at += LENGTH_BYTES + message.len();
            }
            Record::Incomplete if is_last => return (messages, "cut", at),
            // As a reader does: the end is known only when nothing more came.
            Record::Incomplete if visible == bytes.len() => is_last = true,
            Record::Incomplete => visible = (visible + grow()).min(bytes.len()),
            Record::EndOfSession => return (messages, "end of session", at),
            Record::Unframable => return (messages, "unframable", at),
        }
    }
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let of_messages = (stream(0..40), any::<bool>(), vec(any::<u8>(), 0..5)).prop_map(
        |(mut messages, states_lengths, tail)| {
            messages.retain(|message| !message.is_empty());
            [binary_file(&messages, states_lengths), tail].concat()
        },
    );
    prop_oneof![of_messages, vec(any::<u8>(), 0..500), vec(0..2_u8, 0..100)]
}

proptest! {
    #[test]
    fn any_windows_frame_what_one_window_frames(
        bytes in file(),
        growth in vec(1..40_usize, 1..20),
    ) {
        let at_once = frame(&bytes, || bytes.len());
        let mut growth = growth.iter().cycle();
        prop_assert_eq!(frame(&bytes, || *growth.next().unwrap()), at_once);
    }
}
