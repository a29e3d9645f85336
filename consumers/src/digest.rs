//! What a lane delivered, in 128 bits.

use freshlane_quote::{Clock, FeedEvent, Quote};
use xxhash_rust::xxh3::Xxh3;

use crate::consumer::{Consumer, Fresh};

/// Passes everything on to another consumer and digests it on the way: XXH3-128 over the bytes of
/// every delivered record, quotes and events, in order. Two runs that deliver the same have the same
/// digest, on any machine.
pub struct DigestConsumer<K> {
    hash: Xxh3,
    records: u64,
    inner: K,
}

impl<K> DigestConsumer<K> {
    /// A digest of what `inner` is handed.
    #[must_use]
    pub fn new(inner: K) -> Self {
        Self { hash: Xxh3::new(), records: 0, inner }
    }

    /// The digest so far, 32 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        format!("{:032x}", self.hash.digest128())
    }

    /// Records digested, quotes and events.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The consumer behind.
    #[must_use]
    pub fn inner(&self) -> &K {
        &self.inner
    }

    fn add(&mut self, record: &Quote) {
        self.hash.update(&record.to_bytes());
        self.records += 1;
    }
}

impl<K: std::fmt::Debug> std::fmt::Debug for DigestConsumer<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DigestConsumer")
            .field("hex", &self.hex())
            .field("records", &self.records)
            .field("inner", &self.inner)
            .finish()
    }
}

impl<K: Consumer> Consumer for DigestConsumer<K> {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        self.add(&quote);
        self.inner.on_quote(quote);
    }

    fn on_event(&mut self, event: FeedEvent, record: &Quote) {
        self.add(record);
        self.inner.on_event(event, record);
    }

    fn on_idle(&mut self) {
        self.inner.on_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Verdict;

    const FRESH: Verdict = Verdict { age_ns: 0, limit_ns: 0 };

    use crate::consumer::Discard;
    use freshlane_quote::SimulatedClock;

    fn digest_of(sequences: &[u64]) -> DigestConsumer<Discard> {
        let clock = SimulatedClock::at(0);
        let mut digest = DigestConsumer::new(Discard);
        for &wire_sequence in sequences {
            let quote = Quote { wire_sequence, ..Quote::EMPTY };
            digest.on_quote(Fresh { quote: &quote, verdict: FRESH, clock: &clock });
        }
        digest
    }

    #[test]
    fn the_digest_is_that_of_the_bytes_in_order() {
        let bytes: Vec<u8> = [1, 2, 3]
            .iter()
            .flat_map(|&wire_sequence| Quote { wire_sequence, ..Quote::EMPTY }.to_bytes())
            .collect();
        let digest = digest_of(&[1, 2, 3]);
        assert_eq!(digest.hex(), format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes)));
        assert_eq!(digest.records(), 3);
        assert_ne!(digest.hex(), digest_of(&[1, 3, 2]).hex());
    }

    #[test]
    fn the_digest_of_nothing_is_pinned() {
        assert_eq!(digest_of(&[]).hex(), "99aa06d3014798d86001c324468d497f");
    }

    #[test]
    fn an_event_is_part_of_it() {
        let mut digest = DigestConsumer::new(Discard);
        digest.on_event(FeedEvent::EndOfSession, &Quote::EMPTY);
        assert_eq!(digest.records(), 1);
        assert_ne!(digest.hex(), digest_of(&[]).hex());
    }
}
