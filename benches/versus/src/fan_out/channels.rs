//! `crossbeam-channel`, a bounded channel a lane.

use crossbeam_channel::{Receiver, Sender as ChannelSender, bounded};
use freshlane_quote::Quote;

use crate::transport::{POLL_MAX, Poller, SLOTS, Sender, Transport};

/// Each quote sent to every lane before the next, and received one by one, without ever sleeping.
pub(crate) fn to(lanes: usize) -> Transport<Senders, Receivers> {
    let (senders, receivers) = (0..lanes).map(|_| bounded(SLOTS)).unzip();
    Transport {
        name: "`crossbeam-channel`s",
        lanes,
        sender: Senders(senders),
        poller: Receivers(receivers),
    }
}

pub(crate) struct Senders(Vec<ChannelSender<Quote>>);

impl Sender for Senders {
    #[inline]
    fn send(&mut self, quotes: &[Quote]) {
        for quote in quotes {
            for lane in &self.0 {
                while lane.try_send(*quote).is_err() {}
            }
        }
    }
}

pub(crate) struct Receivers(Vec<Receiver<Quote>>);

impl Poller for Receivers {
    #[inline]
    fn poll(&mut self, mut visit: impl FnMut(usize, &Quote)) {
        for (index, lane) in self.0.iter().enumerate() {
            for _ in 0..POLL_MAX {
                let Ok(quote) = lane.try_recv() else { break };
                visit(index, &quote);
            }
        }
    }
}
