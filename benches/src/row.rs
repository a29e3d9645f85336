//! One line of the results: a figure of ours, a rival's, how they compare, and the goal.

use serde::{Deserialize, Serialize};

use crate::contest::Standing;
use crate::hop::CoreDistance;
use crate::plan::Suite;
use crate::series::Series;
use crate::two_cores::AtDistance;

/// How two figures are compared, round by round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Ours divided by the rival's: below 1 we are faster.
    Times,
    /// The rival's divided by ours: above 1 we are faster.
    TimesAsFast,
    /// Ours less the rival's, in the unit of both.
    OnTop,
    /// Ours alone, in its unit.
    Alone,
}

impl Comparison {
    fn of(self, ours: &Series, rival: &Series) -> Series {
        match self {
            Self::Times => ours.zip(rival, |ours, rival| ours / rival),
            Self::TimesAsFast => ours.zip(rival, |ours, rival| rival / ours),
            Self::OnTop => ours.zip(rival, |ours, rival| ours - rival),
            Self::Alone => ours.clone(),
        }
    }

    /// Whether a goal of this comparison is met from its limit upwards.
    const fn is_better_above(self) -> bool {
        matches!(self, Self::TimesAsFast)
    }
}

/// A named figure of each round.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Whose.
    pub name: String,
    /// Round by round, in the row's unit.
    pub rounds: Series,
}

/// A comparison and what it gave.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// How.
    pub how: Comparison,
    /// Round by round.
    pub rounds: Series,
    /// The limit that the median is to keep; `None` where the row only tells.
    pub goal: Option<f64>,
}

/// Whether a goal is met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is.
    Met,
    /// It is not.
    Missed,
    /// Nobody can tell from so few rounds.
    TooFewRounds,
}

/// One line of the results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Where it belongs.
    pub suite: Suite,
    /// What was measured.
    pub what: String,
    /// Of the figures: `ns/message`.
    pub unit: String,
    /// The distance of the two cores; `None` where one core does all.
    pub distance: Option<CoreDistance>,
    /// The median of the hop probes around it, ns one way.
    pub hop_ns: Option<f64>,
    /// Ours, or what stands alone.
    pub ours: Figures,
    /// What it is compared with.
    pub rival: Option<Figures>,
    /// How they compare.
    pub compared: Option<Compared>,
    /// What a reader should know.
    pub note: Option<String>,
}

impl Row {
    /// Fewer rounds than this decide nothing.
    pub const ROUNDS_MIN: usize = 5;

    /// A row of one figure on one core.
    #[must_use]
    pub fn of(suite: Suite, what: impl Into<String>, unit: &str, ours: &Standing) -> Self {
        Self {
            suite,
            what: what.into(),
            unit: unit.into(),
            distance: None,
            hop_ns: None,
            ours: Figures { name: ours.name.clone(), rounds: ours.each_ns.clone() },
            rival: None,
            compared: None,
            note: None,
        }
    }

    /// A row of one figure on two cores; `names[0]` is that of contender `index` of `at`.
    #[must_use]
    pub fn at(
        suite: Suite,
        what: impl Into<String>,
        unit: &str,
        at: &AtDistance,
        (index, name): (usize, &str),
    ) -> Self {
        let standing = Standing { name: name.into(), each_ns: at.figures[index].clone() };
        Self {
            distance: Some(at.distance),
            hop_ns: Some(at.hop_ns.median()),
            ..Self::of(suite, what, unit, &standing)
        }
    }

    /// Beside a rival's figure, without a goal.
    #[must_use]
    pub fn against(mut self, name: impl Into<String>, rounds: &Series, how: Comparison) -> Self {
        let compared = how.of(&self.ours.rounds, rounds);
        self.compared = Some(Compared { how, rounds: compared, goal: None });
        self.rival = Some(Figures { name: name.into(), rounds: rounds.clone() });
        self
    }

