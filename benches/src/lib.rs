//! How Freshlane is measured: each part beside its rival in the same run.
//!
//! A machine that others share lies: its cores move nearer and farther, its speed has phases, and
//! its time has gaps. So nothing here is judged by an absolute figure. [`contest`] runs rivals in
//! turns on the same work, in short slices, and compares them round by round; [`two_cores`] also
//! probes how far the two cores are apart right before and after each run ([`hop`]) and keeps near
//! and far rounds apart. What comes out is a [`row::Row`] with every round's ratio; [`table`] prints
//! rows with the goals that they were measured against.
//!
//! [`suites`] holds the rows that need no other crate. Rivals that are crates are measured by the
//! package in `benches/versus`, by the same harness.

#![forbid(unsafe_code)]

pub mod contest;
pub mod cores;
pub mod day;
pub mod fold;
pub mod hop;
pub mod machine;
pub mod memory_source;
pub mod micro;
pub mod paced;
pub mod pair;
pub mod path;
pub mod plan;
pub mod row;
pub mod sample_quotes;
pub mod series;
pub mod session;
pub mod stopwatch;
pub mod suites;
pub mod table;
pub mod timekeeping;
pub mod two_cores;
