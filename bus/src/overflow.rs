//! What a full lane does.

/// What happens to a quote that meets a full lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverflowPolicy {
    /// The newest always gets in, the oldest go.
    DropOldest,
    /// A full lane refuses the new one.
    DropNewest,
    /// While full, the latest quote per instrument is kept, in first-dirty order.
    Conflate,
    /// Never a queue: the consumer always gets the newest quote of each changed instrument.
    Latest,
    /// The bus waits until there is room: lossless, and the only policy that may slow the bus.
    Block,
}

impl OverflowPolicy {
    /// Every policy with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("drop_oldest", Self::DropOldest),
        ("drop_newest", Self::DropNewest),
        ("conflate", Self::Conflate),
        ("latest", Self::Latest),
        ("block", Self::Block),
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
            Self::DropOldest => "drop_oldest",
            Self::DropNewest => "drop_newest",
            Self::Conflate => "conflate",
            Self::Latest => "latest",
            Self::Block => "block",
        }
    }

    /// Whether a lane with this policy can be made.
    #[must_use]
    pub const fn is_supported(self) -> bool {
        matches!(self, Self::DropNewest | Self::Block)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn overflow_policy_names_round_trip() {
        for (name, policy) in OverflowPolicy::NAMES {
            assert_eq!(policy.name(), name);
            assert_eq!(OverflowPolicy::from_name(name), Some(policy));
        }
        assert_eq!(OverflowPolicy::from_name("drop-newest"), None);
    }
}
