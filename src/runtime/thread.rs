//! One thread that polls agents on one core, and what it tells about itself.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use core_affinity::CoreId;
use freshlane_quote::{Agent, Counter, IdlePolicy};

use super::runner::Runner;

/// Whether a thread runs where it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PinOutcome {
    /// On its core and nowhere else: the mask was read back.
    Pinned,
    /// Nobody asked for a core.
    NotAsked,
    /// The OS refused the core. The thread runs on whatever its starter could use.
    Refused,
}

/// How an agent left its thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It had no more work, and was closed and dropped.
    Finished,
    /// The thread was told to stop; it was closed and dropped with work perhaps left.
    Stopped,
    /// It panicked with this message, and was dropped without being closed.
    Panicked(String),
}

/// An agent that left its thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure {
    /// Its name.
    pub agent: String,
    /// How it left.
    pub ending: Ending,
}

/// The numbers of a duty cycle at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadStats {
    /// Turns over all agents.
    pub turns: u64,
    /// The work counts of all turns together.
    pub work: u64,
    /// How long the last measured turn took, ns. One turn in 64 is measured, and counts if it did
    /// something.
    pub turn_ns_last: u64,
    /// The longest measured turn, ns.
    pub turn_ns_max: u64,
    /// Agents that panicked.
    pub panics: u64,
}

/// What the thread shares with those who watch it.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) hot: Hot,
    name: String,
    core: Option<usize>,
    /// The agents' names by seat number: the order in which they were handed in.
    agents: Vec<String>,
    departures: Mutex<Vec<Departure>>,
    pub(super) stop: AtomicBool,
    ended: AtomicBool,
}

/// What the thread writes in every turn, alone on its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Hot {
    pub(super) turns: Counter,
    pub(super) work: Counter,
    pub(super) turn_ns_last: Counter,
    pub(super) turn_ns_max: Counter,
    pub(super) panics: Counter,
    /// The seat number of the agent that is being polled plus 1; 0 between turns.
    pub(super) current: Counter,
}

impl Shared {
    pub(super) fn agent_name(&self, seat: usize) -> &str {
        self.agents.get(seat).map_or("?", String::as_str)
    }

    pub(super) fn thread_name(&self) -> &str {
        &self.name
    }

    pub(super) fn record_departure(&self, seat: usize, ending: Ending) {
        let agent = self.agent_name(seat).to_owned();
        self.departures().push(Departure { agent, ending });
    }

    fn departures(&self) -> MutexGuard<'_, Vec<Departure>> {
        self.departures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running thread with its agents.
#[derive(Debug)]
pub struct CoreThread {
    shared: Arc<Shared>,
    pin: PinOutcome,
    handle: Option<JoinHandle<()>>,
}

impl CoreThread {
    /// Starts a thread called `name`, pinned to `core` if one is given, that polls `agents` in
    /// their order until all have left. Returns once the pin has been tried; [`CoreThread::pin`]
    /// tells how that went, and a refusal is also logged.
    ///
    /// # Errors
    /// What the OS says when it does not give a thread.
    pub fn start(
        name: &str,
        core: Option<usize>,
        idle: IdlePolicy,
        agents: Vec<Box<dyn Agent>>,
    ) -> io::Result<Self> {
        Self::start_with(name, core, idle, agents, || {})
    }

