//! Any text is a configuration, or has problems that can be printed.

#![no_main]

use freshlane_config::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Config::parse("fuzz.toml", text) {
        Ok(loaded) => {
            assert!(!loaded.config.feeds.is_empty() && !loaded.config.lanes.is_empty());
            for feed in &loaded.config.feeds {
                assert!(loaded.config.venue_id(&feed.venue).is_some());
            }
        }
        Err(problems) => assert!(!problems.to_string().is_empty()),
    }
});
