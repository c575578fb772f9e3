//! Checks of polygon meshes and subdivision surfaces, in a separate program, which links little.

// One file per subject.
automod::dir!("tests/surfaces");