    /// As [`CoreThread::start`]; `at_end` is called on the thread as the last thing it does.
    pub(super) fn start_with(
        name: &str,
        core: Option<usize>,
        idle: IdlePolicy,
        agents: Vec<Box<dyn Agent>>,
        at_end: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            hot: Hot::default(),
            name: name.into(),
            core,
            agents: agents.iter().map(|agent| agent.name().to_owned()).collect(),
            // Room for all, so that an agent's end allocates no more than its own message.
            departures: Mutex::new(Vec::with_capacity(agents.len())),
            stop: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        let (pin_sender, pin_receiver) = sync_channel(1);
        let runner = Runner::new(Arc::clone(&shared), agents, idle);
        let end = End { shared: Arc::clone(&shared), at_end: Some(at_end) };
        let handle = Builder::new().name(name.into()).spawn(move || {
            let _end = end;
            // The starter waits for it; were it gone, nobody would be left to tell.
            let _ = pin_sender.send(core.map_or(PinOutcome::NotAsked, pin_current_thread));
            runner.run();
        })?;
        let pin = pin_receiver.recv().unwrap_or(PinOutcome::Refused);
        report_start(&shared, pin);
        Ok(Self { shared, pin, handle: Some(handle) })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The core that it should run on.
    #[must_use]
    pub fn core(&self) -> Option<usize> {
        self.shared.core
    }

    /// Whether it runs there.
    #[must_use]
    pub fn pin(&self) -> PinOutcome {
        self.pin
    }

    /// Its duty cycle so far.
    #[must_use]
    pub fn stats(&self) -> ThreadStats {
        let hot = &self.shared.hot;
        ThreadStats {
            turns: hot.turns.get(),
            work: hot.work.get(),
            turn_ns_last: hot.turn_ns_last.get(),
            turn_ns_max: hot.turn_ns_max.get(),
            panics: hot.panics.get(),
        }
    }

    /// The agent that is being polled at this moment; `None` between turns. When it stays the same
    /// while [`ThreadStats::turns`] stands still, that agent is stuck.
    #[must_use]
    pub fn current_agent(&self) -> Option<&str> {
        let seat = usize::try_from(self.shared.hot.current.get()).ok()?.checked_sub(1)?;
        Some(self.shared.agent_name(seat))
    }

    /// The agents that have left, in that order.
    #[must_use]
    pub fn departures(&self) -> Vec<Departure> {
        self.shared.departures().clone()
    }

    /// Tells the thread to end after its present turn, whatever its agents have left to do. They
    /// are closed in their order. For an orderly end let the agents finish instead.
    pub fn request_stop(&self) {
        // Relaxed: the flag orders nothing, and the thread looks at it in every turn.
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the thread has left its last agent.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        // Acquire pairs with the release in `End`: whoever sees the end sees every departure.
        self.shared.ended.load(Ordering::Acquire)
    }

    /// Waits for a thread that has ended to be gone.
    pub(super) fn join(&mut self) {
        if let Some(handle) = self.handle.take() {
            // Its panics are the agents', which are reported with their names.
            let _ = handle.join();
        }
    }
}

/// Announces the end of the thread when dropped, also by a panic.
struct End<F: FnOnce()> {
    shared: Arc<Shared>,
    at_end: Option<F>,
}

impl<F: FnOnce()> Drop for End<F> {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        if let Some(at_end) = self.at_end.take() {
            at_end();
        }
    }
}

/// Numbers from here on do not fit the OS's mask.
const CORE_NUMBERS: usize = 1_024;

/// Pins the current thread and reads the mask back, since a pin that was not done is found out
/// otherwise only by its latency.
fn pin_current_thread(core: usize) -> PinOutcome {
    let core = CoreId { id: core };
    let done = core.id < CORE_NUMBERS
        && core_affinity::set_for_current(core)
        && core_affinity::get_core_ids().is_some_and(|ids| ids == [core]);
    if done { PinOutcome::Pinned } else { PinOutcome::Refused }
}

fn report_start(shared: &Shared, pin: PinOutcome) {
    let (thread, core, agents) = (&shared.name, shared.core, shared.agents.join(", "));
    match pin {
        PinOutcome::Refused => {
            tracing::error!(thread, core, agents, "the OS refused the core: running unpinned");
        }
        PinOutcome::Pinned | PinOutcome::NotAsked => {
            tracing::debug!(thread, core, agents, "started");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::cores::AllowedCores;
    use super::super::scripted::{Log, Scripted};
    use super::*;

    /// Starts a thread on `core`; returns its outcome and the mask that it saw for itself.
    fn mask_on(core: Option<usize>) -> (PinOutcome, String) {
        let (masks, seen) = channel();
        let agent = Scripted::new("probe", 1, &Log::default()).each_turn(move |_| {
            masks.send(own_mask()).unwrap();
        });
        let agents = vec![agent.boxed()];
        let mut thread = CoreThread::start("probe", core, IdlePolicy::Yield, agents).unwrap();
        thread.join();
        (thread.pin(), seen.recv().unwrap())
    }

    fn own_mask() -> String {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        mask.unwrap().trim().to_owned()
    }

    #[test]
    fn a_pinned_thread_runs_on_its_core_and_no_other() {
        for core in AllowedCores::of_process().unwrap().ids() {
            assert_eq!(mask_on(Some(*core)), (PinOutcome::Pinned, core.to_string()));
        }
    }

    #[test]
    fn a_core_that_the_os_refuses_is_reported_and_the_work_is_done_all_the_same() {
        let allowed = AllowedCores::of_process().unwrap();
        for core in [1_023, 1_024, usize::MAX] {
            assert_eq!(mask_on(Some(core)), (PinOutcome::Refused, allowed.to_string()));
        }
    }

    #[test]
    fn a_thread_without_a_core_is_left_alone() {
        let allowed = AllowedCores::of_process().unwrap();
        assert_eq!(mask_on(None), (PinOutcome::NotAsked, allowed.to_string()));
    }

    #[test]
    fn a_thread_that_was_pinned_first_neither_narrows_the_choice_nor_the_masks_of_later_ones() {
        let allowed = AllowedCores::of_process().unwrap();
        // On a thread of its own, since a pin stays.
        let later = std::thread::spawn(|| {
            let allowed = AllowedCores::of_process().unwrap();
            assert_eq!(pin_current_thread(allowed.ids()[0]), PinOutcome::Pinned);
            assert_eq!(AllowedCores::of_process().unwrap(), allowed);
            allowed.ids().iter().map(|core| mask_on(Some(*core))).collect::<Vec<_>>()
        });
        let expected = allowed.ids().iter().map(|core| (PinOutcome::Pinned, core.to_string()));
        assert_eq!(later.join().unwrap(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn what_a_thread_writes_in_every_turn_lies_on_lines_of_its_own() {
        assert_eq!(size_of::<Hot>() % 128, 0);
        assert_eq!(std::mem::offset_of!(Shared, hot) % 128, 0);
    }
}
