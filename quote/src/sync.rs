//! What the threads of this crate meet at: std's, or loom's when the models run (`--cfg loom`).

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Mutex, OnceLock,
    atomic::{AtomicU32, AtomicU64, Ordering, fence},
};

#[cfg(loom)]
pub(crate) use self::modelled::OnceLock;
#[cfg(loom)]
pub(crate) use loom::sync::{
    Mutex,
    atomic::{AtomicU32, AtomicU64, Ordering, fence},
};

#[cfg(loom)]
mod modelled {
    use loom::sync::atomic::{AtomicBool, Ordering};

    /// std's cell with its memory ordering put in front of loom, which has no such cell: a reader
    /// finds the value only once the flag has reached it.
    pub(crate) struct OnceLock<T> {
        value: std::sync::OnceLock<T>,
        published: AtomicBool,
    }

    impl<T> OnceLock<T> {
        pub(crate) fn new() -> Self {
            Self { value: std::sync::OnceLock::new(), published: AtomicBool::new(false) }
        }

        pub(crate) fn set(&self, value: T) -> Result<(), T> {
            let result = self.value.set(value);
            // Release pairs with the acquire in `get`, as in std.
            self.published.store(true, Ordering::Release);
            result
        }

        pub(crate) fn get(&self) -> Option<&T> {
            self.published.load(Ordering::Acquire).then(|| self.value.get()).flatten()
        }
    }
}
