//! A strategy of one's own on a lane with a 200 ms time to live: it counts how often the
//! microprice leans away from the middle, and acts only on quotes that are still fresh.
//!
//! `cargo run --release --example strategy`

use std::time::Duration;

use freshlane::engine::Engine;
use freshlane_config::Config;
use freshlane_consumers::{Consumer, Fresh};
use freshlane_quote::{Clock, FeedEvent, Quote, QuoteFlags};

/// Buys when the microprice leans up by more than a quarter of the spread, sells when down.
#[derive(Default)]
struct Leaning {
    buys: u64,
    sells: u64,
    state_changes: u64,
}

impl Consumer for Leaning {
    fn on_quote<C: Clock>(&mut self, quote: Fresh<'_, C>) {
        let (bid, ask) = (quote.bid.units(), quote.ask.units());
        let untradable = QuoteFlags::ONE_SIDED.bits() | QuoteFlags::HALTED.bits();
        if quote.flags.bits() & untradable != 0 || bid >= ask {
            return;
        }
        // Shares at the bid push the price up: the microprice minus the middle, in half spreads.
        let (bid_size, ask_size) = (i64::from(quote.bid_size), i64::from(quote.ask_size));
        let lean_percent = (bid_size - ask_size) * 100 / (bid_size + ask_size);
        if lean_percent.abs() > 50 && quote.still_fresh() {
            *if lean_percent > 0 { &mut self.buys } else { &mut self.sells } += 1;
        }
    }

    fn on_event(&mut self, _event: FeedEvent, _record: &Quote) {
        self.state_changes += 1;
    }
}

impl Drop for Leaning {
    fn drop(&mut self) {
        println!(
            "{} buys, {} sells, {} halts or resumptions",
            self.buys, self.sells, self.state_changes
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::embedded()?.config;
    config.lanes.truncate(1);
    let mut engine = Engine::start_with(&config, |_lane, _clock| Leaning::default())?;
    #[allow(clippy::disallowed_methods, reason = "the main thread only waits")]
    std::thread::sleep(Duration::from_secs(3));
    engine.stop()?;
    let ledger = engine.telemetry().lanes[0].ledger();
    println!("{} quotes delivered, {} expired", ledger.total().delivered, ledger.total().expired);
    Ok(())
}
