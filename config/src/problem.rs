//! What is wrong with a configuration, where, and what to write instead.

use std::fmt;

/// Whether a problem keeps the configuration from being used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The configuration is refused.
    Error,
    /// The configuration is used, but probably does not do what is meant.
    Warning,
}

impl Severity {
    /// The word in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One mistake in a configuration.
///
/// Its `Display` takes two or three lines:
///
/// ```text
/// error: unknown key `ttl_msec` in [[lane]]
///   --> engine.toml:12:1: lane[2].ttl_msec
///   help: did you mean `ttl`?
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Whether the configuration is refused for it.
    pub severity: Severity,
    /// The file's name, as it was given.
    pub file: String,
    /// The line, from 1; 0 where the problem is the file as a whole.
    pub line: usize,
    /// The column in characters, from 1; 0 where the problem is the file as a whole.
    pub column: usize,
    /// Which table and key, entries of arrays counted from 0: `lane[2].ttl`. Empty where the
    /// problem concerns no table.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead. Empty where there is nothing to advise.
    pub help: String,
}

impl Problem {
    /// Whether the configuration is refused for it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  --> {}", self.severity.name(), self.message, self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

/// Everything that is wrong with a refused configuration: at least one error, with the warnings
/// beside it, in the order of the lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problems {
    problems: Vec<Problem>,
}

impl Problems {
    /// Sorts by line and column; what stands at one place keeps its order.
    pub(crate) fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.line, problem.column));
        Self { problems }
    }

    /// The problems, in the order of the lines.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.problems.iter()
    }

    /// How many of them are errors.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.iter().filter(|problem| problem.is_error()).count()
    }

    /// The problems as a list.
    #[must_use]
    pub fn into_vec(self) -> Vec<Problem> {
        self.problems
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize, column: usize, message: &str) -> Problem {
        Problem {
            severity: Severity::Error,
            file: "engine.toml".into(),
            line,
            column,
            path: "lane[2].ttl".into(),
            message: message.into(),
            help: "write \"200ms\"".into(),
        }
    }

    #[test]
    fn a_problem_prints_what_where_and_what_to_write() {
        assert_eq!(
            problem(12, 7, "`200` has no unit").to_string(),
            "error: `200` has no unit\n  --> engine.toml:12:7: lane[2].ttl\n  help: write \"200ms\""
        );
    }

    #[test]
    fn a_problem_of_the_whole_file_prints_no_line() {
        let whole =
            Problem { path: String::new(), help: String::new(), ..problem(0, 0, "cannot be read") };
        assert_eq!(whole.to_string(), "error: cannot be read\n  --> engine.toml");
    }

    #[test]
    fn problems_are_sorted_by_line_then_column() {
        let sorted =
            Problems::new(vec![problem(9, 1, "c"), problem(2, 5, "b"), problem(2, 1, "a")]);
        let order: Vec<_> = sorted.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(order, ["a", "b", "c"]);
    }
}
