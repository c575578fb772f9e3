//! Every check of the conformance suite, in one program: linking one for each subject takes longer than running them.

// One file per subject.
automod::dir!("tests/suite");
