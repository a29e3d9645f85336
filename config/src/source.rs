//! The text of a configuration, and the mistakes found in it so far.

use crate::problem::{Problem, Severity};

/// Where something stands: its path through the tables and its first byte in the text.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: String,
    pub(crate) offset: usize,
}

impl Place {
    /// The place of `key`, whose text starts at `offset`, inside this one.
    pub(crate) fn key(&self, key: &str, offset: usize) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { path: format!("{}{dot}{}", self.path, plain(key)), offset }
    }

    /// The place of entry `index`, whose text starts at `offset`, inside this one.
    pub(crate) fn entry(&self, index: usize, offset: usize) -> Self {
        Self { path: format!("{}[{index}]", self.path), offset }
    }
}

/// The text with its name and the starts of its lines.
#[derive(Debug)]
pub(crate) struct Source<'t> {
    pub(crate) file: &'t str,
    pub(crate) text: &'t str,
    line_starts: Vec<usize>,
}

impl<'t> Source<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        Self { file, text, line_starts: std::iter::once(0).chain(after_newlines).collect() }
    }

    /// The line and the column of the byte at `offset`, both from 1, the column in characters.
    pub(crate) fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        // The first line starts at 0, so at least one start is not behind the offset.
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        (line, self.text[start..offset].chars().count() + 1)
    }
}

/// Gathers every problem of one text.
#[derive(Debug)]
pub(crate) struct Sink<'t> {
    pub(crate) source: Source<'t>,
    problems: Vec<Problem>,
}

impl<'t> Sink<'t> {
    pub(crate) fn new(source: Source<'t>) -> Self {
        Self { source, problems: Vec::new() }
    }

    pub(crate) fn error(
        &mut self,
        place: &Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Error, place, message.into(), help.into());
    }

    pub(crate) fn warning(
        &mut self,
        place: &Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Severity::Warning, place, message.into(), help.into());
    }

    /// An error that concerns the text as a whole and no line of it.
    pub(crate) fn error_in_whole(&mut self, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(whole_file_error(self.source.file, message, help));
    }

    fn push(&mut self, severity: Severity, place: &Place, message: String, help: String) {
        let (line, column) = self.source.line_and_column(place.offset);
        let file = self.source.file.to_owned();
        let path = place.path.clone();
        self.problems.push(Problem { severity, file, line, column, path, message, help });
    }

    pub(crate) fn line(&self, place: &Place) -> usize {
        self.source.line_and_column(place.offset).0
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }
}

/// An error that concerns a file as a whole.
pub(crate) fn whole_file_error(
    file: &str,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Problem {
    Problem {
        severity: Severity::Error,
        file: file.to_owned(),
        line: 0,
        column: 0,
        path: String::new(),
        message: message.into(),
        help: help.into(),
    }
}

/// What a terminal may be shown of a text out of a file: no control characters, and not too long.
pub(crate) fn plain(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let mut plain: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        plain.push('…');
    }
    // `escape_debug` is made for literals; a quotation mark is harmless here.
    plain.replace("\\\"", "\"").replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let source = Source::new("x", "ab\nçd\r\n\nz");
        for (offset, expected) in [
            (0, (1, 1)),
            (2, (1, 3)),
            (3, (2, 1)),
            (4, (2, 1)),
            (5, (2, 2)),
            (8, (3, 1)),
            (9, (4, 1)),
            (10, (4, 2)),
            (99, (4, 2)),
        ] {
            assert_eq!(source.line_and_column(offset), expected, "offset {offset}");
        }
    }

    #[test]
    fn shown_text_has_no_control_characters_and_an_end() {
        assert_eq!(plain("a\"b\x1b[31m"), "a\"b\\u{1b}[31m");
        assert_eq!(plain(&"x".repeat(1000)).chars().count(), 61);
    }
}
