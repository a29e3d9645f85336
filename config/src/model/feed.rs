//! One feed: `[[feed]]` with `[feed.generator]`.

use std::path::PathBuf;

use jiff::civil::Date;

/// The wire format of a feed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// NASDAQ TotalView-ITCH 5.0.
    Itch50,
}

impl Protocol {
    /// Every protocol with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 1] = [("itch50", Self::Itch50)];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Itch50 => "itch50",
        }
    }
}

/// Where the bytes of a feed come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeedSource {
    /// A synthetic market. It counts as live: it does not wait.
    Generator(GeneratorConfig),
    /// A capture.
    File {
        /// The file; a relative path starts at the working directory.
        path: PathBuf,
        /// The session date, where the configuration gives one.
        date: Option<Date>,
    },
}

impl FeedSource {
    /// Whether the source goes on without waiting for who reads it.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::Generator(_))
    }
}

/// `[feed.generator]`: a synthetic market.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GeneratorConfig {
    /// How many instruments it lists, 1 to 65,535. Default: 8,000.
    pub symbols: u16,
    /// The same seed gives the same messages. Default: 1.
    pub seed: u64,
    /// How fast it sends, messages per second, at least 1. Default: 100,000.
    pub rate_per_s: u64,
    /// How many orders stand in the books once it is warm; None leaves it to the generator.
    pub live_orders: Option<usize>,
}

impl GeneratorConfig {
    /// The most that `rate` may be, messages per second.
    pub const RATE_PER_S_MAX: u64 = 100_000_000;
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        Self { symbols: 8_000, seed: 1, rate_per_s: 100_000, live_orders: None }
    }
}

/// Whether the venue's test instruments give quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TestSymbols {
    /// They do not.
    Exclude,
    /// They do, as any other.
    Include,
}

impl TestSymbols {
    /// Every choice with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 2] =
        [("exclude", Self::Exclude), ("include", Self::Include)];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::Include => "include",
        }
    }
}

/// What a feed does when the ring to the bus is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// The new quote is dropped and counted.
    DropNewest,
    /// The feed waits until there is room.
    Block,
}

impl WhenFull {
    /// Every choice with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 2] =
        [("drop_newest", Self::DropNewest), ("block", Self::Block)];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DropNewest => "drop_newest",
            Self::Block => "block",
        }
    }
}

/// `[[feed]]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedConfig {
    /// Its name in output and metrics: `[a-z0-9_-]+`, unique among the feeds.
    pub name: String,
    /// Its venue, the second word of its topics: `[A-Z0-9_]+`.
    pub venue: String,
    /// The wire format.
    pub protocol: Protocol,
    /// Where the bytes come from.
    pub source: FeedSource,
    /// The IANA name of the zone of the venue's local times; a known one. Default:
    /// America/New_York.
    pub time_zone: String,
    /// How far a venue's time may lie ahead of the engine clock, ns. Default: 100 ms.
    pub future_limit_ns: u64,
    /// How many quotes the ring to the bus holds, at least 1. Default: 65,536.
    pub ingress_capacity: usize,
    /// How many live orders the order store is sized for, at least 1. Default: 1,000,000.
    pub orders_expected: usize,
    /// Whether test instruments give quotes. Default: exclude.
    pub test_symbols: TestSymbols,
    /// What the feed does when the ring to the bus is full. Default: drop the newest.
    pub when_full: WhenFull,
}

impl FeedConfig {
    /// How many feeds one engine can carry.
    pub const COUNT_MAX: usize = 1024;
    /// The default of `time_zone`.
    pub const TIME_ZONE_DEFAULT: &'static str = "America/New_York";
    /// The default of `future_limit`, ns.
    pub const FUTURE_LIMIT_NS_DEFAULT: u64 = 100_000_000;
    /// The default of `ingress_capacity`, quotes.
    pub const INGRESS_CAPACITY_DEFAULT: usize = 65_536;
    /// The most that `ingress_capacity` may be, quotes: 1 GiB.
    pub const INGRESS_CAPACITY_MAX: usize = 1 << 24;
    /// The default of `orders_expected`.
    pub const ORDERS_EXPECTED_DEFAULT: usize = 1_000_000;
    /// The most that `orders_expected` and `live_orders` may be.
    pub const ORDERS_LIMIT: usize = 1 << 28;
}
