//! Every table and key that a configuration may hold, with unit, default and meaning.
//!
//! The reader refuses what does not stand here; `config/README.md` is this list in prose, and a
//! test keeps the two equal.

/// What happens when a key is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absence {
    /// The configuration is refused.
    Required,
    /// This value is used, as one would write it in TOML.
    Default(&'static str),
    /// What it means, in words.
    Means(&'static str),
}

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    /// Its name.
    pub name: &'static str,
    /// What may be written, with its unit.
    pub value: &'static str,
    /// What happens when it is left out.
    pub absence: Absence,
    /// What it does.
    pub meaning: &'static str,
}

/// One table.
#[derive(Clone, Copy, Debug)]
pub struct TableSpec {
    /// Its header as written: `[engine]`, `[[lane]]`. The top level has none.
    pub header: &'static str,
    /// Its keys, tables inside it not among them.
    pub keys: &'static [KeySpec],
    /// The tables inside it, by the last word of their header.
    pub tables: &'static [(&'static str, Absence)],
}

impl TableSpec {
    /// The key of that name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static KeySpec> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Every name that may stand in this table: its keys, then its tables.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let keys = self.keys.iter().map(|key| key.name);
        keys.chain(self.tables.iter().map(|(name, _)| *name))
    }

    /// Those of [`TableSpec::names`] that must stand in it.
    pub fn required_names(&self) -> impl Iterator<Item = &'static str> {
        let keys = self.keys.iter().map(|key| (key.name, key.absence));
        let all = keys.chain(self.tables.iter().copied());
        all.filter(|(_, absence)| *absence == Absence::Required).map(|(name, _)| name)
    }

    /// The table in words, for messages.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        if self.is_root() { "the top level" } else { self.header }
    }

    /// Whether this is the top level.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        self.header.is_empty()
    }
}

/// The top level: tables only.
pub static ROOT: TableSpec = TableSpec {
    header: "",
    keys: &[],
    tables: &[
        ("engine", Absence::Means("its defaults")),
        ("admin", Absence::Means("its defaults")),
        ("feed", Absence::Required),
        ("lane", Absence::Required),
    ],
};

/// `[engine]`
pub static ENGINE: TableSpec = TableSpec {
    header: "[engine]",
    keys: &[
        KeySpec {
            name: "cores",
            value: "`\"auto\"`, or a list of core numbers such as `[2, 4]`",
            absence: Absence::Default("\"auto\""),
            meaning: "Which cores the hot threads may use. `auto` chooses among the cores that the process may run on. A core listed twice is refused; a core that this host does not grant is refused at the start.",
        },
        KeySpec {
            name: "idle",
            value: "`\"spin\"`, `\"yield\"`, `\"backoff\"` or `\"park\"`",
            absence: Absence::Default("\"backoff\""),
            meaning: "What a hot thread does after a turn without work: spin (lowest latency, one core burnt), spin then yield, spin then yield then sleep up to 1 ms, or sleep 1 ms at once.",
        },
        KeySpec {
            name: "clock",
            value: "`\"auto\"`, `\"tsc\"` or `\"os\"`",
            absence: Absence::Default("\"auto\""),
            meaning: "The source of engine time: the processor's time stamp counter, the operating system's clock, or the counter where it is trustworthy and else the system's.",
        },
        KeySpec {
            name: "shutdown_timeout",
            value: "duration",
            absence: Absence::Default("\"2s\""),
            meaning: "How long the engine may take to drain and stop before it gives up on the consumers that do not answer.",
        },
        KeySpec {
            name: "instruments_max",
            value: "instruments, 1 to 16777216",
            absence: Absence::Default("131072"),
            meaning: "How many instruments the symbol directory holds, over all venues.",
        },
    ],
    tables: &[],
};

