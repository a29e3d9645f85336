//! Readings of the engine clock.

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_benches::stopwatch::Stopwatch;
use freshlane_benches::timekeeping::Timekeeping;
use freshlane_quote::Clock;

fn read(criterion: &mut Criterion) {
    let timekeeping = Timekeeping::start().expect("an engine clock");
    let clock = timekeeping.clock();
    let mut group = criterion.benchmark_group("clock");
    group.bench_function("now", |b| b.iter(|| clock.now()));
    group.bench_function("tick", |b| b.iter(|| clock.tick()));
    group.bench_function("the standard library's Instant", |b| b.iter(Stopwatch::start));
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
