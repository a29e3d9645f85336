//! What a look inside a capture wants to know and the hot path has at hand.

use super::message::MESSAGE_LEN_MAX;

/// Messages by type and the span of their times.
#[derive(Clone, Debug)]
pub struct MessageCounts {
    by_type: [u64; 256],
    /// ts_event of the first message with a plausible time, ns since the Unix epoch.
    pub first_ts_event: Option<u64>,
    /// ts_event of the last message with a plausible time, ns since the Unix epoch.
    pub last_ts_event: Option<u64>,
}

impl Default for MessageCounts {
    fn default() -> Self {
        Self { by_type: [0; 256], first_ts_event: None, last_ts_event: None }
    }
}

impl MessageCounts {
    #[inline(always)]
    pub(crate) fn count(&mut self, message_type: u8) {
        self.by_type[usize::from(message_type)] += 1;
    }

    #[inline(always)]
    pub(crate) fn see_time(&mut self, ts_event: u64) {
        if self.first_ts_event.is_none() {
            self.first_ts_event = Some(ts_event);
        }
        self.last_ts_event = Some(ts_event);
    }

    /// Each type that was seen with its count, by type byte. Unknown types are among them,
    /// messages too short for their type are not.
    pub fn by_type(&self) -> impl Iterator<Item = (u8, u64)> {
        (0..=u8::MAX).zip(self.by_type).filter(|(_, count)| *count != 0)
    }
}

/// A message that could not be decoded.
#[derive(Clone, Copy, Debug)]
pub struct RefusalSample {
    /// Its wire sequence.
    pub wire_sequence: u64,
    /// Its length, bytes.
    pub len_bytes: usize,
    start: [u8; MESSAGE_LEN_MAX],
}

impl RefusalSample {
    /// Its first bytes, at most [`MESSAGE_LEN_MAX`].
    #[must_use]
    pub fn start(&self) -> &[u8] {
        &self.start[..self.len_bytes.min(MESSAGE_LEN_MAX)]
    }
}

/// The first few messages that could not be decoded: enough to see what is wrong, bounded for any
/// amount of garbage.
#[derive(Clone, Debug)]
pub struct RefusalSamples {
    samples: [RefusalSample; Self::COUNT_MAX],
    count: usize,
}

impl Default for RefusalSamples {
    fn default() -> Self {
        let blank = RefusalSample { wire_sequence: 0, len_bytes: 0, start: [0; MESSAGE_LEN_MAX] };
        Self { samples: [blank; Self::COUNT_MAX], count: 0 }
    }
}

impl RefusalSamples {
    /// How many are kept.
    pub const COUNT_MAX: usize = 4;

    pub(crate) fn keep(&mut self, bytes: &[u8], wire_sequence: u64) {
        if let Some(sample) = self.samples.get_mut(self.count) {
            let shown = bytes.len().min(MESSAGE_LEN_MAX);
            sample.start[..shown].copy_from_slice(&bytes[..shown]);
            (sample.wire_sequence, sample.len_bytes) = (wire_sequence, bytes.len());
            self.count += 1;
        }
    }

    /// The samples, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &RefusalSample> {
        self.samples[..self.count].iter()
    }
}
