//! One line of output: the same fields as an object of JSON or as a row of CSV.

use std::io::Write;

use clap::ValueEnum;
use freshlane_quote::Price;

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Format {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values with a header line
    Csv,
}

/// A line that is being written. Fields stand in the order of the calls.
///
/// Integers that may exceed 2^53, beyond which many readers of JSON round, are written as decimal
/// strings by [`Row::long`]. Prices are exact decimal strings. What is absent is `null` in JSON and
/// nothing in CSV.
pub(super) struct Row<'a> {
    line: &'a mut Vec<u8>,
    format: Format,
    is_first: bool,
}

impl<'a> Row<'a> {
    /// Begins a line at the end of `line`.
    #[inline]
    pub(super) fn begin(line: &'a mut Vec<u8>, format: Format) -> Self {
        if format == Format::Jsonl {
            line.push(b'{');
        }
        Self { line, format, is_first: true }
    }

    /// Ends the line.
    #[inline]
    pub(super) fn end(self) {
        if self.format == Format::Jsonl {
            self.line.push(b'}');
        }
        self.line.push(b'\n');
    }

    /// A number that every reader takes exactly.
    #[inline]
    pub(super) fn number(&mut self, name: &str, number: u32) {
        self.name(name);
        push_display(self.line, number);
    }

    /// A number that may be too long for a reader that counts in floats.
    #[inline]
    pub(super) fn long(&mut self, name: &str, number: u64) {
        self.name(name);
        self.quotation_mark();
        push_display(self.line, number);
        self.quotation_mark();
    }

    /// A number of at most 2^53.
    #[inline]
    pub(super) fn exact_in_float(&mut self, name: &str, number: u64) {
        debug_assert!(number <= 1 << 53, "{name} is too long for a number in JSON");
        self.name(name);
        push_display(self.line, number);
    }

    /// A price, or nothing for [`Price::NONE`].
    #[inline]
    pub(super) fn price(&mut self, name: &str, price: Price) {
        if price.is_none() {
            return self.absent(name);
        }
        self.name(name);
        self.quotation_mark();
        push_display(self.line, price);
        self.quotation_mark();
    }

    /// Any text.
    #[inline]
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        match self.format {
            Format::Jsonl => push_json(self.line, text),
            Format::Csv => push_csv(self.line, text),
        }
    }

    /// Names: an array in JSON, joined by `|` in CSV.
    #[inline]
    pub(super) fn names(&mut self, name: &str, names: impl Iterator<Item = &'static str>) {
        self.name(name);
        let (before, mark, separator, after): (&[u8], &[u8], u8, &[u8]) = match self.format {
            Format::Jsonl => (b"[", b"\"", b',', b"]"),
            Format::Csv => (b"", b"", b'|', b""),
        };
        self.line.extend_from_slice(before);
        for (index, text) in names.enumerate() {
            if index > 0 {
                self.line.push(separator);
            }
            self.line.extend_from_slice(mark);
            self.line.extend_from_slice(text.as_bytes());
            self.line.extend_from_slice(mark);
        }
        self.line.extend_from_slice(after);
    }

    /// Bytes in hex.
    pub(super) fn hex(&mut self, name: &str, bytes: &[u8]) {
        self.name(name);
        self.quotation_mark();
        push_hex(self.line, bytes);
        self.quotation_mark();
    }

    /// A field without a value.
    #[inline]
    pub(super) fn absent(&mut self, name: &str) {
        self.name(name);
        if self.format == Format::Jsonl {
            self.line.extend_from_slice(b"null");
        }
    }

    #[inline]
    fn name(&mut self, name: &str) {
        if !self.is_first {
            self.line.push(b',');
        }
        self.is_first = false;
        if self.format == Format::Jsonl {
            self.line.push(b'"');
            self.line.extend_from_slice(name.as_bytes());
            self.line.extend_from_slice(b"\":");
        }
    }

    #[inline]
    fn quotation_mark(&mut self) {
        if self.format == Format::Jsonl {
            self.line.push(b'"');
        }
    }
}

#[inline]
pub(super) fn push_display(line: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing to memory does not fail.
    let _ = write!(line, "{value}");
}

pub(super) fn push_hex(line: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS[usize::from(nibble)];
    line.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

#[inline]
fn push_json(line: &mut Vec<u8>, text: &str) {
    // Writing text to memory does not fail.
    let _ = serde_json::to_writer(line, text);
}

#[inline]
fn push_csv(line: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return line.extend_from_slice(text.as_bytes());
    }
    line.push(b'"');
    line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: Format, fill: impl FnOnce(&mut Row<'_>)) -> String {
        let mut line = Vec::new();
        let mut row = Row::begin(&mut line, format);
        fill(&mut row);
        row.end();
        String::from_utf8(line).unwrap()
    }

    fn everything(row: &mut Row<'_>) {
        row.long("sequence", u64::MAX);
        row.number("size", 7);
        row.exact_in_float("timestamp", 1 << 48);
        row.price("bid", Price::from_price4(100_001));
        row.price("ask", Price::NONE);
        row.text("symbol", "A\"B,C\\");
        row.names("flags", ["one_sided", "halted"].into_iter());
        row.names("none", [].into_iter());
        row.hex("bytes", &[0x00, 0x7e, 0xff]);
    }

    #[test]
    fn an_object_of_json() {
        assert_eq!(
            written(Format::Jsonl, everything),
            "{\"sequence\":\"18446744073709551615\",\"size\":7,\"timestamp\":281474976710656,\
             \"bid\":\"10.0001\",\"ask\":null,\"symbol\":\"A\\\"B,C\\\\\",\
             \"flags\":[\"one_sided\",\"halted\"],\"none\":[],\"bytes\":\"007eff\"}\n"
        );
    }

    #[test]
    fn a_row_of_csv() {
        assert_eq!(
            written(Format::Csv, everything),
            "18446744073709551615,7,281474976710656,10.0001,,\"A\"\"B,C\\\",one_sided|halted,,\
             007eff\n"
        );
    }

    #[test]
    fn a_line_without_fields() {
        assert_eq!(written(Format::Jsonl, |_| {}), "{}\n");
        assert_eq!(written(Format::Csv, |_| {}), "\n");
    }
}
