//! From flat arrays to patches, on the engine: the close of an edit session.
//!
//! [`repack`] takes a mesh as flat arrays in *session ids* with a label per face and makes of it an [`RxMesh`] whose
//! patches are the labels' faces (or, where these are too many or too few, better patches made from them), and a
//! [`Renumbering`] along which attributes move. The kernels and their order are described in
//! [`rxmesh_kernels::repack`]; here memory is allocated between them, for which the host reads a few counters.

mod arena;
mod pack;
mod relabel;
mod renumbering;

pub use renumbering::Renumbering;
pub(crate) use renumbering::words_of;

use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::parallel::scan;
use crate::patch::PatchError;
use crate::store::RxMesh;
use arena::Arena;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::repack::elements::{
    RepackIsolated, RepackLast, RepackNumber, RepackStarts, RepackTell, RepackUnused,
};
use rxmesh_kernels::repack::extra::{
    Extra, RepackExtraCount, RepackExtraFind, RepackExtraList, RepackExtraStand, RepackExtraTell,
};
use rxmesh_kernels::repack::faces::{FACE_RUN, RepackCount, RepackLabels, RepackPlace, RepackSort};
use rxmesh_kernels::repack::ribbon::LIST_WORDS;
use rxmesh_kernels::repack::{RepackArrays, RepackMesh, STATS, Stat};
use rxmesh_kernels::topo::PatchHeader;

/// A mesh as flat arrays on an engine, in session ids. Slots may be free.
///
/// Any triangles will do, as for [`crate::patch::build`], as long as the arrays describe the same ones: [`repack`] does
/// not check that.
#[derive(Clone, Copy, Debug)]
pub struct RepackSource<'a> {
    /// Three sides per face, `edge << 1 | d`: side `k` joins corner `k` to corner `(k + 1) % 3`, `d = 1` says that it
    /// runs from the edge's target to its source. A dead face has `u32::MAX` first.
    pub fe: &'a Buffer<u32>,
    /// Source and target of each edge. A dead edge has `u32::MAX` first.
    pub ev: &'a Buffer<u32>,
    /// Two faces of each edge, `u32::MAX` where it has fewer; any two of them where it has more. With twice as many
    /// words every other one is a face, from the first on.
    pub ef: &'a Buffer<u32>,
    /// An edge of each vertex; `u32::MAX` for an isolated vertex, `u32::MAX - 1` for a dead one.
    pub ve: &'a Buffer<u32>,
    /// Label of each live face.
    pub label: &'a Buffer<u32>,
}

/// Options of a repack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepackOptions {
    /// Most faces of a patch, and most isolated vertices that share one, from 1 to 65535.
    pub patch_size: u32,
    /// Treatment of labels with too many or too few faces.
    pub labels: Labels,
}

changeable!(RepackOptions);

/// Treatment of labels with too many or too few faces in a repack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// Every label is a patch, whatever its size.
    Keep,
    /// Labels with more faces than [`RepackOptions::patch_size`] are cut, and if all in all patches are less than three
    /// quarters full, small ones are united. Labels stay as they are when neither is due.
    Resize,
}

impl Default for RepackOptions {
    fn default() -> Self {
        Self {
            patch_size: 512,
            labels: Labels::Resize,
        }
    }
}

/// A repacked mesh, and where its elements come from.
#[derive(Debug)]
pub struct Repacked {
    /// Mesh. Its input order is that of the session ids.
    pub mesh: RxMesh,
    /// Session ids to linear ids.
    pub renumbering: Renumbering,
}

/// Most ribbon vertices and edges of a patch that are searched in shared memory.
const WRITE_ROOM: u32 = 4096;

