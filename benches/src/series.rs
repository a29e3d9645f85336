//! One figure of each round.

use serde::{Deserialize, Serialize};

/// A figure that every round gives, in the order of the rounds.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Series(Vec<f64>);

impl Series {
    /// The figures of the rounds.
    #[must_use]
    pub fn new(values: Vec<f64>) -> Self {
        Self(values)
    }

    /// The figures, in the order of the rounds.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// How many rounds there were.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.0.len()
    }

    /// The middle one; of an even number the mean of the two in the middle; `NaN` of none.
    #[must_use]
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        match sorted.len() {
            0 => f64::NAN,
            len if len % 2 == 1 => sorted[len / 2],
            len => f64::midpoint(sorted[len / 2 - 1], sorted[len / 2]),
        }
    }

    /// The smallest; `NaN` of none.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.sorted().first().copied().unwrap_or(f64::NAN)
    }

    /// The largest; `NaN` of none.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.sorted().last().copied().unwrap_or(f64::NAN)
    }

    /// Both series round by round.
    #[must_use]
    pub fn zip(&self, other: &Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| combine(*a, *b)).collect())
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        for (values, median, min, max) in [
            (vec![3.0], 3.0, 3.0, 3.0),
            (vec![9.0, 1.0, 2.0], 2.0, 1.0, 9.0),
            (vec![4.0, 1.0, 2.0, 100.0], 3.0, 1.0, 100.0),
        ] {
            let series = Series::new(values);
            assert_eq!((series.median(), series.min(), series.max()), (median, min, max));
        }
        assert!(Series::default().median().is_nan() && Series::default().min().is_nan());
    }

    #[test]
    fn rounds_are_combined_one_by_one() {
        let (a, b) = (Series::new(vec![2.0, 9.0]), Series::new(vec![1.0, 3.0]));
        assert_eq!(a.zip(&b, |a, b| a / b).values(), [2.0, 3.0]);
    }
}
