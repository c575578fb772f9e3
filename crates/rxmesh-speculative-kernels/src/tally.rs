//! What a launch counts.

/// What the blocks of a launch count together, by word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Tally {
    /// Seeds that were looked at. (Word 0 is not used: the device compiler does not give the very address of an
    /// argument an address space.)
    Seeds = 1,
    /// Cavities that could be cut: the patch owned all their vertices.
    Candidates = 2,
    /// Candidates that lost against another of the patch.
    Conflicts = 3,
    /// Seeds that wanted a change and may not have it.
    Refused = 4,
    /// Cavities that are no disk.
    NoDisk = 5,
    /// Cavities that were cut and filled.
    Done = 6,
    /// Fill-ins that broke the rules.
    Broken = 7,
    /// Patches that were taken from the queue.
    Visits = 8,
    /// Visits that ended at the patch's own lock.
    Turned = 9,
    /// Expansions that were given up because a neighbour was locked.
    Dropped = 10,
    /// Expansions.
    Expanded = 11,
    /// Vertices that changed their owner.
    Moved = 12,
    /// Patches without room for what they should do.
    Full = 13,
    /// Faults of this engine: an entry missing in a table, a table full before its time.
    Corrupt = 14,
    /// Visits whose cavities were all given up, for lack of locks.
    Wasted = 15,
    /// Patches with seeds that were left for the next launch.
    Left = 16,
    /// Patches that were cut in two.
    Sliced = 17,
    /// Patches that were united with a neighbour.
    Merged = 18,
    /// Elements of a patch with more neighbours than a stash holds.
    Crowded = 19,
    /// Patches that were queued.
    Queued = 20,
    /// Seeds that waited in them.
    Waiting = 21,
    /// Patches that a block put back because somebody worked next to them.
    Skipped = 22,
}

/// Words of a tally.
pub const TALLIES: usize = 23;
