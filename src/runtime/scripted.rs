//! An agent for tests: it does what it is told, so many turns, and writes down how it ended.

use std::sync::{Arc, Mutex};

use freshlane_quote::Agent;

/// What happened, in order.
pub(super) type Log = Arc<Mutex<Vec<String>>>;

pub(super) struct Scripted {
    name: &'static str,
    turns_left: u64,
    each_turn: Box<dyn FnMut(u64) + Send>,
    on_close: Box<dyn FnMut() + Send>,
    log: Log,
}

impl Scripted {
    /// An agent that works for `turns` turns and is then finished.
    pub(super) fn new(name: &'static str, turns: u64, log: &Log) -> Self {
        Self {
            name,
            turns_left: turns,
            each_turn: Box::new(|_| {}),
            on_close: Box::new(|| {}),
            log: Arc::clone(log),
        }
    }

    /// Calls `action` with the turns left in each of them.
    pub(super) fn each_turn(mut self, action: impl FnMut(u64) + Send + 'static) -> Self {
        self.each_turn = Box::new(action);
        self
    }

    pub(super) fn on_close(mut self, action: impl FnMut() + Send + 'static) -> Self {
        self.on_close = Box::new(action);
        self
    }

    pub(super) fn boxed(self) -> Box<dyn Agent> {
        Box::new(self)
    }

    fn write(&self, event: &str) {
        self.log.lock().unwrap().push(format!("{} {event}", self.name));
    }
}

impl Agent for Scripted {
    fn name(&self) -> &str {
        self.name
    }

    fn do_work(&mut self) -> usize {
        if self.turns_left == 0 {
            return 0;
        }
        (self.each_turn)(self.turns_left);
        self.turns_left -= 1;
        1
    }

    fn is_finished(&self) -> bool {
        self.turns_left == 0
    }

    fn on_close(&mut self) {
        self.write("closed");
        (self.on_close)();
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.write("dropped");
    }
}
