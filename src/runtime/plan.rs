//! Which agent runs on which core.

use super::cores::AllowedCores;
use super::quota::CpuQuota;

/// From which cores a plan chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CoreChoice {
    /// From all that this process may use, no more of them than its quota keeps running. The first
    /// one stays free for the cold path where there are more cores than agents, or at least four.
    Auto,
    /// From these, in this order.
    Only(Vec<usize>),
}

/// An agent to be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentSpec<'a> {
    /// Its name, unique within a plan.
    pub name: &'a str,
    /// The core that the configuration gives it, or any.
    pub core: Option<usize>,
}

/// One pinned thread and the agents that it polls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedThread {
    /// The core that it is pinned to.
    pub core: usize,
    /// The names of its agents in data order; at least one.
    pub agents: Vec<String>,
}

/// Which agent runs on which core: one thread per core, at least one agent per thread.
///
/// Where agents are more than cores they share, each with its neighbours in data order, so that the
/// hop between the two stays in one core's cache.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CorePlan {
    threads: Vec<PlannedThread>,
}

/// Why agents cannot be placed as asked.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// This process may not use the core, or there is no such core.
    #[error("core {core} is not one that this process may use; these are: {allowed}")]
    CoreNotAllowed {
        /// The core.
        core: usize,
        /// Those that it may use.
        allowed: AllowedCores,
    },
    /// A list of cores names one twice.
    #[error("core {core} is listed twice")]
    CoreTwice {
        /// The core.
        core: usize,
    },
    /// A list of cores is empty.
    #[error("the list of cores is empty; leave it out to choose from all of them")]
    NoCores,
    /// Two agents have one name.
    #[error("two agents are called {name:?}")]
    AgentTwice {
        /// The name.
        name: String,
    },
}

