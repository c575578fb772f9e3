//! Every check of the conformance suite, in one program: linking one for each subject took longer than running them.

// One file a subject.
automod::dir!("tests/suite");
