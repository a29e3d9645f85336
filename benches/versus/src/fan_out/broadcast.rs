//! `tokio`'s broadcast channel, polled without a runtime.
//!
//! It overwrites what a slow receiver has not read. So that all rivals deliver everything, the
//! sender here stays half a ring behind the slowest receiver, whose progress it reads only when its
//! last reading does not suffice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;
use freshlane_quote::Quote;
use tokio::sync::broadcast::{Receiver, Sender as BroadcastSender, channel};

use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

type Progress = Arc<CachePadded<AtomicU64>>;

/// One channel with `lanes` receivers.
pub(crate) fn to(lanes: usize) -> Transport<Broadcast, Receivers> {
    let (sender, first) = channel(SLOTS);
    let mut receivers = vec![first];
    receivers.resize_with(lanes, || sender.subscribe());
    let taken = Progress::default();
    Transport {
        name: "`tokio` broadcast",
        lanes,
        sender: Broadcast { sender, sent: 0, taken_seen: 0, taken: Arc::clone(&taken) },
        poller: Receivers { receivers, counts: vec![0; lanes], taken },
    }
}

pub(crate) struct Broadcast {
    sender: BroadcastSender<Quote>,
    sent: u64,
    taken_seen: u64,
    taken: Progress,
}

impl Sender for Broadcast {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        while self.sent + quotes.len() as u64 - self.taken_seen > SLOTS as u64 / 2 {
            self.taken_seen = self.taken.load(Ordering::Acquire);
        }
        for quote in quotes {
            // It fails only where there is no receiver, which the count at the end would tell.
            let _ = self.sender.send(*quote);
        }
        self.sent += quotes.len() as u64;
    }
}

pub(crate) struct Receivers {
    receivers: Vec<Receiver<Quote>>,
    counts: Vec<u64>,
    taken: Progress,
}

impl Poller for Receivers {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, (receiver, count)) in
            self.receivers.iter_mut().zip(&mut self.counts).enumerate()
        {
            for _ in 0..POLL_MAX {
                let Ok(quote) = receiver.try_recv() else { break };
                *count += 1;
                visit(index, &quote);
            }
        }
        if let Some(slowest) = self.counts.iter().min() {
            self.taken.store(*slowest, Ordering::Release);
        }
    }
}
