//! Which cores this process may use.

use std::fmt;
use std::sync::OnceLock;

/// The cores that this process may use, by the OS's numbers: ascending, at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedCores {
    ids: Vec<usize>,
}

/// The OS did not tell which cores this process may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the OS does not tell which cores this process may use (sched_getaffinity failed)")]
pub struct CoresUnknown;

impl AllowedCores {
    /// The cores of this process: its affinity mask, in which `taskset` and the cpuset of a cgroup
    /// both show.
    ///
    /// The first call reads the mask of the calling thread and all later ones return the same,
    /// since a thread that is pinned sees, and hands on to its children, nothing but its own core.
    /// So let the main thread call this before anything is pinned.
    ///
    /// # Errors
    /// [`CoresUnknown`] when the OS does not tell.
    pub fn of_process() -> Result<Self, CoresUnknown> {
        static FIRST_READING: OnceLock<Option<AllowedCores>> = OnceLock::new();
        FIRST_READING.get_or_init(read_affinity_mask).clone().ok_or(CoresUnknown)
    }

    /// These cores; `None` if there are none.
    #[must_use]
    pub fn of(ids: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut ids: Vec<_> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        (!ids.is_empty()).then_some(Self { ids })
    }

    /// The numbers, ascending.
    #[must_use]
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// Whether `core` is one of them.
    #[must_use]
    pub fn contains(&self, core: usize) -> bool {
        self.ids.binary_search(&core).is_ok()
    }
}

fn read_affinity_mask() -> Option<AllowedCores> {
    AllowedCores::of(core_affinity::get_core_ids()?.into_iter().map(|core| core.id))
}

/// As the kernel writes it: `0-3,8`.
impl fmt::Display for AllowedCores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.ids.chunk_by(|a, b| a + 1 == *b);
        for (index, run) in runs.enumerate() {
            let separator = if index == 0 { "" } else { "," };
            match run {
                [first, .., last] => write!(f, "{separator}{first}-{last}")?,
                [only] => write!(f, "{separator}{only}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_print_as_the_kernel_prints_them() {
        for (ids, text) in [
            (vec![0], "0"),
            (vec![4, 2], "2,4"),
            (vec![0, 1], "0-1"),
            (vec![8, 0, 3, 1, 2, 2, 10], "0-3,8,10"),
        ] {
            assert_eq!(AllowedCores::of(ids).unwrap().to_string(), text);
        }
        assert_eq!(AllowedCores::of([]), None);
    }

    #[test]
    fn a_process_may_use_the_cores_of_its_mask() {
        let allowed = AllowedCores::of_process().unwrap();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        assert_eq!(Some(allowed.to_string().as_str()), mask.map(str::trim));
        assert!(allowed.ids().iter().all(|core| allowed.contains(*core)));
        assert!(!allowed.contains(usize::MAX));
    }
}
