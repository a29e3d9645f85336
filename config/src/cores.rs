//! Whether this host grants the cores that the configuration lists.

use crate::config::Config;
use crate::model::Cores;
use crate::problem::{Problem, Problems, Severity};
use crate::source::{Place, Sink};

/// Where the listed cores stand, for problems that show only on the host.
#[derive(Clone, Debug)]
pub(crate) struct CoresAsWritten {
    file: String,
    /// Line, column and path of each.
    places: Vec<(usize, usize, String)>,
}

impl CoresAsWritten {
    pub(crate) fn new(places: &[Place], sink: &Sink<'_>) -> Self {
        let locate = |place: &Place| {
            let (line, column) = sink.source.line_and_column(place.offset);
            (line, column, place.path.clone())
        };
        Self { file: sink.source.file.to_owned(), places: places.iter().map(locate).collect() }
    }
}

impl Config {
    /// An error for each listed core that is not among `allowed`, the cores that this process may
    /// run on. None where the cores are `auto`.
    #[must_use]
    pub fn check_cores(&self, allowed: &[usize]) -> Vec<Problem> {
        let Cores::Listed(listed) = &self.engine.cores else {
            return Vec::new();
        };
        let written = &self.cores_as_written;
        let refused = listed.iter().enumerate().filter(|(_, core)| !allowed.contains(core));
        let problems = refused.map(|(index, core)| {
            // A configuration that was changed after parsing may have more cores than places.
            let (line, column, path) = written.places.get(index).cloned().unwrap_or_default();
            Problem {
                severity: Severity::Error,
                file: written.file.clone(),
                line,
                column,
                path,
                message: format!("core {core} is not one that this process may run on"),
                help: format!("the allowed cores are {}", ranges(allowed)),
            }
        });
        Problems::new(problems.collect()).into_vec()
    }
}

/// Numbers in order, three and more in a row as a range: `0-3, 8`. `none` where there are none.
fn ranges(numbers: &[usize]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let runs = sorted.chunk_by(|a, b| a + 1 == *b);
    let shown: Vec<_> = runs.flat_map(show_run).collect();
    if shown.is_empty() { "none".into() } else { shown.join(", ") }
}

fn show_run(run: &[usize]) -> Vec<String> {
    match run {
        [first, _, .., last] => vec![format!("{first}-{last}")],
        few => few.iter().map(usize::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_cores_are_shown_in_order_and_as_ranges() {
        assert_eq!(ranges(&[4, 2]), "2, 4");
        assert_eq!(ranges(&[8, 0, 1, 2, 3, 2]), "0-3, 8");
        assert_eq!(ranges(&[5, 6]), "5, 6");
        assert_eq!(ranges(&[]), "none");
    }
}