/// `[admin]`
pub static ADMIN: TableSpec = TableSpec {
    header: "[admin]",
    keys: &[
        KeySpec {
            name: "enabled",
            value: "`true` or `false`",
            absence: Absence::Default("true"),
            meaning: "Whether the admin port is opened at all.",
        },
        KeySpec {
            name: "listen",
            value: "`\"ADDRESS:PORT\"` on the loopback interface",
            absence: Absence::Default("\"127.0.0.1:7373\""),
            meaning: "Where metrics and administration are served. Only loopback addresses are accepted, as there is no authentication yet. Port 0 takes any free port.",
        },
    ],
    tables: &[],
};

/// `[[feed]]`
pub static FEED: TableSpec = TableSpec {
    header: "[[feed]]",
    keys: &[
        KeySpec {
            name: "name",
            value: "text of `a-z`, `0-9`, `_` and `-`, at most 64 characters",
            absence: Absence::Required,
            meaning: "The feed's name in output and metrics; no two feeds have the same.",
        },
        KeySpec {
            name: "venue",
            value: "text of `A-Z`, `0-9` and `_`, at most 32 characters",
            absence: Absence::Required,
            meaning: "The venue, the second word of its topics. Feeds may share a venue; at most 64 different ones.",
        },
        KeySpec {
            name: "protocol",
            value: "`\"itch50\"`",
            absence: Absence::Required,
            meaning: "The wire format.",
        },
        KeySpec {
            name: "source",
            value: "`\"generator\"` or `\"file\"`",
            absence: Absence::Required,
            meaning: "Where the bytes come from: a synthetic market, which counts as live, or a captured file.",
        },
        KeySpec {
            name: "file",
            value: "path",
            absence: Absence::Means("required with `source = \"file\"`, refused otherwise"),
            meaning: "The capture, raw or compressed. A relative path starts at the working directory.",
        },
        KeySpec {
            name: "date",
            value: "`\"YYYY-MM-DD\"`",
            absence: Absence::Means("the date in the file's name, else today in the time zone"),
            meaning: "The session date of the capture. Only with `source = \"file\"`.",
        },
        KeySpec {
            name: "time_zone",
            value: "IANA time zone name",
            absence: Absence::Default("\"America/New_York\""),
            meaning: "The zone of the venue's local times.",
        },
        KeySpec {
            name: "future_limit",
            value: "duration",
            absence: Absence::Default("\"100ms\""),
            meaning: "How far a venue's time may lie ahead of the engine clock; a quote beyond it is refused and counted as `future`.",
        },
        KeySpec {
            name: "ingress_capacity",
            value: "quotes, 1 to 16777216",
            absence: Absence::Default("65536"),
            meaning: "How many quotes the ring between this feed and the bus holds (64 bytes each).",
        },
        KeySpec {
            name: "orders_expected",
            value: "orders, 1 to 268435456",
            absence: Absence::Default("1000000"),
            meaning: "How many live orders the order store is sized for.",
        },
        KeySpec {
            name: "test_symbols",
            value: "`\"exclude\"` or `\"include\"`",
            absence: Absence::Default("\"exclude\""),
            meaning: "Whether the venue's test instruments give quotes.",
        },
        KeySpec {
            name: "when_full",
            value: "`\"drop_newest\"` or `\"block\"`",
            absence: Absence::Default("\"drop_newest\""),
            meaning: "What the feed does when the ring to the bus is full: drop the new quote and count it, or wait.",
        },
    ],
    tables: &[("generator", Absence::Means("its defaults; only with `source = \"generator\"`"))],
};

