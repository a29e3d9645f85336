//! One latency sample.

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_benches::suites::recorder::latencies;
use freshlane_consumers::LatencyRecorder;

fn record(criterion: &mut Criterion) {
    let samples = latencies(1 << 12);
    let mut next = samples.iter().cycle();
    let recorder = LatencyRecorder::new();
    let mut group = criterion.benchmark_group("recorder");
    group.bench_function("record", |b| {
        b.iter(|| recorder.record(next.next().copied().unwrap_or(0)));
    });
    group.bench_function("snapshot", |b| b.iter(|| recorder.snapshot()));
    group.finish();
}

criterion_group!(benches, record);
criterion_main!(benches);
