//! Replay in event time: one thread steps the whole data path, message by message.
//!
//! Time is the venue's: a quote is received when its message was sent, and each lane's consumer
//! works through its lane at its own service time. Nothing else enters, so one capture gives one
//! sequence of deliveries on each lane, whatever the batch size, the machine or its load.

use freshlane_bus::{Bus, OverflowPolicy};
use freshlane_quote::Agent;

use crate::topology::{Replay, ReplayLane};

impl Replay {
    /// One turn: reads a batch and takes everything that it gave to the lanes. Returns whether the
    /// capture goes on.
    pub fn step(&mut self) -> bool {
        self.feed.do_work();
        self.pass_on();
        !self.feed.is_finished()
    }

    /// After the last [`Replay::step`]: hands over what is queued.
    pub fn drain(&mut self) {
        self.pass_on();
        self.lanes.iter_mut().for_each(|lane| {
            lane.drain();
        });
    }

    /// Takes everything in the ingress ring to the lanes, each record at its time.
    fn pass_on(&mut self) {
        while let Some(ts_recv) = self.bus.peek_ts_recv() {
            for lane in &mut self.lanes {
                lane.run_until(ts_recv);
            }
            if self.bus.step(Bus::BATCH_LIMIT) == 0 {
                self.relieve();
            }
        }
    }

    /// Where a full `block` lane holds up the bus, the source waits: the lane's consumer works
    /// until there is room. In event time that changes nothing for anybody else.
    fn relieve(&mut self) {
        let blocks = |lane: &&mut ReplayLane| {
            lane.telemetry().lane().spec().overflow == OverflowPolicy::Block
        };
        self.lanes.iter_mut().filter(blocks).for_each(|lane| {
            lane.drain();
        });
    }
}
