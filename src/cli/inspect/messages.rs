//! `--messages`: one line for each message, with all its fields.

use freshlane_feed_handlers::itch50::field::FieldValue;
use freshlane_feed_handlers::itch50::{BATCH_MAX, DecodeError, Message};
use freshlane_feed_handlers::session_time::SessionTime;

use super::capture::Capture;
use super::summary::type_name;
use super::verdict::{Decoded, verdict, warn_of_refused};
use crate::cli::exit::Failure;
use crate::cli::output::Output;
use crate::cli::row::{Format, Row, push_display};

const CSV_HEADER: &[u8] = b"wire_sequence,type,name,stock_locate,tracking_number,ts_event,\
timestamp,fields,error,hex\n";

/// Prints at most `limit` messages.
pub(super) fn print(mut capture: Capture, format: Format, limit: u64) -> Result<(), Failure> {
    let mut output = Output::new();
    if format == Format::Csv {
        output.gathered().extend_from_slice(CSV_HEADER);
    }
    let mut lines = Lines {
        format,
        session: capture.session.clone(),
        decoded: Decoded::default(),
        scratch: Vec::new(),
    };
    let mut left = limit;
    loop {
        let max = usize::try_from(left).map_or(BATCH_MAX, |left| left.min(BATCH_MAX));
        let is_more = max > 0
            && capture.next_batch(max, |messages, first_sequence| {
                left -= messages.len() as u64;
                lines.write(output.gathered(), messages, first_sequence);
            });
        if !is_more {
            break;
        }
        output.write_if_full()?;
    }
    output.finish()?;
    warn_of_refused(&lines.decoded, None);
    verdict(&capture, &lines.decoded)
}

/// Messages to lines.
struct Lines {
    format: Format,
    session: SessionTime,
    decoded: Decoded,
    /// The pairs of one row of CSV.
    scratch: Vec<u8>,
}

impl Lines {
    fn write(&mut self, line: &mut Vec<u8>, messages: &[&[u8]], first_sequence: u64) {
        for (wire_sequence, bytes) in (first_sequence..).zip(messages) {
            let mut row = Row::begin(line, self.format);
            row.long("wire_sequence", wire_sequence);
            match Message::decode(bytes) {
                Ok(message) => self.decoded(&mut row, message),
                Err(error) => self.undecodable(&mut row, bytes, error),
            }
            row.end();
        }
    }

    fn decoded(&mut self, row: &mut Row<'_>, message: Message<'_>) {
        self.decoded.decoded += 1;
        let prefix = message.prefix();
        let time = self.session.event_time(prefix.timestamp_ns);
        row.text("type", char::from(message.message_type()).encode_utf8(&mut [0; 4]));
        row.text("name", message.label());
        row.number("stock_locate", prefix.stock_locate.into());
        row.number("tracking_number", prefix.tracking_number.into());
        if time.is_plausible {
            row.long("ts_event", time.ts_event);
        } else {
            row.absent("ts_event");
        }
        row.exact_in_float("timestamp", prefix.timestamp_ns);
        match self.format {
            Format::Jsonl => message.fields(&mut |name, value| {
                write_field(row, message.message_type(), name, value);
            }),
            Format::Csv => {
                self.scratch.clear();
                message.fields(&mut |name, value| push_pair(&mut self.scratch, name, value));
                // Text of ITCH is printable ASCII, names and numbers are anyway.
                row.text("fields", std::str::from_utf8(&self.scratch).unwrap_or_default());
                row.absent("error");
                row.absent("hex");
            }
        }
    }

    fn undecodable(&mut self, row: &mut Row<'_>, bytes: &[u8], error: DecodeError) {
        self.decoded.refuse(error);
        match bytes.first() {
            Some(&byte) => row.text("type", &type_name(byte)),
            None => row.absent("type"),
        }
        if self.format == Format::Csv {
            let unknown =
                ["name", "stock_locate", "tracking_number", "ts_event", "timestamp", "fields"];
            unknown.iter().for_each(|name| row.absent(name));
        }
        row.text("error", &error.to_string());
        row.hex("hex", bytes);
    }
}

fn write_field(row: &mut Row<'_>, message_type: u8, name: &str, value: FieldValue) {
    match value {
        FieldValue::Integer(number) if is_long(message_type, name) => row.long(name, number),
        FieldValue::Integer(number) => row.exact_in_float(name, number),
        FieldValue::Code(text) => row.text(name, text.as_str()),
        FieldValue::Text2(text) => row.text(name, text.as_str()),
        FieldValue::Text4(text) => row.text(name, text.as_str()),
        FieldValue::Text8(text) => row.text(name, text.as_str()),
        FieldValue::Price(price) => row.price(name, price),
    }
}

/// Whether an integer has 64 bits on the wire, so that it stands as a string whatever its value.
fn is_long(message_type: u8, name: &str) -> bool {
    match name {
        "order_reference_number"
        | "new_order_reference_number"
        | "match_number"
        | "paired_shares"
        | "imbalance_shares"
        | "near_execution_time_ns" => true,
        "shares" => message_type == b'Q',
        _ => false,
    }
}

/// `name=value`, after a space where it is not the first pair; an absent price is empty.
fn push_pair(pairs: &mut Vec<u8>, name: &str, value: FieldValue) {
    if !pairs.is_empty() {
        pairs.push(b' ');
    }
    pairs.extend_from_slice(name.as_bytes());
    pairs.push(b'=');
    match value {
        FieldValue::Integer(number) => push_display(pairs, number),
        FieldValue::Code(text) => pairs.extend_from_slice(text.as_str().as_bytes()),
        FieldValue::Text2(text) => pairs.extend_from_slice(text.as_str().as_bytes()),
        FieldValue::Text4(text) => pairs.extend_from_slice(text.as_str().as_bytes()),
        FieldValue::Text8(text) => pairs.extend_from_slice(text.as_str().as_bytes()),
        FieldValue::Price(price) if price.is_none() => {}
        FieldValue::Price(price) => push_display(pairs, price),
    }
}

#[cfg(test)]
mod tests {
    use freshlane_feed_handlers::itch50::message::MESSAGE_LEN_MAX;

    use super::*;

    /// The largest value of every integer tells how wide it is.
    #[test]
    fn exactly_the_fields_of_64_bits_are_long() {
        for &(message_type, name, _) in Message::TABLE {
            let mut bytes = [0xff; MESSAGE_LEN_MAX];
            bytes[0] = message_type;
            Message::decode(&bytes).unwrap().fields(&mut |field, value| {
                if let FieldValue::Integer(number) = value {
                    let is_wide = number > u32::MAX.into();
                    assert_eq!(is_long(message_type, field), is_wide, "{name}.{field}");
                }
            });
        }
    }
}
