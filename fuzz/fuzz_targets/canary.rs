//! Fails on one certain input. A fuzzer that does not find it finds nothing: its instrumentation,
//! or the script that reads its exit code, is broken.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Byte by byte, so that only coverage leads there: by chance it would be one in four billion.
    let is_found = bytes.first() == Some(&b'C')
        && bytes.get(1) == Some(&b'A')
        && bytes.get(2) == Some(&b'G')
        && bytes.get(3) == Some(&b'E');
    assert!(!is_found, "the canary sings");
});
