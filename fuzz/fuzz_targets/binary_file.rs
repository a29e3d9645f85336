//! Where the windows of a file end changes nothing that is framed. The first byte is the growth of
//! the window, the rest is the file.

#![no_main]

use freshlane_feed_handlers::framing::binary_file::{BinaryFile, LENGTH_BYTES, Record};
use libfuzzer_sys::fuzz_target;

/// Messages, what ended them, and how many bytes were framed.
fn frame(bytes: &[u8], growth: usize) -> (Vec<&[u8]>, &'static str, usize) {
    let (mut framer, mut messages, mut at) = (BinaryFile::new(), Vec::new(), 0);
    let (mut visible, mut is_last) = (growth.min(bytes.len()), false);
    loop {
        match framer.next(&bytes[at..visible], is_last) {
            Record::Message(message) => {
                messages.push(message);
                at += LENGTH_BYTES + message.len();
            }
            Record::Incomplete if is_last => return (messages, "cut", at),
            Record::Incomplete if visible == bytes.len() => is_last = true,
            Record::Incomplete => visible = (visible + growth).min(bytes.len()),
            Record::EndOfSession => return (messages, "end of session", at),
            Record::Unframable => return (messages, "unframable", at),
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&growth, file)) = bytes.split_first() else { return };
    let at_once = frame(file, file.len().max(1));
    let framed: usize = at_once.0.iter().map(|message| LENGTH_BYTES + message.len()).sum();
    assert!(framed == at_once.2 && framed <= file.len());
    assert_eq!(frame(file, usize::from(growth.max(1))), at_once);
});
