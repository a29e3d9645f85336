//! After warm-up no duty cycle allocates: feed, decoder, book, bus, lanes, gates and histograms.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use freshlane::topology::{self, Live};
use freshlane_config::{Config, FeedSource};
use freshlane_quote::clock::{ClockHints, ClockMode};
use freshlane_quote::{Agent, EngineClock};

struct CountingAllocator;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that is being torn down has no counter any more; it is not the one under test.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator as it came; counting touches only a
// thread-local integer and does not allocate.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

fn config() -> Config {
    let mut config = Config::embedded().unwrap().config;
    for lane in &mut config.lanes {
        lane.consumer.service_time_ns = 0;
    }
    let FeedSource::Generator(generator) = &mut config.feeds[0].source else {
        panic!("the embedded default has a generator");
    };
    generator.symbols = 50;
    generator.live_orders = Some(2_000);
    // Faster than any machine: every turn finds a full batch that is due.
    generator.rate_per_s = 50_000_000;
    config
}

fn turn(agents: &mut [Box<dyn Agent>]) {
    for agent in agents {
        agent.do_work();
    }
}

#[test]
fn the_counter_counts() {
    assert!(allocations_of(|| drop(Box::new(1))) >= 2);
}

#[test]
fn no_duty_cycle_allocates_after_warm_up() {
    let (clock, _timekeeper, _) =
        EngineClock::start(ClockMode::Auto, &ClockHints::default()).unwrap();
    let Live { mut agents, telemetry, .. } =
        topology::live(&config(), &clock, topology::configured_consumer).unwrap();
    let received = || telemetry.feeds[0].ledger.received.get();
    // The opening: symbols are listed and topics resolved, each on first sight.
    while received() < 100_000 {
        turn(&mut agents);
    }
    let warm = received();
    let delivered = || telemetry.lanes.iter().map(|lane| lane.ledger().total().delivered).sum();
    let delivered_warm: u64 = delivered();
    let allocations = allocations_of(|| {
        while received() < warm + 400_000 {
            turn(&mut agents);
        }
    });
    assert_eq!(allocations, 0, "in {} messages", received() - warm);
    assert!(delivered() > delivered_warm + 10_000, "the turns really delivered quotes");
}
