//! Which lanes get a record.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_benches::sample_quotes::{SampleQuotes, numbered};
use freshlane_bus::{LaneTopics, Pattern, Router};

fn lanes() -> Vec<LaneTopics> {
    ["market-data.#", "market-data.NASDAQ.*", "market-data.*.S1.#", "market-data.NYSE.#"]
        .map(|text| Pattern::parse(text).expect("a pattern"))
        .map(|pattern| LaneTopics { include: vec![pattern], exclude: Vec::new() })
        .into()
}

fn route(criterion: &mut Criterion) {
    let quotes = SampleQuotes::new();
    let router =
        || Router::new(Arc::clone(quotes.directory()), &["NASDAQ"], lanes()).expect("few lanes");
    let mut group = criterion.benchmark_group("router");
    group.bench_function("mask, known", |b| {
        let (mut router, mut number) = (router(), 0);
        b.iter(|| {
            number += 1;
            router.mask(numbered(number).instrument)
        });
    });
    group.bench_function("mask, on first sight", |b| {
        b.iter_batched_ref(
            router,
            |router| router.mask(numbered(1).instrument),
            criterion::BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, route);
criterion_main!(benches);
