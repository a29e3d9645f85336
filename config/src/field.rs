//! One key as it was read.

use crate::source::Place;

/// What a key holds, and where.
#[derive(Clone, Debug)]
pub(crate) struct Field<T> {
    /// Where the value stands; the head of the table where the key is left out.
    pub(crate) place: Place,
    pub(crate) state: State<T>,
}

/// Whether a key has a value.
#[derive(Clone, Debug)]
pub(crate) enum State<T> {
    /// The key is left out.
    Absent,
    /// What stands there is refused, and reported; or the key is left out of a table in which
    /// something unknown may be it, misspelled. Nothing may be concluded from such a key: one
    /// mistake is to give one problem.
    Refused,
    /// The value.
    Given(T),
}

impl<T> Field<T> {
    /// The value as written.
    pub(crate) fn given(&self) -> Option<&T> {
        match &self.state {
            State::Given(value) => Some(value),
            State::Absent | State::Refused => None,
        }
    }

    /// The same place with what `change` makes of the value.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Field<U> {
        let state = match self.state {
            State::Given(value) => State::Given(change(value)),
            State::Absent => State::Absent,
            State::Refused => State::Refused,
        };
        Field { place: self.place, state }
    }

    pub(crate) fn is_absent(&self) -> bool {
        matches!(self.state, State::Absent)
    }
}

impl<T: Clone> Field<T> {
    /// The value as written, or `default` where the key is left out. None where it was refused.
    pub(crate) fn or(&self, default: T) -> Option<T> {
        match &self.state {
            State::Given(value) => Some(value.clone()),
            State::Absent => Some(default),
            State::Refused => None,
        }
    }

    /// The value as written, None inside where the key is left out. None where it was refused.
    pub(crate) fn optional(&self) -> Option<Option<T>> {
        match &self.state {
            State::Given(value) => Some(Some(value.clone())),
            State::Absent => Some(None),
            State::Refused => None,
        }
    }
}
