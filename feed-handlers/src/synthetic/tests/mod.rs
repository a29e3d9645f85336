//! Whole streams, followed by a naive book.

mod day;
mod file;
mod live;
mod naive_book;
