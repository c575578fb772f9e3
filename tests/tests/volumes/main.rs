//! Checks of volumes, in a program of their own.

// One file per subject.
automod::dir!("tests/volumes");
