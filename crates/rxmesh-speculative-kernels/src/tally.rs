//! Counters of a launch.

/// Counters that the blocks of a launch share, by word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Tally {
    /// Number of seeds that were examined. (Word 0 is not used: the device compiler does not give the very address of
    /// an argument an address space.)
    Seeds = 1,
    /// Number of cavities that could be cut: the patch owned all their vertices.
    Candidates = 2,
    /// Number of candidates that lost against another of the patch.
    Conflicts = 3,
    /// Number of seeds whose change is not allowed.
    Refused = 4,
    /// Number of cavities that are no disk.
    NoDisk = 5,
    /// Number of cavities that were recorded, to be cut and filled unless the operator gives them up.
    Done = 6,
    /// Number of fill-ins that broke the rules.
    Broken = 7,
    /// Number of patches that were taken from the queue.
    Visits = 8,
    /// Number of visits that ended at the patch's own lock.
    Turned = 9,
    /// Number of expansions that were given up because a neighbour was locked.
    Dropped = 10,
    /// Number of expansions.
    Expanded = 11,
    /// Number of vertices that changed their owner.
    Moved = 12,
    /// Number of patches without capacity for their edits.
    Full = 13,
    /// Number of internal faults: an entry missing in a table, a table full too early.
    Corrupt = 14,
    /// Number of visits whose cavities were all given up, for lack of locks.
    Wasted = 15,
    /// Number of patches with seeds that were left for the next launch.
    Left = 16,
    /// Number of patches that were cut in two.
    Sliced = 17,
    /// Number of patches that were united with a neighbour.
    Merged = 18,
    /// Number of elements of a patch with more neighbours than a stash holds.
    Crowded = 19,
    /// Number of patches that were queued.
    Queued = 20,
    /// Number of seeds that waited in them.
    Waiting = 21,
    /// Number of patches that a block put back because a neighbour was being edited.
    Skipped = 22,
    /// Number of recorded cavities that the operator gave up.
    Abandoned = 23,
}

/// Number of words of a tally.
pub const TALLIES: usize = 24;
