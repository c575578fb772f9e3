//! Checks of deformable bodies, in a program of their own.

// One file a subject.
automod::dir!("tests/simulation");
