//! The running engine: clock, threads, and an end in data order.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use freshlane_config::{ClockSource, Config, Cores, LaneConfig};
use freshlane_consumers::Consumer;
use freshlane_quote::EngineClock;
use freshlane_quote::clock::{ClockHints, ClockMode, ClockReport, Timekeeper, TscUnusable};

use crate::runtime::{
    AgentSpec, AllowedCores, CoreChoice, CorePlan, CoresUnknown, CpuQuota, Crew, CrewError,
    PlanError, StuckAgents,
};
use crate::telemetry::Telemetry;
use crate::topology::{self, BuildError};
use freshlane_feed_handlers::feed::StopSignal;

/// Where the kernel says what it keeps time by.
const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// How often the timekeeper is polled.
const TIMEKEEPER_PERIOD: Duration = Duration::from_millis(1);
/// The share of the shutdown timeout after which lanes that are still draining are stopped.
const DRAIN_SHARE: u32 = 4;

/// Why the engine does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The clock that the configuration asks for cannot be had.
    #[error(transparent)]
    Clock(#[from] TscUnusable),
    /// The stages cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Nobody knows which cores this process may use.
    #[error(transparent)]
    Cores(#[from] CoresUnknown),
    /// The agents cannot be placed on cores.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The threads cannot be started.
    #[error(transparent)]
    Crew(#[from] CrewError),
    /// The timekeeper's thread cannot be started.
    #[error("cannot start the timekeeper's thread: {0}")]
    Timekeeper(std::io::Error),
}

/// A running engine. Dropping it stops the clock's thread, not the agents: call [`Engine::stop`].
#[derive(Debug)]
pub struct Engine {
    crew: Crew,
    telemetry: Telemetry,
    stop: StopSignal,
    clock: EngineClock,
    clock_report: ClockReport,
    shutdown_timeout: Duration,
    _timekeeper: TimekeeperThread,
}

impl Engine {
    /// Starts the engine with the consumers that the configuration asks for.
    ///
    /// # Errors
    /// [`StartError`]; nothing keeps running then.
    pub fn start(config: &Config) -> Result<Self, StartError> {
        Self::start_with(config, topology::configured_consumer)
    }

    /// Starts the clock, builds the stages and starts their threads; `consumer_of` makes each
    /// lane's consumer, and is where a strategy of one's own comes in.
    ///
    /// # Errors
    /// [`StartError`]; nothing keeps running then.
    pub fn start_with<K: Consumer + 'static>(
        config: &Config,
        consumer_of: impl FnMut(&LaneConfig, &EngineClock) -> K,
    ) -> Result<Self, StartError> {
        let allowed = AllowedCores::of_process()?;
        let hints = ClockHints { kernel_clocksource: fs::read_to_string(CLOCKSOURCE).ok() };
        let mode = match config.engine.clock {
            ClockSource::Auto => ClockMode::Auto,
            ClockSource::Tsc => ClockMode::Tsc,
            ClockSource::Os => ClockMode::Os,
        };
        let (clock, timekeeper, clock_report) = EngineClock::start(mode, &hints)?;
        let live = topology::live(config, &clock, consumer_of)?;
        let names: Vec<String> = live.agents.iter().map(|agent| agent.name().to_owned()).collect();
        let plan = plan(config, &allowed, &names)?;
        // The timekeeper first: its thread must not inherit a pin, and the tick must move before
        // any gate relies on it.
        let timekeeper = TimekeeperThread::start(timekeeper).map_err(StartError::Timekeeper)?;
        let crew = Crew::start(&plan, config.engine.idle, live.agents)?;
        Ok(Self {
            crew,
            telemetry: live.telemetry,
            stop: live.stop,
            clock,
            clock_report,
            shutdown_timeout: Duration::from_nanos(config.engine.shutdown_timeout_ns),
            _timekeeper: timekeeper,
        })
    }

    /// The counters.
    #[must_use]
    pub fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }

    /// A handle of the engine clock for another thread.
    #[must_use]
    pub fn clock(&self) -> EngineClock {
        self.clock.clone()
    }

    /// What the clock counts by, and why.
    #[must_use]
    pub fn clock_report(&self) -> &ClockReport {
        &self.clock_report
    }

    /// The threads with their cores and agents.
    #[must_use]
    pub fn crew(&self) -> &Crew {
        &self.crew
    }

    /// Whether every agent has ended by itself: all inputs were files, and they are through.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.crew.threads().iter().all(|thread| thread.has_ended())
    }

    /// Stops in data order: feeds take nothing in any more, the bus passes on what it has, lanes
    /// drain. After three quarters of the shutdown timeout lanes that are still draining are
    /// stopped; what is left in them counts as dropped by `shutdown`.
    ///
    /// # Errors
    /// [`StuckAgents`] names the agents that did not come back within the timeout.
    pub fn stop(&mut self) -> Result<(), StuckAgents> {
        self.stop.stop();
        let grace = self.shutdown_timeout / DRAIN_SHARE;
        if self.crew.join_within(self.shutdown_timeout - grace).is_ok() {
            return Ok(());
        }
        for lane in &self.telemetry.lanes {
            lane.lane().stop();
        }
        self.crew
            .join_within(grace)
            .map_err(|stuck| StuckAgents { timeout: self.shutdown_timeout, ..stuck })
    }
}

fn plan(config: &Config, allowed: &AllowedCores, names: &[String]) -> Result<CorePlan, PlanError> {
    let choice = match &config.engine.cores {
        Cores::Auto => CoreChoice::Auto,
        Cores::Listed(cores) => CoreChoice::Only(cores.clone()),
    };
    let agents: Vec<_> = names.iter().map(|name| AgentSpec { name, core: None }).collect();
    CorePlan::new(allowed, CpuQuota::of_process(), &choice, &agents)
}

/// The cold thread that keeps the clock.
#[derive(Debug)]
struct TimekeeperThread {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TimekeeperThread {
    fn start(mut timekeeper: Timekeeper) -> std::io::Result<Self> {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        timekeeper.poll();
        let thread = thread::Builder::new().name("timekeeper".into()).spawn(move || {
            while !over.load(Ordering::Relaxed) {
                if let Some(event) = timekeeper.poll() {
                    tracing::warn!("clock: {event:?}");
                }
                pause(TIMEKEEPER_PERIOD);
            }
        })?;
        Ok(Self { is_over, thread: Some(thread) })
    }
}

impl Drop for TimekeeperThread {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the timekeeper has been printed; there is nothing to add at the end.
            let _ = thread.join();
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a cold thread that has nothing to do")]
fn pause(duration: Duration) {
    thread::sleep(duration);
}
