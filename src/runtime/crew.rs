//! All hot threads of the engine together: started by plan, ended within a deadline.

use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use freshlane_quote::{Agent, IdlePolicy};

use super::plan::{CorePlan, PlannedThread};
use super::thread::CoreThread;

/// Running threads, one per core of a [`CorePlan`].
#[derive(Debug)]
pub struct Crew {
    threads: Vec<CoreThread>,
    endings: Arc<Endings>,
}

/// Why a crew was not started.
#[derive(Debug, thiserror::Error)]
pub enum CrewError {
    /// The plan has no core for an agent.
    #[error("agent {agent:?} is not in the core plan")]
    Unplanned {
        /// The agent.
        agent: String,
    },
    /// The plan has a core for an agent that is not there.
    #[error("agent {agent:?} is in the core plan and does not exist")]
    Missing {
        /// The agent.
        agent: String,
    },
    /// The OS gave no thread.
    #[error("cannot start thread {thread:?}")]
    Thread {
        /// The thread.
        thread: String,
        /// What the OS said.
        source: io::Error,
    },
}

/// An agent that did not come back in time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckAgent {
    /// The thread that still runs.
    pub thread: String,
    /// The agent that it was polling; `None` when it was between turns, with agents that have not
    /// finished.
    pub agent: Option<String>,
}

/// Threads that did not end in time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StuckAgents {
    /// One per thread.
    pub stuck: Vec<StuckAgent>,
    /// How long they were given.
    pub timeout: Duration,
}

impl std::error::Error for StuckAgents {}

impl fmt::Display for StuckAgents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "still running after {:?}:", self.timeout)?;
        self.stuck.iter().enumerate().try_for_each(|(index, stuck)| {
            let separator = if index == 0 { " " } else { ", " };
            match &stuck.agent {
                Some(agent) => write!(f, "{separator}agent {agent} on thread {}", stuck.thread),
                None => write!(f, "{separator}thread {} with unfinished agents", stuck.thread),
            }
        })
    }
}

impl Crew {
    /// Starts a thread for each core of `plan` with its agents out of `agents`, in the plan's
    /// order. Each is called after its core: `core-3`.
    ///
    /// # Errors
    /// [`CrewError`] when plan and agents are not the same set of names, in which case nothing was
    /// started, or when the OS gives no thread; those already started are then told to stop.
    pub fn start(
        plan: &CorePlan,
        idle: IdlePolicy,
        mut agents: Vec<Box<dyn Agent>>,
    ) -> Result<Self, CrewError> {
        let mut manned = Vec::with_capacity(plan.threads().len());
        for thread in plan.threads() {
            manned.push((thread, take_agents(thread, &mut agents)?));
        }
        if let Some(agent) = agents.first() {
            return Err(CrewError::Unplanned { agent: agent.name().into() });
        }
        let mut crew = Self { threads: Vec::new(), endings: Arc::default() };
        for (thread, agents) in manned {
            crew.start_thread(thread, idle, agents).inspect_err(|_| crew.request_stop())?;
        }
        Ok(crew)
    }

    /// The threads in the plan's order.
    #[must_use]
    pub fn threads(&self) -> &[CoreThread] {
        &self.threads
    }

    /// Tells every thread to end after its present turn, whatever is left to do.
    pub fn request_stop(&self) {
        self.threads.iter().for_each(CoreThread::request_stop);
    }

    /// Waits, asleep, until every thread has ended. May be called again after a failure.
    ///
    /// # Errors
    /// [`StuckAgents`] names, when `timeout` is over, the agents that keep threads from ending.
    pub fn join_within(&mut self, timeout: Duration) -> Result<(), StuckAgents> {
        self.endings.wait_for(self.threads.len(), timeout);
        let (ended, running): (Vec<_>, Vec<_>) =
            self.threads.iter_mut().partition(|thread| thread.has_ended());
        ended.into_iter().for_each(CoreThread::join);
        let stuck: Vec<_> = running.into_iter().map(|thread| stuck_agent(thread)).collect();
        if stuck.is_empty() { Ok(()) } else { Err(StuckAgents { stuck, timeout }) }
    }

    fn start_thread(
        &mut self,
        planned: &PlannedThread,
        idle: IdlePolicy,
        agents: Vec<Box<dyn Agent>>,
    ) -> Result<(), CrewError> {
        let name = format!("core-{}", planned.core);
        let endings = Arc::clone(&self.endings);
        let at_end = move || endings.count_one();
        let thread = CoreThread::start_with(&name, Some(planned.core), idle, agents, at_end)
            .map_err(|source| CrewError::Thread { thread: name, source })?;
        self.threads.push(thread);
        Ok(())
    }
}

/// Takes the agents of `thread` out of `agents`.
fn take_agents(
    thread: &PlannedThread,
    agents: &mut Vec<Box<dyn Agent>>,
) -> Result<Vec<Box<dyn Agent>>, CrewError> {
    let take = |name: &String| {
        let index = agents.iter().position(|agent| agent.name() == name);
        let index = index.ok_or_else(|| CrewError::Missing { agent: name.clone() })?;
        Ok(agents.remove(index))
    };
    thread.agents.iter().map(take).collect()
}

fn stuck_agent(thread: &CoreThread) -> StuckAgent {
    StuckAgent {
        thread: thread.name().into(),
        agent: thread.current_agent().map(ToOwned::to_owned),
    }
}

