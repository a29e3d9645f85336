//! One decision of the freshness gate.

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_benches::path::reference_lanes;
use freshlane_benches::sample_quotes::numbered;
use freshlane_benches::timekeeping::Timekeeping;
use freshlane_consumers::Gate;
use freshlane_quote::{Clock, Quote};

fn decide(criterion: &mut Criterion) {
    let timekeeping = Timekeeping::start().expect("an engine clock");
    let clock = timekeeping.clock();
    let spec = &reference_lanes()[3];
    let mut gate = Gate::new(spec, clock.clone());
    let received = |age_ns| Quote { ts_recv: clock.now() - age_ns, ..numbered(1) };
    let mut group = criterion.benchmark_group("gate");
    group.bench_function("fresh", |b| {
        let quote = received(0);
        b.iter(|| {
            if gate.tick_moved() {
                gate.refresh();
            }
            gate.judge::<true>(std::hint::black_box(&quote))
        });
    });
    group.bench_function("near its limit, by a reading of its own", |b| {
        let quote = received(spec.ttl_ns.unwrap_or(0) - spec.margin_ns - 1_000_000);
        b.iter(|| gate.judge::<true>(std::hint::black_box(&quote)));
    });
    group.finish();
}

criterion_group!(benches, decide);
criterion_main!(benches);
