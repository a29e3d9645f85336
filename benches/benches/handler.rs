//! Decode, book and quote, by size of batch: a whole small market from its first message on.

use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use freshlane_benches::memory_source::MemorySource;
use freshlane_benches::micro;
use freshlane_benches::path::{handle_released, handler};

fn handle(criterion: &mut Criterion) {
    let day = micro::day();
    let mut group = criterion.benchmark_group("handler");
    group.throughput(Throughput::Elements(day.messages())).sample_size(10);
    for batch_max in [1, 8, 32] {
        let id = BenchmarkId::new("batches", batch_max);
        group.bench_with_input(id, &batch_max, |b, batch_max| {
            b.iter_batched(
                || (handler(Arc::default(), day.orders_expected()), MemorySource::new(day.bytes())),
                |(mut handler, mut source)| {
                    source.horizon().release(day.bytes().len());
                    handle_released(&mut handler, &mut source, *batch_max);
                    (handler, source)
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, handle);
criterion_main!(benches);
