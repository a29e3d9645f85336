//! What is measured, and how much of it.

use serde::{Deserialize, Serialize};

/// A group of rows that are measured together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// ITCH bytes to fields.
    Decode,
    /// Decode, book and quote.
    Book,
    /// The same by type of message.
    BookByType,
    /// Book layouts that lost.
    BookLayouts,
    /// Memory of the books and of the whole engine.
    Memory,
    /// From one core to another.
    Hop,
    /// From one core to four lanes on another.
    FanOut,
    /// The freshness gate.
    Gate,
    /// The latency histograms.
    Recorder,
    /// Decode to consumer.
    WholePath,
    /// What stopped consumers cost.
    FrozenLanes,
}

impl Suite {
    /// Every suite with its name and its title, in the order of the results.
    pub const ALL: [(Self, &'static str, &'static str); 11] = [
        (Self::Decode, "decode", "ITCH 5.0 decode"),
        (Self::Book, "book", "Decode, book and quote"),
        (Self::BookByType, "book-by-type", "Decode, book and quote by type of message"),
        (Self::BookLayouts, "book-layouts", "Book layouts, one stream of operations through each"),
        (Self::Memory, "memory", "Memory"),
        (Self::Hop, "hop", "One hop between two cores"),
        (Self::FanOut, "fan-out", "Fan-out 1 → 4, one thread polls all four lanes"),
        (Self::Gate, "gate", "Freshness gate"),
        (Self::Recorder, "recorder", "Latency histograms"),
        (Self::WholePath, "whole-path", "Whole path"),
        (Self::FrozenLanes, "frozen-lanes", "Frozen lanes"),
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(suite, ..)| *suite == self).map_or("", |(_, name, _)| name)
    }

    /// The suite of that name.
    ///
    /// # Errors
    /// A sentence with all the names where there is none such.
    pub fn from_name(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(|(_, name, _)| name).join(", ");
        let found = Self::ALL.into_iter().find(|(_, name, _)| *name == text);
        found
            .map(|(suite, ..)| suite)
            .ok_or_else(|| format!("no such suite; there are {}", names()))
    }
}

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// For results that are kept.
    Full,
    /// For a look while something is being changed.
    Quick,
    /// For a test that the harness works; the figures say nothing.
    Tiny,
}

impl Scale {
    /// Rounds of a comparison on one core.
    #[must_use]
    pub const fn rounds(self) -> usize {
        match self {
            Self::Full => 7,
            Self::Quick => 5,
            Self::Tiny => 1,
        }
    }

    /// Rounds of a comparison on two cores, of each distance: more, since some are lost.
    #[must_use]
    pub const fn pair_rounds(self) -> usize {
        match self {
            Self::Full => 15,
            Self::Quick => 5,
            Self::Tiny => 1,
        }
    }

    /// Symbols, messages and live orders of the market.
    #[must_use]
    pub const fn market(self) -> (u16, u64, u32) {
        match self {
            Self::Full => (8_000, 8_000_000, 600_000),
            Self::Quick => (8_000, 2_000_000, 250_000),
            Self::Tiny => (50, 20_000, 2_000),
        }
    }

    /// Symbols, messages and live orders of the market that the memory is measured with.
    #[must_use]
    pub const fn crowded_market(self) -> (u16, u64, u32) {
        match self {
            Self::Full | Self::Quick => (8_000, 5_000_000, 2_100_000),
            Self::Tiny => (50, 20_000, 5_000),
        }
    }

    /// Slices that the market is cut into.
    #[must_use]
    pub const fn slices(self) -> usize {
        match self {
            Self::Full => 42,
            Self::Quick => 15,
            Self::Tiny => 3,
        }
    }

    /// Slices that two books go through in one turn. Two books of half a million orders evict each
    /// other from the caches, so short turns would measure the refill.
    #[must_use]
    pub const fn slices_of_turn(self) -> usize {
        match self {
            Self::Full => 3,
            Self::Quick | Self::Tiny => 1,
        }
    }

    /// Time that one throughput run on two cores should take, ns.
    #[must_use]
    pub const fn run_ns(self) -> u64 {
        match self {
            Self::Full => 25_000_000,
            Self::Quick => 15_000_000,
            Self::Tiny => 100_000,
        }
    }

    /// Quotes of one paced run: of 80 ms at 100,000/s, since the cores move within less than a
    /// second.
    #[must_use]
    pub const fn paced_quotes(self) -> u64 {
        match self {
            Self::Full => 8_000,
            Self::Quick => 5_000,
            Self::Tiny => 50,
        }
    }

    /// Slices of a micro comparison on one core, each of some 100 µs.
    #[must_use]
    pub const fn micro_slices(self) -> usize {
        match self {
            Self::Full => 4_200,
            Self::Quick => 500,
            Self::Tiny => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_suite_and_to_nothing_else() {
        for (suite, name, _) in Suite::ALL {
            assert_eq!((Suite::from_name(name), suite.name()), (Ok(suite), name));
            assert_eq!(serde_json::to_string(&suite).unwrap(), format!("\"{name}\""));
        }
        assert!(Suite::from_name("hops").unwrap_err().contains("hop, fan-out"));
    }
}
