//! ITCH 5.0 bytes to fields: every field of each frequent type folded into one sum.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use freshlane_benches::day::messages_of;
use freshlane_benches::fold::{Checksum, decode_and_fold, walk_lengths};
use freshlane_benches::micro;
use freshlane_feed_handlers::itch50::Message;

fn decode(criterion: &mut Criterion) {
    let day = micro::day();
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(day.messages()));
    group.bench_function("all fields", |b| b.iter(|| decode_and_fold(black_box(day.bytes()))));
    group.bench_function("walk of the lengths", |b| b.iter(|| walk_lengths(day.bytes())));
    group.finish();
}

fn decode_by_type(criterion: &mut Criterion) {
    let day = micro::day();
    let mut group = criterion.benchmark_group("decode one");
    for message_type in [b'A', b'D', b'U', b'E', b'X'] {
        let message = messages_of(day.bytes()).find(|message| message[0] == message_type);
        let message = message.expect("the market has every frequent type");
        group.bench_function(char::from(message_type).to_string(), |b| {
            b.iter(|| {
                let mut checksum = Checksum::default();
                Message::decode(black_box(message)).map(|message| checksum.add_message(message))?;
                Ok::<_, freshlane_feed_handlers::itch50::DecodeError>(checksum)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, decode, decode_by_type);
criterion_main!(benches);