    /// With a limit for the median of the comparison, or of the figure itself where there is none:
    /// at most, or at least for [`Comparison::TimesAsFast`].
    #[must_use]
    pub fn goal(mut self, limit: f64) -> Self {
        let alone =
            Compared { how: Comparison::Alone, rounds: self.ours.rounds.clone(), goal: None };
        self.compared.get_or_insert(alone).goal = Some(limit);
        self
    }

    /// With something that a reader should know.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The goal in words and whether it is met; `None` where there is none.
    #[must_use]
    pub fn verdict(&self) -> Option<(String, Verdict)> {
        let compared = self.compared.as_ref()?;
        let goal = compared.goal?;
        let median = compared.rounds.median();
        let (sign, is_met) = match compared.how.is_better_above() {
            true => ('≥', median >= goal),
            false => ('≤', median <= goal),
        };
        let needed = if self.is_timed() { Self::ROUNDS_MIN } else { 1 };
        let verdict = match (compared.rounds.rounds() >= needed, is_met) {
            (false, _) => Verdict::TooFewRounds,
            (true, true) => Verdict::Met,
            (true, false) => Verdict::Missed,
        };
        Some((format!("{sign} {goal}{}", self.compared_unit(compared.how)), verdict))
    }

    /// Whether the figure is a time, which is worth nothing without repetition.
    fn is_timed(&self) -> bool {
        self.unit.starts_with("ns")
    }

    /// The unit of the comparison, as it follows a number.
    pub(crate) fn compared_unit(&self, how: Comparison) -> String {
        match how {
            Comparison::Times | Comparison::TimesAsFast => "×".into(),
            Comparison::OnTop | Comparison::Alone => format!(" {}", self.unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(name: &str, rounds: [f64; 5]) -> Standing {
        Standing { name: name.into(), each_ns: Series::new(rounds.into()) }
    }

    fn row() -> Row {
        let ours = standing("ours", [2.0, 2.0, 2.0, 4.0, 2.0]);
        Row::of(Suite::Decode, "decode", "ns/message", &ours)
    }

    #[test]
    fn each_comparison_has_its_sense() {
        let rival = standing("rival", [8.0; 5]).each_ns;
        for (how, median, goal, verdict, text) in [
            (Comparison::Times, 0.25, 0.3, Verdict::Met, "≤ 0.3×"),
            (Comparison::Times, 0.25, 0.2, Verdict::Missed, "≤ 0.2×"),
            (Comparison::TimesAsFast, 4.0, 3.5, Verdict::Met, "≥ 3.5×"),
            (Comparison::TimesAsFast, 4.0, 5.0, Verdict::Missed, "≥ 5×"),
            (Comparison::OnTop, -6.0, 3.0, Verdict::Met, "≤ 3 ns/message"),
        ] {
            let row = row().against("rival", &rival, how).goal(goal);
            assert_eq!(row.compared.as_ref().unwrap().rounds.median(), median);
            assert_eq!(row.verdict(), Some((text.into(), verdict)));
        }
    }

    #[test]
    fn a_figure_alone_may_have_a_goal_and_a_row_none() {
        assert_eq!(row().goal(2.5).verdict(), Some(("≤ 2.5 ns/message".into(), Verdict::Met)));
        assert_eq!(row().verdict(), None);
    }

    #[test]
    fn few_rounds_decide_nothing_about_a_time() {
        let few = Series::new(vec![1.0; 4]);
        let mut row = row();
        row.ours.rounds = few;
        assert_eq!(row.clone().goal(9.0).verdict().unwrap().1, Verdict::TooFewRounds);
        row.unit = "MiB".into();
        assert_eq!(row.goal(9.0).verdict().unwrap().1, Verdict::Met);
    }

    #[test]
    fn a_row_survives_its_json_line() {
        let row = row().against("r", &Series::new(vec![1.5; 5]), Comparison::Times).goal(1.2);
        let line = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&line).unwrap(), row);
    }
}
