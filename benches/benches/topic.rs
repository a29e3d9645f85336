//! One topic against one pattern.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_bus::{Pattern, Topic};

fn matches(criterion: &mut Criterion) {
    let topic = Topic { venue: "NASDAQ", symbol: "BRK.A" };
    let mut group = criterion.benchmark_group("topic");
    for text in ["market-data.NASDAQ.BRK.A", "market-data.*.BRK.*", "market-data.#", "#.BRK.#.A"] {
        let pattern = Pattern::parse(text).expect("a pattern");
        group.bench_function(text, |b| b.iter(|| pattern.matches(black_box(topic))));
    }
    group.finish();
}

criterion_group!(benches, matches);
criterion_main!(benches);
