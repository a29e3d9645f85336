//! What a core polls.

/// A stage of the data path that a pinned thread polls.
///
/// One turn (a duty cycle) does bounded work and returns how much; it never blocks, and after
/// warm-up it neither allocates, locks nor logs.
pub trait Agent: Send {
    /// A stable name for metrics, logs and panics.
    fn name(&self) -> &str;

    /// One duty cycle. Returns the work count: 0 means that nothing was there to do.
    fn do_work(&mut self) -> usize;

    /// Whether there will never be work again: its input has ended and is drained. A runner then
    /// calls [`Agent::on_close`] and drops the agent, by which the next stage learns of the end.
    fn is_finished(&self) -> bool {
        false
    }

    /// Called once, after the last duty cycle.
    fn on_close(&mut self) {}
}

/// What a core does when a whole turn over its agents did nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdlePolicy {
    /// Spin with a pause hint: the lowest latency, one core burnt.
    Spin,
    /// Spin briefly, then yield to the scheduler: for cores shared with other threads.
    Yield,
    /// Spin, then yield, then sleep in growing steps up to 1 ms.
    Backoff,
    /// Sleep 1 ms at once: for cold agents.
    Park,
}

impl IdlePolicy {
    /// Every policy with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("spin", Self::Spin),
        ("yield", Self::Yield),
        ("backoff", Self::Backoff),
        ("park", Self::Park),
    ];

    /// The policy of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, policy)| policy)
    }

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spin => "spin",
            Self::Yield => "yield",
            Self::Backoff => "backoff",
            Self::Park => "park",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_policy_names_round_trip() {
        for (name, policy) in IdlePolicy::NAMES {
            assert_eq!(policy.name(), name);
            assert_eq!(IdlePolicy::from_name(name), Some(policy));
        }
        assert_eq!(IdlePolicy::from_name("busy"), None);
    }
}