/// How many threads have ended, to be waited for.
#[derive(Debug, Default)]
struct Endings {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Endings {
    fn count_one(&self) {
        *self.lock() += 1;
        self.changed.notify_all();
    }

    fn wait_for(&self, count: usize, timeout: Duration) {
        // A poisoned count is as good as any: it is only a reason to look.
        drop(self.changed.wait_timeout_while(self.lock(), timeout, |ended| *ended < count));
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::super::cores::AllowedCores;
    use super::super::plan::{AgentSpec, CoreChoice};
    use super::super::scripted::{Log, Scripted};
    use super::super::thread::PinOutcome;
    use super::*;

    fn plan(names: &[&str]) -> CorePlan {
        let agents: Vec<_> = names.iter().map(|name| AgentSpec { name, core: None }).collect();
        let allowed = AllowedCores::of_process().unwrap();
        CorePlan::new(&allowed, None, &CoreChoice::Auto, &agents).unwrap()
    }

    fn crew(agents: Vec<Scripted>, names: &[&str]) -> Result<Crew, CrewError> {
        let agents = agents.into_iter().map(Scripted::boxed).collect();
        Crew::start(&plan(names), IdlePolicy::Backoff, agents)
    }

    /// An agent whose first turn says that it has begun, and lasts until it is let go.
    fn stuck(name: &'static str) -> (Scripted, Receiver<()>, Sender<()>) {
        let ((begun, has_begun), (let_go, wait)) = (channel(), channel::<()>());
        let agent = Scripted::new(name, 1, &Log::default()).each_turn(move |_| {
            begun.send(()).unwrap();
            let _ = wait.recv();
        });
        (agent, has_begun, let_go)
    }

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(50);

    #[test]
    fn every_agent_runs_where_the_plan_says_whatever_the_order_it_came_in() {
        let names = ["feed", "bus", "gate"];
        let log = Log::default();
        let agents = ["gate", "feed", "bus"].map(|name| Scripted::new(name, 5, &log));
        let mut crew = crew(agents.into(), &names).unwrap();
        crew.join_within(LONG).unwrap();
        for (thread, planned) in crew.threads().iter().zip(plan(&names).threads()) {
            assert_eq!(thread.core(), Some(planned.core));
            assert_eq!(thread.name(), format!("core-{}", planned.core));
            assert_eq!(thread.pin(), PinOutcome::Pinned);
            let left: Vec<_> = thread.departures().into_iter().map(|left| left.agent).collect();
            assert_eq!(left, planned.agents);
        }
    }

    #[test]
    fn a_plan_and_agents_that_do_not_match_start_nothing() {
        let log = Log::default();
        let agents = || vec![Scripted::new("feed", 1, &log)];
        let error = crew(agents(), &["feed", "bus"]).unwrap_err();
        assert_eq!(error.to_string(), "agent \"bus\" is in the core plan and does not exist");
        let error = crew(agents(), &[]).unwrap_err();
        assert_eq!(error.to_string(), "agent \"feed\" is not in the core plan");
        assert_eq!(log.lock().unwrap()[..], ["feed dropped"; 2]);
    }

    #[test]
    fn an_agent_that_is_stuck_is_named_with_its_thread_and_can_be_waited_for_again() {
        let (agent, has_begun, let_go) = stuck("risk");
        let others = [Scripted::new("feed", 3, &Log::default())];
        let agents = others.into_iter().chain([agent]).collect();
        let mut crew = crew(agents, &["feed", "risk"]).unwrap();
        has_begun.recv().unwrap();
        let error = crew.join_within(SHORT).unwrap_err();
        let thread = format!("core-{}", plan(&["feed", "risk"]).core_of("risk").unwrap());
        let named = StuckAgent { thread: thread.clone(), agent: Some("risk".into()) };
        assert!(error.stuck.contains(&named), "{error}");
        assert!(error.to_string().contains(&format!("agent risk on thread {thread}")), "{error}");
        let_go.send(()).unwrap();
        crew.join_within(LONG).unwrap();
    }

    #[test]
    fn an_agent_that_never_finishes_is_stopped_without_being_called_stuck_in_a_turn() {
        let mut crew =
            crew(vec![Scripted::new("feed", u64::MAX, &Log::default())], &["feed"]).unwrap();
        let error = crew.join_within(SHORT).unwrap_err();
        assert_eq!(error.stuck.len(), 1);
        crew.request_stop();
        crew.join_within(LONG).unwrap();
    }

    #[test]
    fn a_crew_of_nobody_is_joined_at_once() {
        crew(Vec::new(), &[]).unwrap().join_within(Duration::ZERO).unwrap();
    }

    #[test]
    fn waiting_for_a_stuck_agent_leaves_the_core_to_others() {
        let (agent, has_begun, let_go) = stuck("risk");
        let mut crew = crew(vec![agent], &["risk"]).unwrap();
        has_begun.recv().unwrap();
        let timeout = Duration::from_millis(300);
        let before = own_cpu_time();
        crew.join_within(timeout).unwrap_err();
        let used = own_cpu_time() - before;
        assert!(used < timeout / 5, "{used:?} of processor time in a wait of {timeout:?}");
        let_go.send(()).unwrap();
        crew.join_within(LONG).unwrap();
    }

    /// Processor time of this thread so far: user and system, in ticks of 10 ms.
    fn own_cpu_time() -> Duration {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let ticks = after_name.split_whitespace().skip(11).take(2);
        Duration::from_millis(ticks.map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum())
    }
}
