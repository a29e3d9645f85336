//! A capture file as a window of bytes: raw, gzip or zstd, told apart by content and not by name.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use freshlane_quote::Counter;

use crate::framing::binary_file::RECORD_LEN_MAX;

/// Bytes that the window is filled to. Fits an L2 cache beside the books.
const WINDOW_BYTES: usize = 256 * 1024;
const _: () = assert!(WINDOW_BYTES >= 2 * RECORD_LEN_MAX);

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// Not at all.
    Raw,
    /// gzip, one or more members.
    Gzip,
    /// zstd, one or more frames.
    Zstd,
}

impl Compression {
    /// What the first bytes of a file tell.
    #[must_use]
    pub fn detect(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, 8, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::Raw,
        }
    }

    /// The name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

/// Why a file gives no more bytes.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// It cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is a directory.
    #[error("{} is a directory; name a capture file in it", path.display())]
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// It has no bytes.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The compressed data ends before its end mark.
    #[error(
        "{} is cut: its {} data ends early, after {decoded_bytes} decoded bytes",
        path.display(), compression.name()
    )]
    CutCompressed {
        /// The file.
        path: PathBuf,
        /// Its compression.
        compression: Compression,
        /// Bytes that came out before.
        decoded_bytes: u64,
    },
    /// Reading or decompressing failed.
    #[error("cannot read {} after {decoded_bytes} decoded bytes: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Bytes that came out before.
        decoded_bytes: u64,
        /// What the system or the decompressor says.
        source: io::Error,
    },
}

/// What a [`FileSource::fill`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// The window has more bytes than before.
    More,
    /// The file has ended; the window holds its last bytes.
    End,
}

/// A capture file, read through a sliding window.
pub struct FileSource {
    path: PathBuf,
    compression: Compression,
    reader: Box<dyn Read + Send>,
    /// Bytes read from the file itself, for progress; shared with whoever shows it.
    read_bytes: Arc<Counter>,
    file_bytes: u64,
    decoded_bytes: u64,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
}

impl FileSource {
    /// Opens `path` and looks at its first bytes.
    ///
    /// # Errors
    /// [`TransportError`] when it cannot be opened, is a directory or has no bytes.
    pub fn open(path: &Path) -> Result<Self, TransportError> {
        let open_error = |source| TransportError::Open { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(open_error)?;
        let metadata = file.metadata().map_err(open_error)?;
        if metadata.is_dir() {
            return Err(TransportError::IsDirectory { path: path.to_owned() });
        }
        let mut head = Vec::with_capacity(8);
        file.by_ref().take(8).read_to_end(&mut head).map_err(open_error)?;
        if head.is_empty() {
            return Err(TransportError::Empty { path: path.to_owned() });
        }
        let compression = Compression::detect(&head);
        let read_bytes = Arc::new(Counter::new());
        let counted =
            CountingReader { inner: io::Cursor::new(head).chain(file), count: read_bytes.clone() };
        let reader = decompressor(compression, counted).map_err(open_error)?;
        Ok(Self {
            path: path.to_owned(),
            compression,
            reader,
            read_bytes,
            file_bytes: metadata.len(),
            decoded_bytes: 0,
            buffer: vec![0; WINDOW_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
        })
    }

    /// How the file is compressed.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Bytes of the file on disk.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    /// Bytes read from disk so far: a counter that another thread may watch.
    #[must_use]
    pub fn read_bytes(&self) -> Arc<Counter> {
        self.read_bytes.clone()
    }

    /// The bytes that are there and not consumed.
    #[inline]
    #[must_use]
    pub fn window(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Marks the first `len_bytes` of the window as done.
    ///
    /// # Panics
    /// When the window is shorter.
    #[inline]
    pub fn consume(&mut self, len_bytes: usize) {
        assert!(len_bytes <= self.end - self.start, "consumed more than the window holds");
        self.start += len_bytes;
    }

    /// Moves the window's rest to the front and reads on. May block on the disk.
    ///
    /// # Errors
    /// [`TransportError`] when the data is cut or cannot be read; the window stays as it is.
    pub fn fill(&mut self) -> Result<Fill, TransportError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        match read_some(&mut self.reader, &mut self.buffer[self.end..]) {
            Ok(0) => Ok(Fill::End),
            Ok(count) => {
                self.end += count;
                self.decoded_bytes += count as u64;
                Ok(Fill::More)
            }
            Err(source) => Err(self.read_error(source)),
        }
    }

    fn read_error(&self, source: io::Error) -> TransportError {
        let (path, decoded_bytes) = (self.path.clone(), self.decoded_bytes);
        if source.kind() == io::ErrorKind::UnexpectedEof {
            let compression = self.compression;
            return TransportError::CutCompressed { path, compression, decoded_bytes };
        }
        TransportError::Read { path, decoded_bytes, source }
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileSource")
            .field("path", &self.path)
            .field("compression", &self.compression)
            .field("decoded_bytes", &self.decoded_bytes)
            .finish_non_exhaustive()
    }
}

fn decompressor(
    compression: Compression,
    reader: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::Raw => Box::new(reader),
        Compression::Gzip => Box::new(MultiGzDecoder::new(io::BufReader::new(reader))),
        Compression::Zstd => Box::new(zstd::Decoder::new(reader)?),
    })
}

