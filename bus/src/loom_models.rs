//! Every interleaving of the protocols around the rings (`--cfg loom`).
//!
//! `rtrb` is not written against loom's atomics, so a small ring stands in for it here, with the
//! same publication protocol: slots written first, then the index stored with release; the reader
//! loads the index with acquire and reads the slots afterwards. Its slots are relaxed atomics, so a
//! reader that is not ordered after the writer sees a wrong value, as it would in memory. The flag
//! and the ledger are the real ones.
//!
//! Counters are set here and not added to. The store is the same, but loom looks for a conflict only
//! with the last access to a word: the load with which a writer begins an addition would hide the
//! reader before it, and the interleavings that matter would never run.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use loom::thread;

use freshlane_quote::VenueId;

use crate::close::CloseFlag;
use crate::ledger::Ledger;
use crate::snapshot::LedgerSnapshot;

const CAPACITY: usize = 4;

#[derive(Default)]
struct ModelRing {
    slots: [AtomicU64; CAPACITY],
    tail: AtomicUsize,
    end: CloseFlag,
}

impl ModelRing {
    fn push(&self, tail: usize, value: u64) {
        self.slots[tail].store(value, Ordering::Relaxed);
        self.tail.store(tail + 1, Ordering::Release);
    }

    fn drain(&self, seen: &mut Vec<u64>) {
        let tail = self.tail.load(Ordering::Acquire);
        seen.extend((seen.len()..tail).map(|i| self.slots[i].load(Ordering::Relaxed)));
    }
}

/// The producer pushes 1, 2, 3 and closes; the consumer drains until it believes in the end.
fn close_model(drain_once_more: bool) {
    let ring = Arc::new(ModelRing::default());
    let producer = {
        let ring = Arc::clone(&ring);
        thread::spawn(move || {
            (0..3).for_each(|i| ring.push(i, i as u64 + 1));
            ring.end.close();
        })
    };
    let mut seen = Vec::new();
    loop {
        ring.drain(&mut seen);
        if ring.end.is_closed() {
            break;
        }
        thread::yield_now();
    }
    if drain_once_more {
        ring.drain(&mut seen);
    }
    producer.join().unwrap();
    assert_eq!(seen, [1, 2, 3]);
}

fn bounded(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

#[test]
fn closed_and_drained_once_more_sees_everything() {
    bounded(|| close_model(true));
}

#[test]
#[should_panic(expected = "left == right")]
fn without_the_second_drain_records_are_lost() {
    bounded(|| close_model(false));
}

const VENUE: VenueId = VenueId(0);

/// What `LaneProducer::offer` does for the quote with that index in the ring.
fn offer(ledger: &Ledger, tail: &AtomicUsize, index: usize) {
    let (publisher, count) = (&ledger.publisher, index as u64 + 1);
    publisher.begun.set(count);
    publisher.row(VENUE).offered.set(count);
    tail.store(index + 1, Ordering::Release);
    publisher.finished.set(count);
}

#[test]
fn no_snapshot_shows_more_settled_than_offered() {
    bounded(|| {
        let shared = Arc::new((Ledger::default(), AtomicUsize::new(0)));
        let bus = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..2).for_each(|i| offer(&shared.0, &shared.1, i)))
        };
        let gate = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let in_ring = shared.1.load(Ordering::Acquire);
                shared.0.gate.venues[0].delivered.set(in_ring as u64);
            })
        };
        let snapshot = LedgerSnapshot::of(&shared.0);
        assert_eq!(snapshot.imbalance(), 0);
        bus.join().unwrap();
        gate.join().unwrap();
        let at_rest = LedgerSnapshot::of(&shared.0).total();
        assert_eq!(at_rest.offered, at_rest.delivered + at_rest.queued());
    });
}

#[test]
fn an_audit_beside_a_writing_bus_finds_no_fault() {
    bounded(|| {
        let shared = Arc::new((Ledger::default(), AtomicUsize::new(0)));
        let bus = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..2).for_each(|i| offer(&shared.0, &shared.1, i)))
        };
        let (ledger, tail) = &*shared;
        let head = tail.load(Ordering::Acquire);
        ledger.gate.venues[0].delivered.set(head as u64);
        let in_ring = || (tail.load(Ordering::Acquire) - head) as u64;
        assert_eq!(ledger.audit(in_ring), 0);
        bus.join().unwrap();
        assert_eq!(ledger.audit(in_ring), 0);
    });
}
