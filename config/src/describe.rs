//! The effective values as text: TOML that reads back to the same configuration.

use std::fmt::{self, Formatter, Write};

use crate::config::Config;
use crate::duration::format_duration;
use crate::model::{
    AdminConfig, Cores, EngineConfig, FeedConfig, FeedSource, GeneratorConfig, LaneConfig,
};

/// Every effective value, defaults among them, as TOML; durations with a unit and, beside it, in
/// ns.
impl fmt::Display for Config {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        engine(f, &self.engine)?;
        admin(f, &self.admin)?;
        self.feeds.iter().try_for_each(|one| feed(f, one))?;
        self.lanes.iter().try_for_each(|one| lane(f, one))
    }
}

fn engine(f: &mut Formatter<'_>, engine: &EngineConfig) -> fmt::Result {
    writeln!(f, "[engine]")?;
    match &engine.cores {
        Cores::Auto => writeln!(f, "cores = \"auto\"")?,
        Cores::Listed(cores) => writeln!(f, "cores = {cores:?}")?,
    }
    writeln!(f, "idle = \"{}\"", engine.idle.name())?;
    writeln!(f, "clock = \"{}\"", engine.clock.name())?;
    duration(f, "shutdown_timeout", engine.shutdown_timeout_ns)?;
    writeln!(f, "instruments_max = {}", engine.instruments_max)
}

fn admin(f: &mut Formatter<'_>, admin: &AdminConfig) -> fmt::Result {
    writeln!(f, "\n[admin]\nenabled = {}\nlisten = \"{}\"", admin.enabled, admin.listen)
}

fn feed(f: &mut Formatter<'_>, feed: &FeedConfig) -> fmt::Result {
    writeln!(f, "\n[[feed]]\nname = \"{}\"\nvenue = \"{}\"", feed.name, feed.venue)?;
    writeln!(f, "protocol = \"{}\"", feed.protocol.name())?;
    match &feed.source {
        FeedSource::Generator(_) => writeln!(f, "source = \"generator\"")?,
        FeedSource::File { path, date } => {
            writeln!(f, "source = \"file\"\nfile = {}", Quoted(&path.to_string_lossy()))?;
            date.iter().try_for_each(|date| writeln!(f, "date = \"{date}\""))?;
        }
    }
    writeln!(f, "time_zone = {}", Quoted(&feed.time_zone))?;
    duration(f, "future_limit", feed.future_limit_ns)?;
    writeln!(f, "ingress_capacity = {}", feed.ingress_capacity)?;
    writeln!(f, "orders_expected = {}", feed.orders_expected)?;
    writeln!(f, "test_symbols = \"{}\"", feed.test_symbols.name())?;
    writeln!(f, "when_full = \"{}\"", feed.when_full.name())?;
    match &feed.source {
        FeedSource::Generator(generator) => self::generator(f, generator),
        FeedSource::File { .. } => Ok(()),
    }
}

fn generator(f: &mut Formatter<'_>, generator: &GeneratorConfig) -> fmt::Result {
    writeln!(f, "\n[feed.generator]\nsymbols = {}", generator.symbols)?;
    writeln!(f, "seed = {}\nrate = {}", generator.seed, generator.rate_per_s)?;
    generator.live_orders.iter().try_for_each(|orders| writeln!(f, "live_orders = {orders}"))
}

fn lane(f: &mut Formatter<'_>, lane: &LaneConfig) -> fmt::Result {
    writeln!(f, "\n[[lane]]\nname = \"{}\"", lane.name)?;
    match lane.ttl_ns {
        Some(ttl_ns) => duration(f, "ttl", ttl_ns)?,
        None => writeln!(f, "ttl = \"off\"")?,
    }
    duration(f, "margin", lane.margin_ns)?;
    writeln!(f, "capacity = {}\noverflow = \"{}\"", lane.capacity, lane.overflow.name())?;
    writeln!(f, "allow_block_live = {}", lane.allow_block_live)?;
    texts(f, "topics", &lane.topics)?;
    texts(f, "exclude", &lane.exclude)?;
    lane.expected_rate_per_s
        .iter()
        .try_for_each(|rate_per_s| writeln!(f, "expected_rate = {rate_per_s}"))?;
    writeln!(f, "\n[lane.consumer]\nkind = \"{}\"", lane.consumer.kind.name())?;
    duration(f, "service_time", lane.consumer.service_time_ns)
}

fn duration(f: &mut Formatter<'_>, key: &str, ns: u64) -> fmt::Result {
    let value = format!("{key} = \"{}\"", format_duration(ns));
    writeln!(f, "{value:<32} # {ns} ns")
}

fn texts(f: &mut Formatter<'_>, key: &str, texts: &[String]) -> fmt::Result {
    write!(f, "{key} = [")?;
    for (index, text) in texts.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}{}", Quoted(text))?;
    }
    writeln!(f, "]")
}

/// A text as a basic string of TOML.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{:04X}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
