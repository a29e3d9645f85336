//! Plausible ticker symbols: unique, in alphabetical order, as NASDAQ hands out its locates.

use std::collections::BTreeSet;

use super::random::Random;

/// NASDAQ's test symbols; their directory entries say so.
pub(super) const TEST_SYMBOLS: [&[u8; 8]; 2] = [b"ZVZZT   ", b"ZXZZT   "];

/// From this many symbols on, the test symbols are among them.
const TEST_SYMBOLS_FROM: u32 = 16;

/// Classes of share, preferred series, units, warrants, rights and when-issued.
const SUFFIXES: [&[u8]; 10] = [b".A", b".B", b"-A", b"-B", b"-C", b"=", b"+", b"^", b"#", b"-A#"];

/// `count` symbols, padded with spaces.
pub(super) fn symbols(count: u32, random: &mut Random) -> Box<[[u8; 8]]> {
    let mut unique = BTreeSet::new();
    if count >= TEST_SYMBOLS_FROM {
        unique.extend(TEST_SYMBOLS);
    }
    // Ends: there are far more spellings than 20,000.
    while unique.len() < count as usize {
        unique.insert(symbol(random));
    }
    unique.into_iter().collect()
}

fn symbol(random: &mut Random) -> [u8; 8] {
    let letters = match random.below(64) {
        0 => 1,
        1..4 => 2,
        4..24 => 3,
        24..58 => 4,
        _ => 5,
    };
    let mut symbol = [b' '; 8];
    for slot in &mut symbol[..letters] {
        *slot = letter(random);
    }
    if random.one_in(12) {
        let suffix = random.choice(&SUFFIXES);
        symbol[letters..letters + suffix.len()].copy_from_slice(suffix);
    }
    symbol
}

fn letter(random: &mut Random) -> u8 {
    random.choice(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_market_has_unique_plausible_symbols() {
        let symbols = symbols(20_000, &mut Random::new(5, 0));
        assert_eq!(symbols.len(), 20_000);
        assert!(symbols.is_sorted() && symbols.iter().collect::<BTreeSet<_>>().len() == 20_000);
        for sign in b".-+=^#" {
            assert!(symbols.iter().any(|symbol| symbol.contains(sign)), "{}", char::from(*sign));
        }
        assert!(symbols.iter().any(|symbol| symbol[7] != b' '), "none has 8 characters");
        for symbol in &symbols {
            assert!(symbol[0].is_ascii_uppercase());
            let text = symbol.trim_ascii_end();
            assert!(!text.contains(&b' ') && text.is_ascii());
        }
        assert!(TEST_SYMBOLS.iter().all(|test| symbols.contains(test)));
    }

    #[test]
    fn a_small_market_has_no_test_symbol() {
        assert_eq!(symbols(1, &mut Random::new(5, 0)).len(), 1);
        let few = symbols(15, &mut Random::new(5, 0));
        assert!(TEST_SYMBOLS.iter().all(|test| !few.contains(test)));
    }
}