/// Packs a flat mesh into patches, one a label (labels without a face vanish) or as [`RepackOptions::labels`] says.
/// `labels` is one more than the largest label.
///
/// Within a patch faces come by session id, edges and vertices as the faces first meet them. An edge keeps its
/// direction. Live edges that no face names are left out. Vertices that no face names come last, in separate patches.
///
/// The result does not depend on the engine or the number of its threads.
///
/// # Errors
///
/// Arrays whose lengths do not fit each other, a label out of range, a patch that does not fit 16-bit local ids (its
/// vertex is then given as a session id), too many elements for 32 bits, or no memory on the engine.
///
/// # Safety
///
/// The arrays fit each other in content, which is not checked (contract U4 of docs/inside/unsafe.md): every entry that
/// is not one of the special values is below the number of slots of its kind, the three sides of a face name live edges
/// and meet in its corners, EF names faces of its edge, and VE names an edge that ends at its vertex and is a side of a
/// live face. [`RxMesh::from_engine_faces`] makes a mesh of any triangles without such a promise.
///
/// ```compile_fail,E0133
/// # use rxmesh_host::{engine::Engine, repack::{RepackOptions, RepackSource, repack}};
/// let engine = Engine::cpu();
/// let up = |words: &[u32]| engine.upload(words).unwrap();
/// // The sides of the face do not meet: 0-1, 1-2, 3-4.
/// let (fe, ev, ef) = (up(&[0, 2, 4]), up(&[0, 1, 1, 2, 3, 4]), up(&[0, !0, 0, !0, 0, !0]));
/// let (ve, label) = (up(&[0, 0, 1, 2, 2]), up(&[0]));
/// let flat = RepackSource { fe: &fe, ev: &ev, ef: &ef, ve: &ve, label: &label };
/// repack(&engine, &flat, 1, RepackOptions::default())?;
/// # Ok::<(), rxmesh_host::Error>(())
/// ```
pub unsafe fn repack(
    engine: &Engine,
    flat: &RepackSource<'_>,
    labels: u32,
    options: RepackOptions,
) -> Result<Repacked, Error> {
    repack_sound(engine, flat, labels, options)
}

/// Works like [`repack`], for the crate's own arrays, which kernels made and which fit each other.
pub(crate) fn repack_sound(
    engine: &Engine,
    flat: &RepackSource<'_>,
    labels: u32,
    options: RepackOptions,
) -> Result<Repacked, Error> {
    check(flat, labels, options)?;
    Repack::begin(engine, flat, labels, options)?.finish()
}

/// Refuses arrays that kernels could not index.
fn check(flat: &RepackSource<'_>, labels: u32, options: RepackOptions) -> Result<(), Error> {
    if !(1..=PatchHeader::MAX_ELEMENTS).contains(&options.patch_size) {
        return Err(PatchError::PatchSize(options.patch_size).into());
    }
    let (faces, edges) = (flat.fe.len() / 3, flat.ev.len() / 2);
    if !flat.fe.len().is_multiple_of(3) || flat.label.len() != faces {
        return Err(Error::Options(format!(
            "FE has {} entries and there are {} labels, but a face has three of the one and one of the other",
            flat.fe.len(),
            flat.label.len()
        )));
    }
    let ef = [1, 2].map(|step| step * flat.ev.len());
    if !flat.ev.len().is_multiple_of(2) || !ef.contains(&flat.ef.len()) {
        return Err(Error::Options(format!(
            "EV has {} entries and EF {}, but an edge has two of the one and two or four of the other",
            flat.ev.len(),
            flat.ef.len()
        )));
    }
    for (what, count, limit) in [
        ("face slots", faces, ((1u64 << 31) - 2) / 3),
        ("edge slots", edges, (1u64 << 31) - 2),
        ("vertex slots", flat.ve.len(), (1u64 << 31) - 2),
        ("labels", labels as usize, (1u64 << 31) - 2),
    ] {
        let count = count as u64;
        if count > limit {
            return Err(PatchError::TooManyElements { what, count, limit }.into());
        }
    }
    Ok(())
}

/// Counters on the host.
struct Stats(Vec<u32>);

impl Stats {
    fn of(&self, stat: Stat) -> u32 {
        self.0[stat as usize]
    }
}

/// A repack under way.
struct Repack<'a> {
    engine: &'a Engine,
    input: &'a RepackSource<'a>,
    options: RepackOptions,
    flat: RepackMesh,
    work: RepackArrays,
    arena: Arena,
    /// Zeroes for the counts of new labels.
    label_room: GlobalMut<u32>,
    relabelled: Option<Buffer<u32>>,
    /// No more patches than this can have a face.
    most_patches: u32,
    linear: [Buffer<u32>; 3],
}

