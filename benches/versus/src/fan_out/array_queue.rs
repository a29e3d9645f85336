//! `crossbeam`'s bounded queue, one a lane.

use std::sync::Arc;

use crossbeam_queue::ArrayQueue;
use freshlane_quote::Quote;

use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

/// Each quote pushed to every lane before the next, and popped one by one.
pub(crate) fn queues(lanes: usize) -> Transport<Queues, Queues> {
    let queues: Vec<_> = (0..lanes).map(|_| Arc::new(ArrayQueue::new(SLOTS))).collect();
    Transport {
        name: "`crossbeam` ArrayQueue",
        lanes,
        sender: Queues(queues.clone()),
        poller: Queues(queues),
    }
}

/// Either end.
pub(crate) struct Queues(Vec<Arc<ArrayQueue<Quote>>>);

impl Sender for Queues {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        for quote in quotes {
            for lane in &self.0 {
                while lane.push(*quote).is_err() {}
            }
        }
    }
}

impl Poller for Queues {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, lane) in self.0.iter().enumerate() {
            for _ in 0..POLL_MAX {
                let Some(quote) = lane.pop() else { break };
                visit(index, &quote);
            }
        }
    }
}
