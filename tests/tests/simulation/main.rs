//! Checks of deformable bodies, in a program of their own.

// One file per subject.
automod::dir!("tests/simulation");
