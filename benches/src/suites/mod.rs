//! Rows that need no other crate: what Freshlane is compared with here is itself.

pub mod book;
pub mod book_by_type;
pub mod frozen_lanes;
pub mod gate;
pub mod memory;
pub mod recorder;
pub mod whole_path;

use std::path::Path;

use crate::session::{Session, SessionError};

/// Runs every suite that `session` wants; `memory_probe` is handed to [`memory::run`].
///
/// # Errors
/// [`SessionError`]; the rows before it are kept.
pub fn run(session: &mut Session, memory_probe: Option<&Path>) -> Result<(), SessionError> {
    book::run(session)?;
    book_by_type::run(session)?;
    memory::run(session, memory_probe)?;
    gate::run(session)?;
    recorder::run(session)?;
    whole_path::run(session)?;
    frozen_lanes::run(session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Scale, Suite};

    /// Every suite in its smallest size: what they measure must not rot.
    #[test]
    fn every_suite_gives_rows() {
        let mut session = Session::start(Scale::Tiny, None, None).unwrap();
        run(&mut session, None).unwrap();
        let has_rows = |suite| session.rows().iter().any(|row| row.suite == suite);
        let on_one_core =
            [Suite::Book, Suite::BookByType, Suite::Gate, Suite::Recorder, Suite::WholePath];
        assert!(on_one_core.into_iter().all(has_rows), "{:?}", session.rows());
    }
}
