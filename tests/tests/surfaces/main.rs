//! Checks of polygon meshes and subdivision surfaces, in a program of their own: what it links is small.

// One file a subject.
automod::dir!("tests/surfaces");
