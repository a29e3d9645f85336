//! Threads and cores: which agent runs where, and what keeps it running.
//!
//! [`AllowedCores`] says what this process may use, [`CorePlan`] gives every agent a core, a
//! [`Crew`] starts one pinned thread for each of them, and an [`Idle`] decides what a thread does
//! when there is nothing to do.

mod cores;
mod crew;
mod idle;
mod plan;
mod quota;
mod runner;
#[cfg(test)]
mod scripted;
mod thread;

pub use cores::{AllowedCores, CoresUnknown};
pub use crew::{Crew, CrewError, StuckAgent, StuckAgents};
pub use idle::Idle;
pub use plan::{AgentSpec, CoreChoice, CorePlan, PlanError, PlannedThread};
pub use quota::CpuQuota;
pub use thread::{CoreThread, Departure, Ending, PinOutcome, ThreadStats};
