//! Checks of polygon meshes and subdivision surfaces, in a program of their own, which links little.

// One file per subject.
automod::dir!("tests/surfaces");
