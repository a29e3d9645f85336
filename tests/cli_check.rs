//! `freshlane check` and the command line as a whole, from outside.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

mod cli_support;

use std::fs;
use std::path::Path;

use cli_support::{folder, freshlane, names_in};
use freshlane_config::Config;

const BAD: &str = "\
[engine]
idel = \"spin\"

[[feed]]
name = \"nasdaq\"
venue = \"NASDAQ\"
protocol = \"itch50\"
source = \"generator\"

[[lane]]
name = \"a\"
ttl = 200
capacity = 10
";

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_mistake_is_told_at_once_with_line_and_advice() {
    let folder = folder("check-bad");
    fs::write(folder.join("bad.toml"), BAD).unwrap();
    let ran = freshlane(&folder, &["check", "bad.toml"]).ended_with(2);
    assert!(ran.stdout.is_empty());
    ran.said("  --> bad.toml:2:1: engine.idel\n  help: did you mean `idle`?")
        .said("  --> bad.toml:12:7: lane[0].ttl\n  help: write \"200ms\"")
        .said("error: bad.toml has 2 errors\n");
}

#[test]
fn mistakes_as_json_stand_on_stdout() {
    let folder = folder("check-json");
    fs::write(folder.join("bad.toml"), BAD).unwrap();
    let verdict = freshlane(&folder, &["check", "bad.toml", "--json"]).ended_with(2).json();
    assert_eq!((&verdict["valid"], &verdict["errors"]), (&false.into(), &2.into()));
    let first = &verdict["problems"][0];
    assert_eq!(
        (&first["severity"], &first["line"], &first["column"], &first["path"], &first["help"]),
        (
            &"error".into(),
            &2.into(),
            &1.into(),
            &"engine.idel".into(),
            &"did you mean `idle`?".into()
        )
    );
}

#[test]
fn a_usable_configuration_prints_what_it_means_with_units() {
    let ran = freshlane(here(), &["check", "config/default.toml"]).ended_with(0);
    assert!(ran.text().contains("ttl = \"200ms\"                    # 200000000 ns\n"));
    let effective = Config::parse("effective.toml", ran.text()).unwrap().config;
    assert_eq!(effective.to_string(), Config::embedded().unwrap().config.to_string());
    ran.said("config/default.toml is usable");
}

#[test]
fn the_embedded_configuration_is_usable() {
    let embedded = freshlane(here(), &["check", "--embedded"]).ended_with(0);
    let file = freshlane(here(), &["check", "config/default.toml"]).ended_with(0);
    assert_eq!(embedded.text(), file.text());
    let verdict = freshlane(here(), &["check", "--embedded", "--json"]).ended_with(0).json();
    assert_eq!(verdict["valid"], true);
}

#[test]
fn a_core_that_this_machine_does_not_grant_is_a_mistake() {
    let folder = folder("check-cores");
    let text = Config::EMBEDDED.replace("cores = \"auto\"", "cores = [1023]");
    fs::write(folder.join("cores.toml"), text).unwrap();
    let ran = freshlane(&folder, &["check", "cores.toml"]).ended_with(2);
    assert!(ran.stdout.is_empty());
    ran.said("core 1023").said("engine.cores[0]").said("the allowed cores are ");
}

#[test]
fn a_file_that_cannot_be_read_is_wrong_usage() {
    let folder = folder("check-unreadable");
    freshlane(&folder, &["check", "no.toml"]).ended_with(2).said("cannot be read").said("no.toml");
    freshlane(&folder, &["check", "."]).ended_with(2).said("cannot be read");
    fs::write(folder.join("latin1.toml"), b"# caf\xe9\n").unwrap();
    freshlane(&folder, &["check", "latin1.toml"]).ended_with(2).said("not UTF-8");
    freshlane(&folder, &["check"]).ended_with(2).said("<CONFIG>");
}

/// One loader: what `check` refuses, the engine refuses, with the same words.
#[test]
fn the_engine_refuses_what_check_refuses() {
    let corpus = here().join("config/tests/refused");
    for name in names_in(&corpus) {
        let checked = freshlane(&corpus, &["check", &name]).ended_with(2);
        assert!(checked.stdout.is_empty(), "{name}");
        let verbs =
            [&["run", &name, "--for", "1ms"][..], &["replay", "no-capture", "--config", &name]];
        for verb in verbs {
            let ran = freshlane(&corpus, verb).ended_with(2);
            assert!(ran.stdout.is_empty(), "{name}");
            let problems = ran.stderr.trim_end();
            assert!(checked.stderr.starts_with(problems), "{problems}\n\n{}", checked.stderr);
        }
    }
}

#[test]
fn help_and_version_go_to_stdout() {
    for arguments in
        [&["--help"][..], &["help"], &["-V"], &["inspect", "-h"], &["gen", "itch", "--help"]]
    {
        let ran = freshlane(here(), arguments).ended_with(0);
        assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{arguments:?}");
    }
    let help = freshlane(here(), &["--help"]);
    for word in ["run", "replay", "inspect", "gen", "check", "Examples:", "Exit codes:"] {
        assert!(help.text().contains(word), "{word}");
    }
}

#[test]
fn wrong_usage_is_told_on_stderr() {
    for arguments in [&[][..], &["gen"], &["inspct", "a.itch"], &["inspect"], &["check", "-x"]] {
        let ran = freshlane(here(), arguments).ended_with(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("Usage:"), "{arguments:?}");
    }
}
