//! A file that appears only when it is whole.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

/// zstd's own default level.
const ZSTD_LEVEL: i32 = 3;

/// A file that is written beside its place, as `FILE.partial`, and renamed once it is whole. Until
/// then what stood in its place stays; dropped before, it leaves nothing.
///
/// What is no regular file (a device, a named pipe) is written to directly.
pub(super) struct WholeFile {
    place: PathBuf,
    /// Where it is written; `None` for what cannot be renamed over, and after the renaming.
    partial: Option<PathBuf>,
    encoder: Encoder,
}

/// By the suffix of the name.
enum Encoder {
    Raw(File),
    Gzip(GzEncoder<File>),
    Zstd(zstd::Encoder<'static, File>),
}

impl WholeFile {
    /// Begins a file that is to stand at `path`. A suffix `.gz` or `.zst` compresses it.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        // Through a symbolic link the file is replaced, not the link.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let partial = match fs::metadata(&place) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => None,
            _ => Some(partial_of(&place)),
        };
        let file = File::create(partial.as_ref().unwrap_or(&place))?;
        let encoder = Encoder::by_suffix(&place, file)?;
        Ok(Self { place, partial, encoder })
    }

    /// Puts the file in its place.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.encoder.finish()?;
        match &self.partial {
            Some(partial) => fs::rename(partial, &self.place)?,
            None => return Ok(()),
        }
        self.partial = None;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::Raw(file) => file.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Raw(file) => file.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
        }
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // It may be gone already; there is nothing to be done about it here.
            let _ = fs::remove_file(partial);
        }
    }
}

impl Encoder {
    fn by_suffix(place: &Path, file: File) -> io::Result<Self> {
        let suffix = place.extension().unwrap_or_default();
        Ok(if suffix.eq_ignore_ascii_case("gz") {
            Self::Gzip(GzEncoder::new(file, flate2::Compression::default()))
        } else if suffix.eq_ignore_ascii_case("zst") {
            Self::Zstd(zstd::Encoder::new(file, ZSTD_LEVEL)?)
        } else {
            Self::Raw(file)
        })
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Raw(file) => file.flush(),
            Self::Gzip(encoder) => encoder.try_finish(),
            Self::Zstd(encoder) => encoder.do_finish(),
        }
    }
}

fn partial_of(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder that goes with its test.
    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn folder(name: &str) -> Folder {
        let name = format!("freshlane-whole-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_that_is_given_up_leaves_what_stood_there() {
        let folder = folder("given-up");
        let path = folder.0.join("a.itch");
        fs::write(&path, b"before").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(names_in(&folder.0), ["a.itch"]);
    }

    #[test]
    fn a_whole_file_takes_its_place() {
        let folder = folder("whole");
        let path = folder.0.join("a.itch");
        for text in [&b"first"[..], b"second"] {
            let mut file = WholeFile::create(&path).unwrap();
            file.write_all(text).unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), text);
        }
        assert_eq!(names_in(&folder.0), ["a.itch"]);
    }

    #[test]
    fn through_a_link_the_file_is_replaced_and_not_the_link() {
        let folder = folder("link");
        let (path, link) = (folder.0.join("a.itch"), folder.0.join("b.itch"));
        fs::write(&path, b"before").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut file = WholeFile::create(&link).unwrap();
        file.write_all(b"after").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let mut file = WholeFile::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"away").unwrap();
        file.finish().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_folder_is_refused() {
        let error = WholeFile::create(&folder("folder").0).err().map(|error| error.kind());
        assert_eq!(error, Some(io::ErrorKind::IsADirectory));
    }
}
