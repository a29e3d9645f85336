//! Rows as a document: the goals first, then everything, then the rows themselves.

use std::fmt::Write;

use crate::plan::Suite;
use crate::row::{Comparison, Figures, Row, Verdict};

/// The document of a run: `header` says what it was measured on and with.
#[must_use]
pub fn document(title: &str, header: &[(String, String)], rows: &[Row]) -> String {
    let mut text = format!("# {title}\n\n");
    for (name, value) in header {
        let _ = writeln!(text, "- {name}: {value}");
    }
    text.push_str(READING);
    text.push_str(&hops(rows));
    text.push_str("\n## Goals\n\n");
    text.push_str(&table(rows.iter().filter(|row| row.verdict().is_some())));
    for (suite, _, heading) in Suite::ALL {
        let of_suite: Vec<_> = rows.iter().filter(|row| row.suite == suite).collect();
        if !of_suite.is_empty() {
            let _ = write!(text, "\n## {heading}\n\n{}", table(of_suite.iter().copied()));
            text.push_str(&notes(&of_suite));
        }
    }
    text.push_str("\n## Rows\n\nOne line of JSON each, with every round.\n\n```json\n");
    for row in rows {
        text.push_str(&serde_json::to_string(row).unwrap_or_default());
        text.push('\n');
    }
    text.push_str("```\n");
    text
}

const READING: &str = "\nFigures are medians over rounds, with the smallest in brackets; rivals of a \
line ran in turns in the same rounds, and the comparison is the median of the rounds' own, with \
its range. `×` under comparison is ours divided by the other's; `× as fast` is the other's divided \
by ours. Compare lines by their comparisons, never by figures of different lines.\n";

fn hops(rows: &[Row]) -> String {
    let mut text = String::new();
    for distance in crate::hop::CoreDistance::ALL {
        let hops: Vec<f64> = rows
            .iter()
            .filter(|row| row.distance == Some(distance))
            .filter_map(|row| row.hop_ns)
            .collect();
        let series = crate::series::Series::new(hops);
        if series.rounds() > 0 {
            let (min, max) = (number(series.min()), number(series.max()));
            let name = distance.name();
            let _ = writeln!(text, "\nCache-line hop, one way, {name} cores: {min} to {max} ns.");
        }
    }
    text
}

fn table<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let mut text = String::from(
        "| what | cores | ours | beside | comparison | goal | met | rounds |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.what,
            cores(row),
            figures(&row.ours, &row.unit),
            row.rival.as_ref().map_or(String::new(), |rival| figures(rival, &row.unit)),
            comparison(row),
            goal(row),
            row.ours.rounds.rounds(),
        );
    }
    text
}

fn notes(rows: &[&Row]) -> String {
    let mut notes: Vec<_> = rows.iter().filter_map(|row| row.note.as_ref()).collect();
    notes.dedup();
    let mut text = String::new();
    for note in notes {
        let _ = write!(text, "\n{note}\n");
    }
    text
}

fn cores(row: &Row) -> String {
    match (row.distance, row.hop_ns) {
        (Some(distance), Some(hop_ns)) => format!("{} ({})", distance.name(), number(hop_ns)),
        _ => "one".into(),
    }
}

fn figures(figures: &Figures, unit: &str) -> String {
    let (median, min) = (figures.rounds.median(), figures.rounds.min());
    if figures.rounds.rounds() == 1 {
        return format!("{}: {} {unit}", figures.name, number(median));
    }
    format!("{}: {} ({}) {unit}", figures.name, number(median), number(min))
}

fn comparison(row: &Row) -> String {
    let Some(compared) = &row.compared else { return String::new() };
    let unit = match compared.how {
        Comparison::Alone => return String::new(),
        Comparison::TimesAsFast => "× as fast".into(),
        how => row.compared_unit(how),
    };
    let rounds = &compared.rounds;
    let range = format!("{} to {}", number(rounds.min()), number(rounds.max()));
    format!("{}{unit} ({range})", number(rounds.median()))
}

fn goal(row: &Row) -> String {
    match row.verdict() {
        None => " | ".into(),
        Some((goal, Verdict::Met)) => format!("{goal} | yes"),
        Some((goal, Verdict::Missed)) => format!("{goal} | **no**"),
        Some((goal, Verdict::TooFewRounds)) => format!("{goal} | too few rounds"),
    }
}

/// A row as it is shown while the run goes on.
#[must_use]
pub fn in_one_line(row: &Row) -> String {
    let mut line = format!("{} [{}] {}", row.what, cores(row), figures(&row.ours, &row.unit));
    if let Some(rival) = &row.rival {
        let _ = write!(line, " | {}", figures(rival, &row.unit));
    }
    for part in [comparison(row), goal(row).replace(" | ", " ").trim().to_owned()] {
        if !part.is_empty() {
            let _ = write!(line, " | {part}");
        }
    }
    line
}

/// Three digits where there are as many before the point, else two or three after it.
fn number(value: f64) -> String {
    match value.abs() {
        magnitude if magnitude >= 100.0 => format!("{value:.0}"),
        magnitude if magnitude >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Standing;
    use crate::series::Series;

    fn rows() -> Vec<Row> {
        let ours = Standing { name: "ours".into(), each_ns: Series::new(vec![10.0; 5]) };
        let rival = Series::new(vec![20.0, 40.0, 40.0, 40.0, 80.0]);
        let row = Row::of(Suite::Decode, "all fields", "ns/message", &ours);
        vec![
            row.clone().against("itchy", &rival, Comparison::TimesAsFast).goal(3.5),
            row.against("itch5", &rival, Comparison::Times).goal(0.1).note("The same bytes."),
        ]
    }

    #[test]
    fn the_document_has_goals_tables_notes_and_rows() {
        let header = [("CPU".to_owned(), "a".to_owned())];
        let text = document("Bench results", &header, &rows());
        let met = "| all fields | one | ours: 10.0 (10.0) ns/message | itchy: 40.0 (20.0) ns/message \
                   | 4.00× as fast (2.00 to 8.00) | ≥ 3.5× | yes | 5 |";
        assert_eq!(text.matches(met).count(), 2, "{text}");
        assert!(text.contains("| 0.25× (0.12 to 0.50) | ≤ 0.1× | **no** | 5 |"), "{text}");
        assert!(text.starts_with("# Bench results\n\n- CPU: a\n"));
        assert!(text.contains("\n\nThe same bytes.\n"));
        let json = text.split("```json\n").nth(1).and_then(|rest| rest.split("\n```").next());
        let lines: Result<Vec<Row>, _> = json.unwrap().lines().map(serde_json::from_str).collect();
        assert_eq!(lines.unwrap(), rows());
    }

    #[test]
    fn suites_without_rows_have_no_heading() {
        let text = document("T", &[], &rows());
        assert!(text.contains("## ITCH 5.0 decode") && !text.contains("## Memory"));
    }

    #[test]
    fn progress_tells_the_same_in_a_line() {
        let line = in_one_line(&rows()[0]);
        assert_eq!(
            line,
            "all fields [one] ours: 10.0 (10.0) ns/message | itchy: 40.0 (20.0) ns/message | \
             4.00× as fast (2.00 to 8.00) | ≥ 3.5× yes"
        );
    }
}