/// One successful read, an interrupted one tried again.
fn read_some(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Counts what passes through.
struct CountingReader<R> {
    inner: R,
    count: Arc<Counter>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.add(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn temp(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("freshlane-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn read_all(path: &Path) -> (Vec<u8>, Option<TransportError>) {
        let mut source = FileSource::open(path).unwrap();
        let mut bytes = Vec::new();
        loop {
            let filled = source.fill();
            bytes.extend_from_slice(source.window());
            source.consume(source.window().len());
            match filled {
                Ok(Fill::More) => {}
                Ok(Fill::End) => return (bytes, None),
                Err(error) => return (bytes, Some(error)),
            }
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn sample() -> Vec<u8> {
        (0..600_000_u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes()).collect()
    }

    #[test]
    fn content_decides_and_not_the_name() {
        let bytes = sample();
        for (name, packed) in [
            ("raw.gz", bytes.clone()),
            ("gzip.zst", gzip(&bytes)),
            ("zstd.bin", zstd::encode_all(&bytes[..], 1).unwrap()),
        ] {
            let (read, error) = read_all(&temp(name, &packed));
            assert!(read == bytes && error.is_none(), "{name}");
        }
    }

    #[test]
    fn members_and_frames_are_read_one_after_the_other() {
        let twice = [gzip(b"first "), gzip(b"second")].concat();
        assert_eq!(read_all(&temp("members", &twice)).0, b"first second");
        let frames = [zstd::encode_all(&b"first "[..], 1), zstd::encode_all(&b"second"[..], 1)]
            .map(Result::unwrap)
            .concat();
        assert_eq!(read_all(&temp("frames", &frames)).0, b"first second");
    }

    #[test]
    fn a_cut_stream_gives_what_was_whole_and_says_so() {
        let bytes = sample();
        for (name, packed) in
            [("cut-gzip", gzip(&bytes)), ("cut-zstd", zstd::encode_all(&bytes[..], 1).unwrap())]
        {
            let (read, error) = read_all(&temp(name, &packed[..packed.len() / 2]));
            assert!(!read.is_empty() && bytes.starts_with(&read), "{name}");
            assert!(
                matches!(error, Some(TransportError::CutCompressed { .. })),
                "{name} {error:?}"
            );
        }
    }

    #[test]
    fn what_is_no_capture_is_named() {
        assert!(matches!(
            FileSource::open(&std::env::temp_dir()),
            Err(TransportError::IsDirectory { .. })
        ));
        assert!(matches!(FileSource::open(&temp("empty", b"")), Err(TransportError::Empty { .. })));
        assert!(matches!(
            FileSource::open(Path::new("/does/not/exist")),
            Err(TransportError::Open { .. })
        ));
    }
}
