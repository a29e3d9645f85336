//! Topics `market-data.VENUE.SYMBOL` and the patterns that select them.

use std::fmt;
use std::str::FromStr;

/// The topic of an instrument. Its words lie between dots; a symbol that holds dots makes more
/// than one word: `market-data.NASDAQ.BRK.A` has four.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Topic<'a> {
    /// The venue's name.
    pub venue: &'a str,
    /// The venue's symbol.
    pub symbol: &'a str,
}

impl<'a> Topic<'a> {
    /// The first word of every topic.
    pub const ROOT: &'static str = "market-data";

    /// The words in order, never none. Allocates nothing.
    pub fn words(self) -> impl Iterator<Item = &'a str> + Clone {
        let parts = [Self::ROOT, self.venue, self.symbol];
        parts.into_iter().flat_map(|part| part.split('.'))
    }
}

impl fmt::Display for Topic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", Self::ROOT, self.venue, self.symbol)
    }
}

/// A topic pattern with the wildcards of AMQP: a word `*` stands for exactly one word, a word `#`
/// for any number of words, also none. Inside a longer word both are ordinary characters, as some
/// venues use them in symbols (`ABC#`).
///
/// ```
/// use freshlane_bus::{Pattern, Topic};
///
/// let pattern: Pattern = "market-data.NASDAQ.BRK.*".parse()?;
/// assert!(pattern.matches(Topic { venue: "NASDAQ", symbol: "BRK.A" }));
/// assert!(!pattern.matches(Topic { venue: "NASDAQ", symbol: "BRK" }));
/// # Ok::<(), freshlane_bus::ParsePatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    words: Box<[Word]>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Word {
    Exactly(Box<str>),
    /// `*`
    One,
    /// `#`
    AnyNumber,
}

/// Why a text is no [`Pattern`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParsePatternError {
    /// No text.
    #[error("a topic pattern cannot be empty; `market-data.#` selects everything")]
    Empty,
    /// Nothing between two dots, or before the first or after the last.
    #[error("a topic pattern has a word between any two dots; word {position} is empty")]
    EmptyWord {
        /// Which word, counted from 1.
        position: usize,
    },
    /// Longer than an AMQP routing key may be.
    #[error("a topic pattern has at most {max} bytes; this one has {len}")]
    TooLong {
        /// Its length, bytes.
        len: usize,
        /// What is allowed, bytes.
        max: usize,
    },
}

impl Pattern {
    /// The longest pattern, bytes: that of AMQP.
    pub const LEN_MAX_BYTES: usize = 255;

    /// The pattern that `text` is.
    ///
    /// # Errors
    /// [`ParsePatternError`] where it is empty, too long, or has an empty word.
    pub fn parse(text: &str) -> Result<Self, ParsePatternError> {
        if text.is_empty() {
            return Err(ParsePatternError::Empty);
        }
        if text.len() > Self::LEN_MAX_BYTES {
            let max = Self::LEN_MAX_BYTES;
            return Err(ParsePatternError::TooLong { len: text.len(), max });
        }
        let words = text.split('.').enumerate().map(|(index, word)| match word {
            "" => Err(ParsePatternError::EmptyWord { position: index + 1 }),
            "*" => Ok(Word::One),
            "#" => Ok(Word::AnyNumber),
            literal => Ok(Word::Exactly(literal.into())),
        });
        Ok(Self { words: words.collect::<Result<_, _>>()? })
    }

    /// Whether the pattern selects `topic`. Allocates nothing; takes at most (words of the
    /// pattern) × (words of the topic) steps, however many `#` there are.
    #[must_use]
    pub fn matches(&self, topic: Topic<'_>) -> bool {
        self.matches_words(topic.words())
    }

    /// Walks both from the left. After a mismatch, only the last `#` has to take one word more:
    /// what an earlier one would take more, the last one can take as well.
    fn matches_words<'a>(&self, mut rest: impl Iterator<Item = &'a str> + Clone) -> bool {
        let mut position = 0;
        let mut after_last_any = None;
        loop {
            let wanted = self.words.get(position);
            if wanted == Some(&Word::AnyNumber) {
                position += 1;
                after_last_any = Some((position, rest.clone()));
                continue;
            }
            let mut ahead = rest.clone();
            match (wanted, ahead.next()) {
                (None, None) => return true,
                (Some(wanted), Some(word)) if wanted.stands_for(word) => {
                    position += 1;
                    rest = ahead;
                }
                // Words are missing; a `#` that took more would leave still fewer.
                (Some(_), None) => return false,
                (_, Some(_)) => {
                    let Some((retry_position, retry_rest)) = &mut after_last_any else {
                        return false;
                    };
                    retry_rest.next();
                    position = *retry_position;
                    rest = retry_rest.clone();
                }
            }
        }
    }
}

