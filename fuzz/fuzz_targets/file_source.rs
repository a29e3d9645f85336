//! Any file ends, whatever it is compressed with, and every byte of it is accounted for.

#![no_main]

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use freshlane_feed_handlers::itch50::BATCH_MAX;
use freshlane_feed_handlers::source::{Batch, BinaryFileSource, FileEnd, MessageSource};
use freshlane_feed_handlers::transport::{Compression, FileSource, TransportError};
use libfuzzer_sys::fuzz_target;

/// A file in memory, under no name but that of its descriptor.
fn memory_file() -> File {
    // SAFETY: the name is a NUL-terminated string and the flags are none; the call touches nothing
    // else.
    let descriptor = unsafe { libc::memfd_create(c"capture".as_ptr(), 0) };
    assert!(descriptor >= 0, "no memory file: {}", std::io::Error::last_os_error());
    // SAFETY: the descriptor was opened just now and nobody else has it.
    unsafe { File::from_raw_fd(descriptor) }
}

/// Writes `bytes` as the whole of the one file; returns a path that opens it.
fn write(bytes: &[u8]) -> PathBuf {
    static FILE: OnceLock<Mutex<File>> = OnceLock::new();
    let mut file = FILE.get_or_init(|| Mutex::new(memory_file())).lock().expect("one thread");
    file.set_len(0).expect("a file in memory shrinks");
    file.seek(SeekFrom::Start(0)).expect("a file in memory has a start");
    file.write_all(bytes).expect("a file in memory has room");
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn check_end(source: &BinaryFileSource, framed_bytes: u64, compression: Compression, len: u64) {
    let end = source.end().expect("the file has ended");
    assert!(!end.to_string().is_empty());
    assert_eq!(source.framed_bytes(), framed_bytes);
    assert!(source.read_bytes().get() <= source.file_bytes() && source.file_bytes() == len);
    if compression == Compression::Raw {
        assert!(!matches!(end, FileEnd::Failed { .. }));
        assert_eq!(framed_bytes + end.unframed_bytes(), len);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let file = match FileSource::open(&write(bytes)) {
        Ok(file) => file,
        Err(TransportError::Empty { .. }) => return assert!(bytes.is_empty()),
        Err(error) => panic!("{error}"),
    };
    let compression = file.compression();
    let (mut source, mut framed_bytes) = (BinaryFileSource::new(file), 0);
    loop {
        let batch = source.next_batch(BATCH_MAX, |messages, _| {
            framed_bytes += messages.iter().map(|message| message.len() as u64 + 2).sum::<u64>();
        });
        match batch {
            Batch::Messages(count) => assert!((1..=BATCH_MAX).contains(&count)),
            Batch::Nothing => panic!("a file is never empty for now"),
            Batch::End => break,
        }
    }
    check_end(&source, framed_bytes, compression, bytes.len() as u64);
});