impl CorePlan {
    /// Places `agents`, which come in data order.
    ///
    /// # Errors
    /// [`PlanError`] when a core that is asked for may not be used or is listed twice, when there
    /// are no cores to choose from, or when two agents have one name.
    pub fn new(
        allowed: &AllowedCores,
        quota: Option<CpuQuota>,
        choice: &CoreChoice,
        agents: &[AgentSpec<'_>],
    ) -> Result<Self, PlanError> {
        let asked: Vec<usize> = agents.iter().filter_map(|agent| agent.core).collect();
        check_allowed(allowed, &asked)?;
        let any_count = agents.len() - asked.len();
        let pool = match choice {
            CoreChoice::Auto => auto_pool(allowed, quota, any_count, &asked),
            CoreChoice::Only(cores) => listed_pool(allowed, cores)?,
        };
        let mut shares = spread(&pool, any_count).into_iter();
        let mut plan = Self::default();
        for agent in agents {
            if let Some(core) = agent.core.or_else(|| shares.next()) {
                plan.add(core, agent.name)?;
            }
        }
        Ok(plan)
    }

    /// The threads, in the data order of their first agents.
    #[must_use]
    pub fn threads(&self) -> &[PlannedThread] {
        &self.threads
    }

    /// The core of that agent.
    #[must_use]
    pub fn core_of(&self, agent: &str) -> Option<usize> {
        let runs = |thread: &&PlannedThread| thread.agents.iter().any(|name| name == agent);
        self.threads.iter().find(runs).map(|thread| thread.core)
    }

    fn add(&mut self, core: usize, agent: &str) -> Result<(), PlanError> {
        if self.core_of(agent).is_some() {
            return Err(PlanError::AgentTwice { name: agent.into() });
        }
        match self.threads.iter_mut().find(|thread| thread.core == core) {
            Some(thread) => thread.agents.push(agent.into()),
            None => self.threads.push(PlannedThread { core, agents: vec![agent.into()] }),
        }
        Ok(())
    }
}

fn check_allowed(allowed: &AllowedCores, cores: &[usize]) -> Result<(), PlanError> {
    match cores.iter().find(|core| !allowed.contains(**core)) {
        Some(&core) => Err(PlanError::CoreNotAllowed { core, allowed: allowed.clone() }),
        None => Ok(()),
    }
}

/// From four cores on, one of them is better kept for the cold path than spun on.
const CORES_WITH_ONE_TO_SPARE: usize = 4;

fn auto_pool(
    allowed: &AllowedCores,
    quota: Option<CpuQuota>,
    agent_count: usize,
    asked: &[usize],
) -> Vec<usize> {
    let free: Vec<usize> =
        allowed.ids().iter().copied().filter(|core| !asked.contains(core)).collect();
    // With no core free, the rest share those that others asked for.
    let free = if free.is_empty() { allowed.ids().to_vec() } else { free };
    let keep_first = free.len() > agent_count || free.len() >= CORES_WITH_ONE_TO_SPARE;
    let threads_max = quota.map_or(usize::MAX, |quota| quota.cores_whole());
    let threads_asked =
        AllowedCores::of(asked.iter().copied()).map_or(0, |cores| cores.ids().len());
    let threads_left = threads_max.saturating_sub(threads_asked).max(1);
    free.into_iter().skip(usize::from(keep_first)).take(threads_left).collect()
}

fn listed_pool(allowed: &AllowedCores, cores: &[usize]) -> Result<Vec<usize>, PlanError> {
    if cores.is_empty() {
        return Err(PlanError::NoCores);
    }
    check_allowed(allowed, cores)?;
    let twice = cores.iter().enumerate().find(|(index, core)| cores[..*index].contains(core));
    match twice {
        Some((_, &core)) => Err(PlanError::CoreTwice { core }),
        None => Ok(cores.to_vec()),
    }
}

/// A core for each of `agent_count` agents: runs of neighbours, as even as can be.
fn spread(pool: &[usize], agent_count: usize) -> Vec<usize> {
    let thread_count = pool.len().min(agent_count).max(1);
    (0..agent_count)
        .filter_map(|agent| pool.get(agent * thread_count / agent_count))
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allowed(ids: &[usize]) -> AllowedCores {
        AllowedCores::of(ids.iter().copied()).unwrap()
    }

    fn anywhere<'a>(names: &[&'a str]) -> Vec<AgentSpec<'a>> {
        names.iter().map(|name| AgentSpec { name, core: None }).collect()
    }

    /// `core:agent+agent`, a thread each.
    fn shown(plan: &CorePlan) -> String {
        let threads = plan.threads().iter();
        let words = threads.map(|thread| format!("{}:{}", thread.core, thread.agents.join("+")));
        words.collect::<Vec<_>>().join(" ")
    }

    fn auto(cores: &[usize], names: &[&str]) -> String {
        shown(&CorePlan::new(&allowed(cores), None, &CoreChoice::Auto, &anywhere(names)).unwrap())
    }

    #[test]
    fn agents_are_spread_and_share_with_their_neighbours_when_cores_are_few() {
        let six = ["feed", "bus", "a", "b", "c", "d"];
        assert_eq!(auto(&[0], &six), "0:feed+bus+a+b+c+d");
        assert_eq!(auto(&[0, 1], &six), "0:feed+bus+a 1:b+c+d");
        assert_eq!(auto(&[2, 4], &["feed", "bus"]), "2:feed 4:bus");
        assert_eq!(auto(&[0, 1], &[]), "");
    }

    #[test]
    fn a_core_to_spare_is_left_to_the_cold_path() {
        assert_eq!(auto(&[0, 1, 2], &["feed", "bus"]), "1:feed 2:bus");
        assert_eq!(auto(&[0, 1, 2, 3], &["a", "b", "c", "d"]), "1:a+b 2:c 3:d");
        assert_eq!(auto(&[0, 1, 2], &["a", "b", "c"]), "0:a 1:b 2:c");
    }

    #[test]
    fn no_more_threads_spin_than_the_quota_keeps_running() {
        let quota = Some(CpuQuota { quota_us: 250_000, period_us: 100_000 });
        let agents = anywhere(&["a", "b", "c", "d"]);
        let plan = CorePlan::new(&allowed(&[0, 1, 2, 3, 4, 5]), quota, &CoreChoice::Auto, &agents)
            .unwrap();
        assert_eq!(shown(&plan), "1:a+b 2:c+d");
    }

    #[test]
    fn listed_cores_are_taken_in_their_order() {
        let choice = CoreChoice::Only(vec![4, 2]);
        let agents = anywhere(&["feed", "bus", "a"]);
        let plan = CorePlan::new(&allowed(&[2, 3, 4]), None, &choice, &agents).unwrap();
        assert_eq!(shown(&plan), "4:feed+bus 2:a");
        assert_eq!(plan.core_of("a"), Some(2));
        assert_eq!(plan.core_of("nobody"), None);
    }

    #[test]
    fn an_agent_with_a_core_of_its_own_has_it_for_itself_where_others_have_room() {
        let agents = [
            AgentSpec { name: "feed", core: Some(1) },
            AgentSpec { name: "bus", core: None },
            AgentSpec { name: "a", core: None },
        ];
        let on = |cores: &[usize]| {
            shown(&CorePlan::new(&allowed(cores), None, &CoreChoice::Auto, &agents).unwrap())
        };
        assert_eq!(on(&[0, 1, 2]), "1:feed 0:bus 2:a");
        assert_eq!(on(&[1]), "1:feed+bus+a");
    }

    #[test]
    fn a_core_that_may_not_be_used_is_refused_with_those_that_may() {
        let allowed = allowed(&[2, 4]);
        let listed = CoreChoice::Only(vec![0]);
        let error = CorePlan::new(&allowed, None, &listed, &anywhere(&["a"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "core 0 is not one that this process may use; these are: 2,4"
        );
        let asked = [AgentSpec { name: "a", core: Some(3) }];
        let error = CorePlan::new(&allowed, None, &CoreChoice::Auto, &asked).unwrap_err();
        assert_eq!(error, PlanError::CoreNotAllowed { core: 3, allowed });
    }

    #[test]
    fn lists_that_make_no_sense_are_refused() {
        let refuse = |cores: &[usize], names: &[&str]| {
            let choice = CoreChoice::Only(cores.to_vec());
            CorePlan::new(&allowed(&[0, 1]), None, &choice, &anywhere(names)).unwrap_err()
        };
        assert_eq!(refuse(&[], &["a"]), PlanError::NoCores);
        assert_eq!(refuse(&[1, 0, 1], &["a"]), PlanError::CoreTwice { core: 1 });
        assert_eq!(refuse(&[0], &["a", "a"]), PlanError::AgentTwice { name: "a".into() });
    }

    proptest! {
        #[test]
        fn every_agent_has_one_allowed_core_and_the_loads_are_even(
            cores in proptest::collection::btree_set(0..64_usize, 1..16), agent_count in 0..40_usize,
        ) {
            let allowed = AllowedCores::of(cores).unwrap();
            let names: Vec<String> = (0..agent_count).map(|n| n.to_string()).collect();
            let agents: Vec<_> = names.iter().map(|name| AgentSpec { name, core: None }).collect();
            let plan = CorePlan::new(&allowed, None, &CoreChoice::Auto, &agents).unwrap();
            let placed: Vec<&String> = plan.threads().iter().flat_map(|thread| &thread.agents).collect();
            prop_assert_eq!(placed, names.iter().collect::<Vec<_>>(), "each once, in data order");
            let loads: Vec<usize> = plan.threads().iter().map(|thread| thread.agents.len()).collect();
            prop_assert!(loads.iter().max() <= loads.iter().min().map(|min| min + 1).as_ref());
            prop_assert!(plan.threads().iter().all(|thread| allowed.contains(thread.core)));
        }
    }
}