impl Word {
    fn stands_for(&self, word: &str) -> bool {
        match self {
            Self::Exactly(literal) => **literal == *word,
            Self::One | Self::AnyNumber => true,
        }
    }
}

impl FromStr for Pattern {
    type Err = ParsePatternError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.words.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            let word = match word {
                Word::Exactly(literal) => literal,
                Word::One => "*",
                Word::AnyNumber => "#",
            };
            write!(f, "{dot}{word}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, venue: &str, symbol: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(Topic { venue, symbol })
    }

    #[test]
    fn a_dot_in_a_symbol_makes_another_word() {
        for (pattern, selected) in [
            ("market-data.NASDAQ.BRK.A", true),
            ("market-data.NASDAQ.*", false),
            ("market-data.NASDAQ.BRK.*", true),
            ("market-data.NASDAQ.BRK.#", true),
            ("market-data.NASDAQ.#", true),
            ("market-data.NASDAQ.*.*", true),
            ("market-data.NASDAQ.BRK", false),
            ("market-data.NASDAQ.BRK.A.#", true),
            ("market-data.NASDAQ.BRK.A.*", false),
            ("#.A", true),
            ("#", true),
            ("*", false),
            ("#.#", true),
            ("#.NYSE.#", false),
        ] {
            assert_eq!(matches(pattern, "NASDAQ", "BRK.A"), selected, "{pattern}");
        }
    }

    #[test]
    fn a_wildcard_inside_a_word_is_an_ordinary_character() {
        assert!(matches("market-data.NASDAQ.ABC#", "NASDAQ", "ABC#"));
        assert!(!matches("market-data.NASDAQ.ABC#", "NASDAQ", "ABCD"));
        assert!(!matches("market-data.NASDAQ.A*", "NASDAQ", "AB"));
    }

    #[test]
    fn odd_symbols_have_a_topic_too() {
        assert!(matches("market-data.NASDAQ.*.*", "NASDAQ", "BRK."), "the last word is empty");
        assert!(matches("market-data.NASDAQ.*", "NASDAQ", ""), "so is the only one here");
        assert!(matches("#", "", "..."));
    }

    #[test]
    fn refuses_what_cannot_be_meant() {
        use ParsePatternError::{Empty, EmptyWord, TooLong};
        let long = "x".repeat(256);
        for (text, error) in [
            ("", Empty),
            (".", EmptyWord { position: 1 }),
            ("market-data..X", EmptyWord { position: 2 }),
            ("market-data.", EmptyWord { position: 2 }),
            (&long, TooLong { len: 256, max: 255 }),
        ] {
            assert_eq!(Pattern::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn many_any_number_words_do_not_explode() {
        let pattern = format!("{}x", "#.a.".repeat(60));
        let symbol = "a.".repeat(2_000);
        // Backtracking into every `#` would take longer than the universe lasts.
        assert!(!matches(&pattern, "V", &symbol));
    }

    /// The definition, written down: a `#` tries every number of words.
    fn by_definition(pattern: &[&str], words: &[&str]) -> bool {
        match pattern.split_first() {
            None => words.is_empty(),
            Some((&"#", rest)) => (0..=words.len()).any(|n| by_definition(rest, &words[n..])),
            Some((&"*", rest)) => !words.is_empty() && by_definition(rest, &words[1..]),
            Some((literal, rest)) => {
                words.first() == Some(literal) && by_definition(rest, &words[1..])
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            pattern in prop::collection::vec(prop::sample::select(vec!["a", "b", "*", "#"]), 1..7),
            symbol in prop::collection::vec(prop::sample::select(vec!["a", "b", ""]), 1..7),
            rooted in any::<bool>(),
        ) {
            let mut pattern = pattern;
            if rooted {
                pattern.insert(0, "market-data");
            }
            let text = pattern.join(".");
            let parsed = Pattern::parse(&text).unwrap();
            prop_assert_eq!(parsed.to_string(), text);
            let symbol = symbol.join(".");
            let topic = Topic { venue: "a", symbol: &symbol };
            let topic_text = topic.to_string();
            let words: Vec<_> = topic_text.split('.').collect();
            prop_assert_eq!(parsed.matches(topic), by_definition(&pattern, &words));
        }

        #[test]
        fn any_text_gives_a_pattern_or_a_named_error(text in ".*") {
            if let Ok(pattern) = Pattern::parse(&text) {
                prop_assert_eq!(pattern.to_string(), text);
            }
        }
    }
}
