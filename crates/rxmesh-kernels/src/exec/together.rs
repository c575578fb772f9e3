//! Loops of threads that stay together.

/// Work in steps ([`repeat_together`]).
pub trait InSteps {
    /// Takes one step. Returns `false` after the last one. Write `#[inline(always)]` before it.
    fn step(&mut self) -> bool;
}

/// Takes all steps. On a GPU the threads of a warp that began together go from step to step together: those that are
/// done wait for the others. Else the compiler may let each go its own way, one after the other.
#[inline(always)]
pub fn repeat_together(work: &mut impl InSteps) {
    #[cfg(target_arch = "nvptx64")]
    {
        let lanes = cuda_std::warp::activemask();
        let mut goes_on = true;
        loop {
            if goes_on {
                goes_on = work.step();
            }
            // SAFETY: all lanes of the mask repeat the loop until it holds in none of them; none exits within it.
            if !unsafe { cuda_std::warp::warp_vote_any(lanes, goes_on) } {
                return;
            }
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    while work.step() {}
}
