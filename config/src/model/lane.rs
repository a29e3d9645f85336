//! One lane: `[[lane]]` with `[lane.consumer]`.

/// What happens to a quote that meets a full lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// The newest always gets in, the oldest go. Not available yet.
    DropOldest,
    /// A full lane refuses the new one.
    DropNewest,
    /// While full, the latest quote per instrument is kept. Not available yet.
    Conflate,
    /// Never a queue: always the newest quote of each changed instrument. Not available yet.
    Latest,
    /// The bus waits until there is room. Lossless, and the only one that may slow the bus.
    Block,
}

impl Overflow {
    /// Every policy with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("drop_newest", Self::DropNewest),
        ("block", Self::Block),
        ("drop_oldest", Self::DropOldest),
        ("conflate", Self::Conflate),
        ("latest", Self::Latest),
    ];

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

    /// Whether this version has it. A validated configuration holds no other.
    #[must_use]
    pub const fn is_available(self) -> bool {
        matches!(self, Self::DropNewest | Self::Block)
    }
}

/// What reads a lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConsumerKind {
    /// Spends the service time on each quote.
    Work,
}

impl ConsumerKind {
    /// Every kind with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 1] = [("work", Self::Work)];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
        }
    }
}

/// `[lane.consumer]`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConsumerConfig {
    /// What it is. Default: work.
    pub kind: ConsumerKind,
    /// How long it works on one quote, ns. Default: 0.
    pub service_time_ns: u64,
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self { kind: ConsumerKind::Work, service_time_ns: 0 }
    }
}

/// `[[lane]]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneConfig {
    /// Its name in output and metrics: `[a-z0-9_-]+`, unique among the lanes.
    pub name: String,
    /// The age beyond which a quote is of no use, ns, above 0; None never expires anything.
    pub ttl_ns: Option<u64>,
    /// What is left of the TTL at hand-over at the least, ns; below the TTL. Default: 50 ms, at
    /// most a quarter of the TTL. 0 where the TTL is off.
    pub margin_ns: u64,
    /// How many quotes it holds, at least 1.
    pub capacity: usize,
    /// What happens to a quote that meets a full lane. Default: drop the newest.
    pub overflow: Overflow,
    /// Whether `block` is permitted although a live feed is behind it. Default: false.
    pub allow_block_live: bool,
    /// Topic patterns of what it takes, at least one. Default: `market-data.#`.
    pub topics: Vec<String>,
    /// Topic patterns of what it does not take although `topics` selects it. Default: none.
    pub exclude: Vec<String>,
    /// How many quotes it is expected to take, quotes per second, at least 1.
    pub expected_rate_per_s: Option<u64>,
    /// What reads it.
    pub consumer: ConsumerConfig,
}

impl LaneConfig {
    /// How many lanes one engine can carry: the bits of an instrument's lane mask, but for the one that marks an
    /// instrument as not yet routed.
    pub const COUNT_MAX: usize = 63;
    /// The default of `margin` for a TTL of 200 ms and more, ns.
    pub const MARGIN_NS_DEFAULT: u64 = 50_000_000;
    /// The most that `capacity` may be, quotes: 1 GiB.
    pub const CAPACITY_MAX: usize = 1 << 24;
    /// The most that `expected_rate` may be, quotes per second.
    pub const EXPECTED_RATE_PER_S_MAX: u64 = 1_000_000_000;
    /// The pattern that selects every instrument.
    pub const TOPIC_ALL: &'static str = "market-data.#";

    /// The margin of a lane that gives none, ns. A short TTL is not refused for a default.
    #[must_use]
    pub fn margin_ns_default(ttl_ns: Option<u64>) -> u64 {
        ttl_ns.map_or(0, |ttl_ns| Self::MARGIN_NS_DEFAULT.min(ttl_ns / 4))
    }

    /// The age up to which a quote is handed over: TTL minus margin, ns. None where nothing
    /// expires.
    #[must_use]
    pub fn age_ns_max(&self) -> Option<u64> {
        self.ttl_ns.map(|ttl_ns| ttl_ns.saturating_sub(self.margin_ns))
    }
}