/// Results of the first half.
struct RepackLists {
    /// Memory of the arrays below.
    _arena: Arena,
    told: GlobalMut<u32>,
    tables: GlobalMut<u32>,
    lists: GlobalMut<u32>,
    sizes: GlobalMut<u32>,
}

/// Lists of edges with more than two faces.
struct ExtraLists {
    /// Memory of the lists.
    _arenas: [Arena; 2],
    view: Extra,
    records: u32,
}

impl<'a> Repack<'a> {
    fn begin(
        engine: &'a Engine,
        input: &'a RepackSource<'a>,
        labels: u32,
        options: RepackOptions,
    ) -> Result<Self, Error> {
        let (faces, edges, vertices) = (input.label.len(), input.ev.len() / 2, input.ve.len());
        let given = labels as usize;
        let labels = match options.labels {
            Labels::Keep => given,
            Labels::Resize => given + relabel::more_labels(faces, options.patch_size),
        };
        let parts = [
            STATS as usize,
            given,
            labels,
            faces,
            faces.div_ceil(4),
            edges,
            vertices,
            edges,
            labels + 1,
            labels + 1,
            labels + 1,
            labels,
            labels + 1,
            labels,
            if options.labels == Labels::Keep {
                0
            } else {
                labels
            },
        ];
        let mut arena = Arena::new(engine, &parts)?;
        let linear = [
            engine.uninit(vertices)?,
            engine.uninit(edges)?,
            engine.uninit(faces)?,
        ];
        let parts = parts.map(|n| arena.take(n));
        let work = RepackArrays {
            stats: parts[0],
            label_faces: parts[1],
            label_patch: parts[2],
            face_session: parts[3],
            marks: parts[4].cast(),
            first_side: parts[5],
            first_corner: parts[6],
            edge_session: parts[7],
            patch_face: parts[8],
            patch_edge: parts[9],
            patch_vertex: parts[10],
            told_count: parts[11],
            told_start: parts[12],
            table_start: parts[13],
            vertex_linear: linear[0].global_mut(),
            edge_linear: linear[1].global_mut(),
            face_linear: linear[2].global_mut(),
        };
        let flat = RepackMesh {
            fe: input.fe.global(),
            ev: input.ev.global(),
            ef: input.ef.global(),
            step: if input.ef.len() > input.ev.len() {
                2
            } else {
                1
            },
            ve: input.ve.global(),
            label: input.label.global(),
        };
        Ok(Repack {
            engine,
            input,
            options,
            flat,
            work,
            arena,
            label_room: parts[14],
            relabelled: None,
            most_patches: given as u32,
            linear,
        })
    }

    fn finish(mut self) -> Result<Repacked, Error> {
        self.labels()?;
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let mut stats = self.number_faces()?;
        let extras = match stats.of(Stat::Extra) {
            0 => None,
            _ => Some(self.list_extras(stats.of(Stat::Faces))?),
        };
        if extras.is_some() {
            stats = self.starts(false)?;
        }
        self.check_told(&stats)?;
        let lists = self.allocate_lists(&stats)?;
        let patches = stats.of(Stat::Patches);
        let told = lists.told;
        engine.launch_blocks(patches, RepackNumber { flat, work, told })?;
        if let Some(extras) = extras {
            let extra = extras.view;
            let tell = RepackExtraTell {
                flat,
                work,
                extra,
                told,
            };
            engine.launch_flat(extras.records, tell)?;
        }
        if stats.of(Stat::Isolated) > 0 {
            self.number_isolated()?;
        }
        self.pack(&stats, &lists)
    }

