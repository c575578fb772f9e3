//! The CPU engine: a block is one thread, a crew of threads runs the blocks; and the two test engines.

mod crew;
mod memory;
mod pages;
#[cfg(feature = "test-engines")]
mod team;

use super::launch::Launcher;
use super::{EngineError, EngineInfo, EngineKind};
use crew::Crew;
use rxmesh_kernels::exec::{Block, Solo};
use rxmesh_kernels::kernel::{
    BlockKernel, Entry, FlatKernel, GridKernel, ListedArgs, ListedEntry, Next, PatchArgs,
    PatchKernel,
};
use rxmesh_kernels::mem::{FAULT_WORDS, Global, Plan};
use rxmesh_kernels::topo::{MeshView, Patch};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Instant;
#[cfg(feature = "test-engines")]
use team::{TeamThread, Teams};

/// Execution order of the threads of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Style {
    Solo,
    #[cfg(feature = "test-engines")]
    Shuffled(u32),
    #[cfg(feature = "test-engines")]
    Team(u32),
}

pub(super) struct Cpu {
    style: Style,
    crew: Crew,
    fault: Box<[AtomicU32; FAULT_WORDS]>,
    /// Patches of the last launch that are done, and how many there are.
    done: AtomicU32,
    patches: AtomicU32,
    #[cfg(feature = "test-engines")]
    teams: Teams,
}

/// Content of undefined shared memory in the test engines and in debug builds: a pattern that no test expects.
const POISON: u128 = 0xdead_beef_f00d_cafe_dead_beef_f00d_cafe;

/// Fewest indices of a flat kernel that a thread takes at a time; a smaller kernel is finished before another thread
/// wakes up.
const LEAST_FLAT: u32 = 512;

/// Most indices of a flat kernel that a thread takes at a time.
const MOST_FLAT: u32 = 4096;

