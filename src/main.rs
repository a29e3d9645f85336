//! The `freshlane` binary. Each verb of its command line is a file in `cli`.

#![forbid(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
