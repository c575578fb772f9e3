//! Checks of volumes, in a separate program.

// One file per subject.
automod::dir!("tests/volumes");