    /// Computes linear ids of faces, and the elements that each patch owns and is told.
    fn number_faces(&self) -> Result<Stats, Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let (faces, patches) = (self.input.label.len() as u32, self.most_patches);
        engine.launch_flat(faces, RepackPlace { flat, work })?;
        engine.launch_blocks(patches, RepackSort { flat, work })?;
        engine.launch_blocks(patches, RepackTell { flat, work })?;
        let slots = work.first_side.len().max(work.first_corner.len());
        engine.launch_flat(slots, RepackUnused { flat, work })?;
        let stats = self.starts(true)?;
        self.check_labels(&stats)?;
        Ok(stats)
    }

    /// Counts the faces of each label.
    fn count(&self) -> Result<(), Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let runs = (self.input.label.len() as u32).div_ceil(FACE_RUN);
        engine.launch_flat(runs, RepackCount { flat, work })?;
        engine.launch_blocks(1, RepackLabels { work })?;
        Ok(())
    }

    /// Reads the current counters.
    fn stats(&self) -> Result<Stats, Error> {
        Ok(Stats(self.arena.read_first(STATS as usize)?))
    }

    /// Refuses labels out of range.
    fn check_labels(&self, stats: &Stats) -> Result<(), Error> {
        let bad = stats.of(Stat::BadLabel);
        if bad == 0 {
            return Ok(());
        }
        let label = self.input.label.read_range(bad as usize - 1, 1)?[0];
        Err(Error::Options(format!(
            "face {} has label {label}, but there are {} labels",
            bad - 1,
            self.work.label_faces.len()
        )))
    }

    /// Computes the start of each patch's parts, and reads the counters.
    fn starts(&self, first: bool) -> Result<Stats, Error> {
        let (work, first) = (self.work, u32::from(first));
        self.engine.launch_blocks(1, RepackStarts { work, first })?;
        self.stats()
    }

    /// Collects the faces of edges with more than two, and counts the patches that they are told to.
    fn list_extras(&self, faces: u32) -> Result<ExtraLists, Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let edges = work.first_side.len() as usize;
        let mut arena = Arena::new(engine, &[edges, edges])?;
        let none = work.stats.part(0, 0);
        let mut extra = Extra {
            listed: arena.take(edges),
            head: arena.take(edges),
            side: none,
            next: none,
            stands: none,
        };
        engine.launch_flat(faces, RepackExtraFind { flat, work, extra })?;
        engine.launch_flat(faces, RepackExtraCount { flat, work, extra })?;
        let records = self.stats()?.of(Stat::Records);
        let mut more = Arena::new(engine, &[records as usize; 3])?;
        extra.side = more.take(records as usize);
        extra.next = more.take(records as usize);
        extra.stands = more.take(records as usize);
        engine.launch_flat(faces, RepackExtraList { flat, work, extra })?;
        engine.launch_flat(records, RepackExtraStand { flat, work, extra })?;
        let tell = RepackExtraTell {
            flat,
            work,
            extra,
            told: none,
        };
        engine.launch_flat(records, tell)?;
        Ok(ExtraLists {
            _arenas: [arena, more],
            view: extra,
            records,
        })
    }

    /// Refuses lists that 32 bits cannot index.
    fn check_told(&self, stats: &Stats) -> Result<(), Error> {
        let told = stats.of(Stat::Told);
        let limit = u32::MAX / LIST_WORDS;
        if stats.of(Stat::Overflow) > 0 || told > limit {
            let count = if stats.of(Stat::Overflow) > 0 {
                1 << 32
            } else {
                told.into()
            };
            return Err(PatchError::TooManyElements {
                what: "ribbon candidates",
                count,
                limit: limit.into(),
            }
            .into());
        }
        Ok(())
    }

    fn allocate_lists(&self, stats: &Stats) -> Result<RepackLists, Error> {
        let told = stats.of(Stat::Told) as usize;
        let parts = [
            told,
            stats.of(Stat::TableWords) as usize,
            told * LIST_WORDS as usize,
            3 * stats.of(Stat::Patches) as usize,
        ];
        let mut arena = Arena::uninit(self.engine, &parts)?;
        let [told, tables, lists, sizes] = parts.map(|n| arena.take(n));
        Ok(RepackLists {
            _arena: arena,
            told,
            tables,
            lists,
            sizes,
        })
    }

    /// Numbers vertices without faces, which come last.
    fn number_isolated(&self) -> Result<(), Error> {
        let (engine, flat, work) = (self.engine, self.flat, self.work);
        let vertices = work.first_corner.len();
        let before = engine.uninit::<u32>(vertices as usize)?;
        let flags = before.global_mut();
        engine.launch_flat(vertices, RepackIsolated { flat, work, flags })?;
        scan::in_place_shared(engine, &before)?;
        let before = before.global_mut();
        engine.launch_flat(vertices, RepackLast { flat, work, before })?;
        Ok(())
    }
}
