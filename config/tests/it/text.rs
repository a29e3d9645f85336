//! Texts to start from.

use freshlane_config::schema::TableSpec;
use freshlane_config::{Config, Problem, Problems};

/// The shortest valid feed, live.
pub(crate) const FEED: &str = r#"
[[feed]]
name = "nasdaq"
venue = "NASDAQ"
protocol = "itch50"
source = "generator"
"#;

/// The shortest valid feed from a file.
pub(crate) const FILE_FEED: &str = r#"
[[feed]]
name = "capture"
venue = "NASDAQ"
protocol = "itch50"
source = "file"
file = "day.itch"
"#;

/// The shortest valid lane.
pub(crate) const LANE: &str = r#"
[[lane]]
name = "algo"
ttl = "200ms"
capacity = 50000
"#;

/// The shortest lane with `keys` added, after the shortest live feed.
pub(crate) fn lane_with(keys: &str) -> String {
    format!("{FEED}{LANE}{keys}\n")
}

/// The configuration, which must be valid, and whatever is warned of.
pub(crate) fn valid(text: &str) -> (Config, Vec<Problem>) {
    match Config::parse("test.toml", text) {
        Ok(loaded) => (loaded.config, loaded.warnings),
        Err(problems) => panic!("refused:\n{problems}\nin\n{text}"),
    }
}

/// The problems, of which there must be some.
pub(crate) fn refused(text: &str) -> Problems {
    match Config::parse("test.toml", text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(problems) => problems,
    }
}

/// The one problem that there must be.
pub(crate) fn one(problems: impl IntoIterator<Item = Problem>) -> Problem {
    let problems: Vec<_> = problems.into_iter().collect();
    let [problem] = problems.as_slice() else {
        panic!("{} problems: {problems:#?}", problems.len());
    };
    problem.clone()
}

/// A valid text with every table in it once, each as a header with its lines.
#[derive(Clone, Debug)]
pub(crate) struct Tables(pub(crate) Vec<(&'static str, Vec<String>)>);

impl Tables {
    pub(crate) fn all() -> Self {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        Self(vec![
            ("", Vec::new()),
            ("[engine]", lines("idle = \"yield\"")),
            ("[admin]", lines("enabled = true")),
            (
                "[[feed]]",
                lines(
                    "name = \"nasdaq\"\nvenue = \"NASDAQ\"\nprotocol = \"itch50\"\n\
                     source = \"generator\"",
                ),
            ),
            ("[feed.generator]", lines("seed = 7")),
            ("[[lane]]", lines("name = \"algo\"\nttl = \"200ms\"\ncapacity = 50000")),
            ("[lane.consumer]", lines("service_time = \"1us\"")),
        ])
    }

    fn lines_of(&mut self, spec: &TableSpec) -> &mut Vec<String> {
        let table = self.0.iter_mut().find(|(header, _)| *header == spec.header);
        &mut table.expect("every table is there").1
    }

    /// With `line` first in that table, and no other line for the same key.
    pub(crate) fn with(mut self, spec: &TableSpec, line: &str) -> Self {
        let key = line.split(" = ").next().unwrap_or(line).to_owned();
        let mut tables = self.without(spec, &key);
        tables.lines_of(spec).insert(0, line.to_owned());
        self = tables;
        self
    }

    /// Without a line for that key in that table.
    pub(crate) fn without(mut self, spec: &TableSpec, key: &str) -> Self {
        self.lines_of(spec).retain(|line| line.split(" = ").next() != Some(key));
        self
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (header, lines) in &self.0 {
            text += &format!("{header}\n{}\n", lines.join("\n"));
        }
        text
    }

    /// The number of the line that is `line`, from 1.
    pub(crate) fn line_number(&self, line: &str) -> usize {
        self.text().lines().position(|known| known == line).expect("the line is there") + 1
    }
}
