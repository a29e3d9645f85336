//! The name that someone probably meant.

/// Below this similarity two names have nothing to do with each other.
const SIMILARITY_MIN: f64 = 0.7;

/// Longer than any known name; the comparison is quadratic in the length.
const NAME_LEN_MAX: usize = 64;

/// How alike two names are, from 0 to 1. Case and the choice of `-` or `_` do not count, and a name
/// that lacks only a qualifier (`timeout` for `shutdown_timeout`) is alike.
pub(crate) fn similarity(written: &str, known: &str) -> f64 {
    const QUALIFIED: f64 = 0.8;
    if written.len() > NAME_LEN_MAX {
        return 0.0;
    }
    let written = written.to_lowercase().replace('-', "_");
    let known = known.to_lowercase().replace('-', "_");
    let alike = strsim::jaro_winkler(&written, &known);
    let is_part = |part: &str, whole: &str| part.len() >= 3 && whole.contains(part);
    if is_part(&written, &known) || is_part(&known, &written) {
        return alike.max(QUALIFIED);
    }
    alike
}

/// The known names, the most alike first.
pub(crate) fn nearest_first<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Vec<&'k str> {
    let mut ranked: Vec<_> =
        known.into_iter().map(|name| (similarity(written, name), name)).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// The most alike of the known names, where it is alike at all.
pub(crate) fn nearest<'k>(
    written: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<&'k str> {
    let best = nearest_first(written, known).into_iter().next()?;
    (similarity(written, best) >= SIMILARITY_MIN).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_finds_its_key() {
        let known = ["name", "ttl", "margin", "capacity", "overflow", "shutdown_timeout"];
        for (written, meant) in [
            ("ttl_msec", "ttl"),
            ("ttl_ms", "ttl"),
            ("TTL", "ttl"),
            ("marign", "margin"),
            ("capactiy", "capacity"),
            ("over-flow", "overflow"),
            ("timeout", "shutdown_timeout"),
            ("shutdown-timeout", "shutdown_timeout"),
        ] {
            assert_eq!(nearest(written, known), Some(meant), "{written}");
        }
        assert_eq!(nearest("zzz", known), None);
        assert_eq!(nearest(&"ttl".repeat(100_000), known), None);
    }
}
