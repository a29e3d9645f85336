//! Single operations on books of 100,000 live orders.

use criterion::{Criterion, criterion_group, criterion_main};
use freshlane_benches::micro;
use freshlane_feed_handlers::book::{NewOrder, OrderBooks, Replacement, Side};

const BOOKS: u64 = 1_000;

/// Order `number`: books in turn, both sides, prices within 32 ticks.
#[allow(clippy::cast_possible_truncation, reason = "small remainders")]
fn order(number: u64) -> NewOrder {
    let (book, tick) = ((number % BOOKS) as u16, (number / BOOKS * 7 % 32) as u32);
    let (side, price) = match number.is_multiple_of(2) {
        true => (Side::Bid, 10_000 - tick),
        false => (Side::Ask, 10_001 + tick),
    };
    NewOrder { reference: number + 1, book, side, price, shares: 100 }
}

fn books(live: u64) -> OrderBooks<()> {
    let mut books = OrderBooks::with_expected(2 * usize::try_from(live).unwrap_or(0), ());
    for number in 0..live {
        books.add(order(number)).expect("a new order");
    }
    books
}

fn operations(criterion: &mut Criterion) {
    let live = if micro::is_measuring() { 100_000 } else { 1_000 };
    let mut books = books(live);
    // Each operation meets another order than the one before, in an order that no cache foresees.
    let mut numbers = (0..live).map(|number| number * 40_503 % live).cycle();
    let mut next = move || numbers.next().unwrap_or(0);
    let mut group = criterion.benchmark_group("book");
    group.bench_function("add and delete", |b| {
        b.iter(|| {
            let new = order(live + next());
            (books.add(new).is_ok(), books.delete(new.reference).is_ok())
        });
    });
    group.bench_function("replace there and back", |b| {
        b.iter(|| {
            let NewOrder { reference, price, shares, .. } = order(next());
            let elsewhere = Replacement { reference: reference + live, price, shares };
            let back = Replacement { reference, price, shares };
            let replaced = books.replace(reference, elsewhere).is_ok();
            (replaced, books.replace(elsewhere.reference, back).is_ok())
        });
    });
    group.bench_function("top", |b| b.iter(|| books.top(order(next()).book)));
    group.finish();
}

criterion_group!(benches, operations);
criterion_main!(benches);
