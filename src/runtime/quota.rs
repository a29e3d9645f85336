//! How much processor time the control group allows: a container may see 64 cores and own two.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Processor time that a control group may use in each period. Beyond it all of its threads stand
/// still until the next period, spinning ones first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CpuQuota {
    /// Time per period, µs, of all cores together.
    pub quota_us: u64,
    /// The period, µs; never 0.
    pub period_us: u64,
}

impl CpuQuota {
    /// The tightest quota over this process's control groups, version 2 or 1; `None` where there
    /// is none.
    #[must_use]
    pub fn of_process() -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        Self::read(&groups, Path::new("/sys/fs/cgroup"))
    }

    /// The tightest quota of the groups that `/proc/self/cgroup` lists, in the tree at `root`.
    fn read(groups: &str, root: &Path) -> Option<Self> {
        groups
            .lines()
            .filter_map(|line| parse_group(line, root))
            .flat_map(|(tree, group)| quotas_up_to(&tree, &group))
            .min_by_key(CpuQuota::cores_milli)
    }

    /// The quota in thousandths of a core.
    #[must_use]
    pub fn cores_milli(&self) -> u64 {
        self.quota_us.saturating_mul(1_000) / self.period_us
    }

    /// How many threads may spin without being stopped: whole cores, at least one.
    #[must_use]
    pub fn cores_whole(&self) -> usize {
        usize::try_from(self.cores_milli() / 1_000).unwrap_or(usize::MAX).max(1)
    }

    /// Version 2, `cpu.max`: `max 100000` or `200000 100000`.
    fn parse_max(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        Self::new(words.next()?, words.next()?)
    }

    /// A quota from its two numbers; `max` or -1 is none.
    fn new(quota_us: &str, period_us: &str) -> Option<Self> {
        let quota_us = quota_us.trim().parse().ok()?;
        let period_us = period_us.trim().parse().ok().filter(|period_us| *period_us > 0)?;
        Some(Self { quota_us, period_us })
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        let read = |name| fs::read_to_string(folder.join(name)).ok();
        let version_2 = read("cpu.max").as_deref().and_then(Self::parse_max);
        version_2.or_else(|| Self::new(&read("cpu.cfs_quota_us")?, &read("cpu.cfs_period_us")?))
    }
}

/// `1.5 cores`.
impl fmt::Display for CpuQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, milli) = (self.cores_milli() / 1_000, self.cores_milli() % 1_000);
        match milli {
            0 => write!(f, "{whole} cores"),
            _ => write!(f, "{whole}.{} cores", format!("{milli:03}").trim_end_matches('0')),
        }
    }
}

/// The tree and the group's path in it, from one line of `/proc/self/cgroup`: `0::/a` is version 2,
/// `4:cpu,cpuacct:/a` the processor controller of version 1.
fn parse_group(line: &str, root: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut fields = line.splitn(3, ':');
    let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    let tree = match controllers {
        "" => root.to_path_buf(),
        _ if controllers.split(',').any(|controller| controller == "cpu") => root.join("cpu"),
        _ => return None,
    };
    // From inside a container a path may climb out of what is mounted here.
    let normal = Path::new(path).components().filter(|part| matches!(part, Component::Normal(_)));
    Some((tree, normal.collect()))
}

/// The quotas of the group and of every group around it.
fn quotas_up_to(tree: &Path, group: &Path) -> Vec<CpuQuota> {
    group.ancestors().filter_map(|part| CpuQuota::in_folder(&tree.join(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of control groups in a folder of its own, gone afterwards.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root =
                std::env::temp_dir().join(format!("freshlane-quota-{name}-{}", std::process::id()));
            for (path, text) in files {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self(root)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_tightest_quota_on_the_way_up_counts() {
        let tree = Tree::new(
            "v2",
            &[
                ("cpu.max", "max 100000\n"),
                ("a/cpu.max", "150000 100000\n"),
                ("a/b/cpu.max", "400000 100000\n"),
            ],
        );
        let quota = CpuQuota::read("0::/a/b\n", &tree.0).unwrap();
        assert_eq!(quota, CpuQuota { quota_us: 150_000, period_us: 100_000 });
        assert_eq!((quota.cores_milli(), quota.cores_whole()), (1_500, 1));
        assert_eq!(quota.to_string(), "1.5 cores");
        assert_eq!(CpuQuota::read("0::/\n", &tree.0), None);
        assert_eq!(CpuQuota::read("0::/../../a\n", &tree.0), Some(quota));
    }

    #[test]
    fn version_1_is_read_too() {
        let tree = Tree::new(
            "v1",
            &[
                ("cpu/c/cpu.cfs_quota_us", "200000\n"),
                ("cpu/c/cpu.cfs_period_us", "100000\n"),
                ("cpu/cpu.cfs_quota_us", "-1\n"),
                ("cpu/cpu.cfs_period_us", "100000\n"),
            ],
        );
        let groups = "5:memory:/c\n4:cpu,cpuacct:/c\n";
        let quota = CpuQuota::read(groups, &tree.0).unwrap();
        assert_eq!((quota.cores_whole(), quota.to_string()), (2, "2 cores".into()));
        assert_eq!(CpuQuota::read("5:memory:/c\n", &tree.0), None);
    }

    #[test]
    fn anything_else_is_no_quota() {
        for text in ["", "max", "max 100000", "100000 0", "x y", "-1 100000", "1"] {
            assert_eq!(CpuQuota::parse_max(text), None, "{text:?}");
        }
        assert_eq!(CpuQuota::read("garbage\n\n::\n", Path::new("/nowhere")), None);
    }

    #[test]
    fn half_a_core_still_runs_one_thread() {
        let half = CpuQuota { quota_us: 50_000, period_us: 100_000 };
        assert_eq!((half.cores_whole(), half.to_string()), (1, "0.5 cores".into()));
    }
}
