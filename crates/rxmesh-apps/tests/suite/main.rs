//! The program's tests, by subject.

automod::dir!("tests/suite");
