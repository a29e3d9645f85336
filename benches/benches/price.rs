//! Prices from text and to text.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_quote::Price;

fn text(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("price");
    for text in ["185.2", "0.000000001", "-1234567.123456789"] {
        group.bench_function(format!("parse {text}"), |b| {
            b.iter(|| black_box(text).parse::<Price>());
        });
        let price: Price = text.parse().expect("a price");
        let mut line = String::with_capacity(64);
        group.bench_function(format!("print {text}"), |b| {
            b.iter(|| {
                line.clear();
                write!(line, "{}", black_box(price))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, text);
criterion_main!(benches);