thread_local! {
    static SHARED: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

/// Runs `f` with this thread's shared memory of at least `bytes` bytes.
fn with_shared(bytes: u32, poison: bool, f: &mut dyn FnMut(*mut u8)) {
    SHARED.with_borrow_mut(|words| {
        let n = (bytes as usize).div_ceil(16).max(1);
        if words.len() < n {
            words.resize(n, POISON);
        }
        if poison {
            words[..n].fill(POISON);
        }
        f(words.as_mut_ptr().cast())
    })
}

impl Cpu {
    /// Returns `true` for the test engines.
    pub(super) fn is_for_tests(&self) -> bool {
        !matches!(self.style, Style::Solo)
    }

    pub(super) fn new(style: Style, pool: Option<rayon::ThreadPool>) -> Cpu {
        Cpu {
            style,
            crew: Crew::new(pool),
            fault: Box::default(),
            done: AtomicU32::new(0),
            patches: AtomicU32::new(0),
            #[cfg(feature = "test-engines")]
            teams: Teams::default(),
        }
    }

    /// Runs a kernel on `patches` patches: on the first ones, or on those listed.
    fn run_some<K: PatchKernel>(
        &self,
        mesh: MeshView,
        kernel: K,
        patches: u32,
        listed: Option<&[u32]>,
        shared: u32,
    ) {
        let patch = |i: u32| listed.map_or(i, |listed| listed[i as usize]);
        self.done.store(0, Relaxed);
        self.patches.store(patches, Relaxed);
        match self.style {
            Style::Solo => self.run_solo(patches, shared, Some(&self.done), &|i, base| {
                // SAFETY: `base` points to `shared` bytes, which are the block's.
                unsafe { run_patch(Solo, mesh, patch(i), (base, shared), kernel) }
            }),
            #[cfg(feature = "test-engines")]
            _ => self.run_team(patches, shared, &|b, i, base| {
                // SAFETY: as above.
                unsafe { run_patch(b, mesh, patch(i), (base, shared), kernel) }
            }),
        }
    }

    /// Runs blocks of one thread each, which gets the block's index and its shared memory. As the next one compiled
    /// once, and not for each kernel.
    fn run_solo(
        &self,
        blocks: u32,
        shared: u32,
        done: Option<&AtomicU32>,
        run: &(dyn Fn(u32, *mut u8) + Sync),
    ) {
        self.crew.each(blocks, &|i| {
            with_shared(shared, cfg!(debug_assertions), &mut |base| run(i, base));
            if let Some(done) = done {
                done.fetch_add(1, Relaxed);
            }
        });
    }

    /// Runs blocks on a test engine. For both of them a kernel is compiled once.
    #[cfg(feature = "test-engines")]
    fn run_team(
        &self,
        blocks: u32,
        shared: u32,
        run: &(dyn Fn(TeamThread<'_>, u32, *mut u8) + Sync),
    ) {
        match self.style {
            Style::Team(n) => self.teams.run(n, blocks, shared, run),
            Style::Shuffled(seed) => {
                // Blocks in a permuted order too: a kernel may not rely on theirs.
                (0..blocks).rev().for_each(|i| {
                    let b = TeamThread::shuffled(seed ^ i);
                    with_shared(shared, true, &mut |base| run(b, i, base));
                });
            }
            Style::Solo => unreachable!("`run_solo` runs its blocks"),
        }
    }

    fn run_each<K: OnBlocks>(&self, blocks: u32, shared: u32, kernel: K) {
        match self.style {
            Style::Solo => self.run_solo(blocks, shared, None, &|id, base| {
                // SAFETY: `base` points to `shared` bytes, which are the block's.
                unsafe { run_block(Solo, id, (base, shared), kernel) }
            }),
            #[cfg(feature = "test-engines")]
            _ => self.run_team(blocks, shared, &|b, id, base| {
                // SAFETY: as above.
                unsafe { run_block(b, id, (base, shared), kernel) }
            }),
        }
    }
}

impl Launcher for Cpu {
    fn kind(&self) -> EngineKind {
        EngineKind::Cpu
    }

    fn info(&self) -> EngineInfo {
        let engine = match self.style {
            Style::Solo => "cpu".to_string(),
            #[cfg(feature = "test-engines")]
            Style::Shuffled(_) => "shuffled".to_string(),
            #[cfg(feature = "test-engines")]
            Style::Team(n) => format!("team({n})"),
        };
        EngineInfo {
            engine,
            device: processor().to_string(),
            units: self.crew.threads() as u32,
        }
    }

    fn run_patches<K: PatchKernel + Entry>(
        &self,
        PatchArgs { mesh, kernel }: PatchArgs<K>,
        patches: u32,
        shared: u32,
        _threads: u32,
    ) -> Result<(), EngineError> {
        self.run_some(mesh, kernel, patches, None, shared);
        Ok(())
    }

    /// Runs the patches in their order: neighbours stay with a thread.
    fn run_listed<K: ListedEntry>(
        &self,
        args: ListedArgs<K>,
        _most: u32,
        shared: u32,
    ) -> Result<(), EngineError> {
        let listed = sorted(args.list, args.count);
        let n = listed.len() as u32;
        self.run_some(args.mesh, args.kernel, n, Some(&listed), shared);
        Ok(())
    }

    fn run_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.run_each(blocks, shared, Whole(kernel));
        Ok(())
    }

    /// Runs steps one after the other, as long as the blocks say that there is something to do in the next.
    fn run_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        mut steps: Range<u32>,
        _in_one: bool,
        kernel: K,
    ) -> Result<(), EngineError> {
        let goes_on = |step: u32| {
            let goes_on = &AtomicBool::new(false);
            let step = GridStep {
                kernel,
                step,
                goes_on,
            };
            self.run_each(blocks, shared, step);
            goes_on.load(Relaxed)
        };
        while steps.next().is_some_and(goes_on) {}
        Ok(())
    }

    fn has_room_for_grid<K: GridKernel + Entry>(
        &self,
        _blocks: u32,
        _shared: u32,
    ) -> Result<bool, EngineError> {
        Ok(true)
    }

    fn run_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError> {
        match self.style {
            Style::Solo => {
                // A few for each thread, so that all end at a time.
                let chunk = (n / (8 * self.crew.threads() as u32)).clamp(LEAST_FLAT, MOST_FLAT);
                self.crew.each(n.div_ceil(chunk), &|c| {
                    let from = c * chunk;
                    for i in from..from.saturating_add(chunk).min(n) {
                        kernel.run(i);
                    }
                });
            }
            // As one block.
            #[cfg(feature = "test-engines")]
            _ => self.run_team(1, 0, &|b, _, _| b.each(n, |i| kernel.run(i))),
        }
        Ok(())
    }

    fn time(&self, work: impl FnOnce() -> Result<(), EngineError>) -> Result<f64, EngineError> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }

    fn patches_done(&self) -> Option<(u32, u32)> {
        Some((self.done.load(Relaxed), self.patches.load(Relaxed)))
    }
}

