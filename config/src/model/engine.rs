//! The engine as a whole: `[engine]` and `[admin]`.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use freshlane_quote::{IdlePolicy, SymbolDirectory};

/// Which cores the hot threads may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cores {
    /// The runner chooses among those that the process may run on.
    Auto,
    /// These, each once, at least one. Whether the host grants them, only
    /// [`Config::check_cores`](crate::Config::check_cores) can tell.
    Listed(Vec<usize>),
}

/// Where engine time comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockSource {
    /// The time stamp counter where it is trustworthy, else the operating system's clock.
    Auto,
    /// The processor's time stamp counter.
    Tsc,
    /// The operating system's clock.
    Os,
}

impl ClockSource {
    /// Every source with its name in the configuration.
    pub const NAMES: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("tsc", Self::Tsc), ("os", Self::Os)];

    /// The name in the configuration.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tsc => "tsc",
            Self::Os => "os",
        }
    }
}

/// `[engine]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineConfig {
    /// Which cores the hot threads may use. Default: auto.
    pub cores: Cores,
    /// What a hot thread does after a turn without work. Default: backoff.
    pub idle: IdlePolicy,
    /// Where engine time comes from. Default: auto.
    pub clock: ClockSource,
    /// How long the engine may take to drain and stop, ns. Default: 2 s.
    pub shutdown_timeout_ns: u64,
    /// How many instruments the symbol directory holds, at least 1. Default: 131,072.
    pub instruments_max: usize,
}

impl EngineConfig {
    /// The default of `shutdown_timeout`, ns.
    pub const SHUTDOWN_TIMEOUT_NS_DEFAULT: u64 = 2_000_000_000;
    /// The most that `instruments_max` may be.
    pub const INSTRUMENTS_LIMIT: usize = 1 << 24;
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            cores: Cores::Auto,
            idle: IdlePolicy::Backoff,
            clock: ClockSource::Auto,
            shutdown_timeout_ns: Self::SHUTDOWN_TIMEOUT_NS_DEFAULT,
            instruments_max: SymbolDirectory::CAPACITY_DEFAULT,
        }
    }
}

/// `[admin]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AdminConfig {
    /// Whether the admin port is opened. Default: true.
    pub enabled: bool,
    /// Where it is opened; a loopback address. Default: 127.0.0.1:7373.
    pub listen: SocketAddr,
}

impl Default for AdminConfig {
    fn default() -> Self {
        let listen = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7373);
        Self { enabled: true, listen: SocketAddr::V4(listen) }
    }
}
