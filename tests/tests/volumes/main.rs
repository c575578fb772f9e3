//! Checks of volumes, in a program of their own.

// One file a subject.
automod::dir!("tests/volumes");
