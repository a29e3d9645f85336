//! The files of the repository.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold no files of the repository, for a tree without git.
const SKIPPED_WITHOUT_GIT: [&str; 4] = [".git", "target", "corpus", "artifacts"];

/// A file with its path from the root, separated by `/`.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_executable: bool,
}

impl File {
    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The part of the path before [`File::name`], without its last `/`; empty at the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The content as text; what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }
}

/// All files of a repository, or of an example of one.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// The repository: what git tracks and what it would add, or everything where there is no git.
    pub(crate) fn of_repository() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let paths = git_paths(root).unwrap_or_else(|| walked_paths(root));
        assert!(paths.contains("Cargo.toml"), "no list of files in {}", root.display());
        // A file that git knows may have been deleted since.
        let files = paths.into_iter().filter_map(|path| read(root, path)).collect();
        Self { files }
    }

    /// An example: paths with their texts.
    pub(crate) fn example(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| File {
            path: path.into(),
            bytes: text.into(),
            is_executable: false,
        };
        Self { files: files.iter().map(file).collect() }
    }

    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.has_extension("rs"))
    }

    pub(crate) fn find(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether `path` is a file or a folder of the tree.
    pub(crate) fn has(&self, path: &str) -> bool {
        let below = |file: &File| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.is_empty() || self.files.iter().any(below)
    }
}

fn read(root: &Path, path: String) -> Option<File> {
    let on_disk = root.join(&path);
    let bytes = fs::read(&on_disk).ok()?;
    let is_executable = fs::metadata(&on_disk).ok()?.permissions().mode() & 0o111 != 0;
    Some(File { path, bytes, is_executable })
}

fn git_paths(root: &Path) -> Option<BTreeSet<String>> {
    let listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").arg("-C").arg(root).args(listing).output().ok()?;
    let paths = String::from_utf8(output.stdout).ok()?;
    let paths: BTreeSet<_> =
        paths.split('\0').filter(|path| !path.is_empty()).map(ToOwned::to_owned).collect();
    // A checkout of another owner, or one inside another repository, lists nothing.
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walked_paths(root: &Path) -> BTreeSet<String> {
    let (mut paths, mut folders) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder of the tree") {
            let entry = entry.expect("an entry of a folder");
            let path = folder.join(entry.file_name());
            if !entry.file_type().expect("the type of an entry").is_dir() {
                paths.insert(path.to_string_lossy().into_owned());
            } else if !is_skipped(&entry.file_name().to_string_lossy()) {
                folders.push(path);
            }
        }
    }
    paths
}

fn is_skipped(folder: &str) -> bool {
    SKIPPED_WITHOUT_GIT.contains(&folder) || folder.starts_with("target-")
}

#[test]
fn with_and_without_git_the_sources_are_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let walked = walked_paths(root);
    assert!(walked.contains("tests/tidy/tree.rs") && walked.contains("quote/src/lib.rs"));
    assert!(!walked.iter().any(|path| path.starts_with("target/")));
    for file in Tree::of_repository().rust_files() {
        assert!(walked.contains(&file.path), "{} is found by git only", file.path);
    }
}

#[test]
fn a_folder_is_part_of_the_tree_and_half_a_name_is_not() {
    let tree = Tree::example(&[("docs/ARCHITECTURE.md", "")]);
    assert!(tree.has("docs") && tree.has("docs/ARCHITECTURE.md") && tree.has(""));
    assert!(!tree.has("doc") && !tree.has("docs/ARCHITECTURE"));
}