/// Returns the first `count` numbers of a list, sorted.
fn sorted(list: Global<u32>, count: Global<u32>) -> Vec<u32> {
    let mut listed: Vec<u32> = (0..count.get(1)).map(|i| list.get(i)).collect();
    listed.sort_unstable();
    listed
}

/// Runs a block on a patch.
///
/// # Safety
///
/// The mesh is bound and has a patch `id` (contract U4), and `base` points to `shared` bytes that only the threads of
/// the block use (contract U2).
#[inline(always)]
unsafe fn run_patch<B: Block, K: PatchKernel>(
    b: B,
    mesh: MeshView,
    id: u32,
    (base, shared): (*mut u8, u32),
    mut kernel: K,
) {
    // SAFETY: the caller's.
    let (patch, mut plan) = unsafe { (Patch::new(mesh, id), carve::<B>(base)) };
    let tables = kernel.carve(patch.header(), &mut plan);
    // `shared` is the most that any patch of this kernel measures.
    within(&plan, shared);
    kernel.run(b, &patch, &tables);
}

/// A kernel's parts of shared memory lie in what was measured.
fn within(plan: &Plan, shared: u32) {
    let peak = plan.peak();
    assert!(peak <= shared, "carved {peak} of {shared} bytes");
}

/// Kernel that runs block by block.
trait OnBlocks: Copy + Send + Sync {
    type Tables: Copy;
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables;
    fn run<B: Block>(&self, b: B, block: u32, tables: &Self::Tables);
}

/// A block kernel.
#[derive(Clone, Copy)]
struct Whole<K>(K);

impl<K: BlockKernel> OnBlocks for Whole<K> {
    type Tables = K::Tables;
    fn carve(&mut self, plan: &mut Plan) -> K::Tables {
        self.0.carve(plan)
    }
    fn run<B: Block>(&self, b: B, block: u32, tables: &K::Tables) {
        self.0.run(b, block, tables);
    }
}

/// One step of a grid kernel.
#[derive(Clone, Copy)]
struct GridStep<'a, K> {
    kernel: K,
    step: u32,
    /// Set if a further step is needed.
    goes_on: &'a AtomicBool,
}

impl<K: GridKernel> OnBlocks for GridStep<'_, K> {
    type Tables = K::Tables;
    fn carve(&mut self, plan: &mut Plan) -> K::Tables {
        self.kernel.carve(plan)
    }
    fn run<B: Block>(&self, b: B, block: u32, tables: &K::Tables) {
        self.kernel.load(b, block, tables);
        if self.kernel.step(b, block, self.step, tables) != Next::End {
            self.goes_on.store(true, Relaxed);
        }
    }
}

/// Runs a block.
///
/// # Safety
///
/// As [`run_patch`], without a mesh.
#[inline(always)]
unsafe fn run_block<B: Block, K: OnBlocks>(
    b: B,
    id: u32,
    (base, shared): (*mut u8, u32),
    mut kernel: K,
) {
    // SAFETY: the caller's.
    let mut plan = unsafe { carve::<B>(base) };
    let tables = kernel.carve(&mut plan);
    within(&plan, shared);
    kernel.run(b, id, &tables);
}

/// Returns the processor's name, if the system reports it.
fn processor() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        std::fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|text| {
                let line = text.lines().find(|l| l.starts_with("model name"))?;
                Some(line.split(':').nth(1)?.trim().to_string())
            })
            .unwrap_or_else(|| std::env::consts::ARCH.to_string())
    })
}

/// Returns a plan over a block's memory. The CPU engine's blocks have one thread each; the shuffling test engine keeps
/// the atomic updates, so that they are tested.
///
/// # Safety
///
/// As [`Plan::carve`], and when `B` has one thread only that thread uses the memory (contract U2).
unsafe fn carve<B: Block>(base: *mut u8) -> Plan {
    // SAFETY: the caller's.
    unsafe {
        if B::SOLO {
            Plan::carve_alone(base)
        } else {
            Plan::carve(base)
        }
    }
}
