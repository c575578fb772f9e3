//! Checks of deformable bodies, in a separate program.

// One file per subject.
automod::dir!("tests/simulation");
