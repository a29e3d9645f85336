//! The engine clock as it runs live: with a cold thread that keeps it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use freshlane_quote::EngineClock;
use freshlane_quote::clock::{ClockHints, ClockMode, Timekeeper};

/// A running engine clock. Dropping it ends its thread.
#[derive(Debug)]
pub struct Timekeeping {
    clock: EngineClock,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Timekeeping {
    /// Starts the clock and the thread that keeps it.
    ///
    /// # Errors
    /// A sentence where the clock cannot be had or the OS gives no thread.
    pub fn start() -> Result<Self, String> {
        let (clock, mut timekeeper, _) =
            EngineClock::start(ClockMode::Auto, &ClockHints::default())
                .map_err(|error| error.to_string())?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        timekeeper.poll();
        let thread = thread::Builder::new()
            .name("timekeeper".into())
            .spawn(move || keep(&mut timekeeper, &over))
            .map_err(|error| error.to_string())?;
        Ok(Self { clock, is_over, thread: Some(thread) })
    }

    /// A handle for one thread.
    #[must_use]
    pub fn clock(&self) -> EngineClock {
        self.clock.clone()
    }
}

#[allow(clippy::disallowed_methods, reason = "a cold thread that has nothing to do")]
fn keep(timekeeper: &mut Timekeeper, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        timekeeper.poll();
        thread::sleep(Duration::from_millis(1));
    }
}

impl Drop for Timekeeping {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the timekeeper has been printed; there is nothing to add at the end.
            let _ = thread.join();
        }
    }
}