/// `[feed.generator]`
pub static GENERATOR: TableSpec = TableSpec {
    header: "[feed.generator]",
    keys: &[
        KeySpec {
            name: "symbols",
            value: "symbols, 1 to 65535",
            absence: Absence::Default("8000"),
            meaning: "How many instruments the synthetic market lists.",
        },
        KeySpec {
            name: "seed",
            value: "whole number, 0 to 9223372036854775807",
            absence: Absence::Default("1"),
            meaning: "The same seed gives the same messages.",
        },
        KeySpec {
            name: "rate",
            value: "messages per second, 1 to 100000000",
            absence: Absence::Default("100000"),
            meaning: "How fast the market sends.",
        },
        KeySpec {
            name: "live_orders",
            value: "orders, 1 to 268435456",
            absence: Absence::Means("the generator's own choice"),
            meaning: "How many orders stand in the books once the market is warm.",
        },
    ],
    tables: &[],
};

/// `[[lane]]`
pub static LANE: TableSpec = TableSpec {
    header: "[[lane]]",
    keys: &[
        KeySpec {
            name: "name",
            value: "text of `a-z`, `0-9`, `_` and `-`, at most 64 characters",
            absence: Absence::Required,
            meaning: "The lane's name in output and metrics; no two lanes have the same. At most 63 lanes.",
        },
        KeySpec {
            name: "ttl",
            value: "duration, or `\"off\"`",
            absence: Absence::Required,
            meaning: "The age, counted from the receive time, beyond which a quote is of no use to this lane's consumer. `off` never expires anything.",
        },
        KeySpec {
            name: "margin",
            value: "duration, `\"0ms\"` for none",
            absence: Absence::Default("\"50ms\""),
            meaning: "What is left of the TTL at hand-over at the least: nothing older than TTL minus margin is handed over. It must be below the TTL. Left out, it is a quarter of the TTL where that is less than 50 ms, and nothing where the TTL is off.",
        },
        KeySpec {
            name: "capacity",
            value: "quotes, 1 to 16777216",
            absence: Absence::Required,
            meaning: "How many quotes the lane holds (64 bytes each).",
        },
        KeySpec {
            name: "overflow",
            value: "`\"drop_newest\"` or `\"block\"`; later also `\"drop_oldest\"`, `\"conflate\"` and `\"latest\"`",
            absence: Absence::Default("\"drop_newest\""),
            meaning: "What happens to a quote that meets a full lane.",
        },
        KeySpec {
            name: "allow_block_live",
            value: "`true` or `false`",
            absence: Absence::Default("false"),
            meaning: "Permits `overflow = \"block\"` on a lane that takes quotes of a live feed, where one slow consumer then stops all.",
        },
        KeySpec {
            name: "topics",
            value: "list of topic patterns",
            absence: Absence::Default("[\"market-data.#\"]"),
            meaning: "What the lane takes. A topic is `market-data.VENUE.SYMBOL`; in a pattern the word `*` stands for one word and the word `#` for any number of words.",
        },
        KeySpec {
            name: "exclude",
            value: "list of topic patterns",
            absence: Absence::Default("[]"),
            meaning: "What the lane does not take although `topics` selects it.",
        },
        KeySpec {
            name: "expected_rate",
            value: "quotes per second, 1 to 1000000000",
            absence: Absence::Means("no cross-check"),
            meaning: "How many quotes the lane is expected to take. Only for the cross-checks of capacity and service time.",
        },
    ],
    tables: &[("consumer", Absence::Means("its defaults"))],
};

/// `[lane.consumer]`
pub static CONSUMER: TableSpec = TableSpec {
    header: "[lane.consumer]",
    keys: &[
        KeySpec {
            name: "kind",
            value: "`\"work\"`",
            absence: Absence::Default("\"work\""),
            meaning: "What reads the lane. `work` spends the service time on each quote.",
        },
        KeySpec {
            name: "service_time",
            value: "duration, `\"0ns\"` for none",
            absence: Absence::Default("\"0ns\""),
            meaning: "How long the consumer works on one quote.",
        },
    ],
    tables: &[],
};

/// Every table, the top level first, in the order of the documentation.
pub static TABLES: [&TableSpec; 7] = [&ROOT, &ENGINE, &ADMIN, &FEED, &GENERATOR, &LANE, &CONSUMER];
