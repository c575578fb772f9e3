//! The 32 operations of MeshTaichi 2022, section 8.7: for each relation, elements gather ten floats each from their
//! neighbours, and scatter ten floats each to them. Every available form is tried, and each must give the exact sum.

use anyhow::{Context as _, Result, ensure};
use rxmesh_bench_kernels::entries::ShareEntries;
use rxmesh_host::Error;
use rxmesh_host::engine::{EngineError, StagingChoice};
use rxmesh_host::patch::{Ribbon, VolumeKinds};
use rxmesh_host::store::reduce;
use rxmesh_host::store::{Attribute, AttributeError, RelationChoice, RxMesh, Volume};
use rxmesh_host::volume::{Distributor, EntryValues, gather};
use rxmesh_kernels::kernel::{Entry, PreparedEntry};
use rxmesh_kernels::query::rows::{CountRows, WriteRows};
use rxmesh_kernels::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Relation, VC, VE, VF, VV,
};
use rxmesh_kernels::topo::{Element, Needs};
use rxmesh_kernels::volume::distribute::{DistributeEntry, ShareCe, ShareCv, ShareEv};
use rxmesh_kernels::volume::gather::Gather;
use serde_json::{Map, Value};

use super::meshes::Sizes;
use super::{PatchSettings, Row, TetBench, TetMeshes};
use crate::directed::layout::load;
use crate::floor::Floor;
use crate::measure::{self, Effort, Times, median};
use crate::reference::{Against, Goal};
use crate::subject::{Measured, Relative, Work};

/// Value of the paper's operations.
pub(crate) type Ten = [f32; 10];

/// Most cells with which EE and FF are prepared too: their tables outgrow everything else.
const FEW: u64 = 4_000_000;

/// Runs of a kernel after which the automatic choice has prepared its relations.
const RUNS: u32 = 3;

/// Block sizes to try on a GPU.
const WIDTHS: [u32; 3] = [128, 256, 512];

/// Returns the bytes that must move: the relation's local ids and both values, once each.
fn floor<R: Relation>(sizes: &Sizes) -> Floor {
    let [from, to] = [R::Source::KIND, R::Target::KIND].map(|k| k as usize);
    let value = size_of::<Ten>() as u64;
    Floor {
        bytes: 2 * sizes.entries[from][to] + value * (sizes.counts[from] + sizes.counts[to]),
        counted: "local ids + both values".to_owned(),
    }
}

/// Gathers over a relation.
pub(super) fn gathered<R: Relation>(b: &TetBench<'_>) -> Result<Measured>
where
    Gather<R>: Entry + PreparedEntry,
{
    b.best(floor::<R>(b.sizes), |all| all.gather::<R>(""))
}

/// Makes the row of an operation: vertices, edges, faces and cells, with the ring where it is needed.
pub(super) const fn operation<R: Relation>(name: &'static str, work: Work<TetMeshes>) -> Row {
    let ribbon = if R::NEEDS.has(Needs::RING) {
        Ribbon::Ring
    } else {
        Ribbon::Usual
    };
    let own = PatchSettings {
        kinds: VolumeKinds::Faces,
        ribbon,
        patch_size: None,
    };
    Row::new(name, "", own, work).relative(Relative::Rival(1.0 / 3.0))
}

macro_rules! operations {
    ($([$rel:ident $inverse:ident $($share:ident)?] $(gather $gather:literal)? $(scatter $scatter:literal)?;)*) => {
        &[
            $(operation::<$rel>(concat!(stringify!($rel), ", gather"), gathered::<$rel>)
                .goals(&[$(Goal::gpu(2_044_416, $gather))?])
                .against(&[Against::taichi_tets(&[concat!(stringify!($rel), ", gather")])]),)*
            $(operation::<$rel>(concat!(stringify!($rel), ", scatter"), |b| {
                b.best(floor::<$rel>(b.sizes), |all| {
                    $(all.share::<$rel, $share>(|x| Ok($share { x: x.read()? }))?;)?
                    all.entries::<$rel>()?;
                    all.gather::<$inverse>("transposed, ")
                })
            })
            .goals(&[$(Goal::gpu(2_044_416, $scatter))?])
            .against(&[Against::taichi_tets(&[concat!(stringify!($rel), ", scatter")])]),)*
        ]
    };
}

/// All operations, with goals in milliseconds on two million cells. The value that an element scatters does not depend
/// on the neighbour, so that scattering is gathering over the transposed relation. [`EntryValues`], and over stored
/// relations [`Distributor`], would allow values that do.
pub(super) const OPERATIONS: &[Row] = operations! {
    [VV VV];
    [VE EV];
    [VF FV];
    [VC CV] gather 0.045;
    [EV VE ShareEv] gather 0.05 scatter 0.07;
    [EE EE];
    [EF FE];
    [EC CE];
    [FV VF];
    [FE EF];
    [FF FF];
    [FC CF];
    [CV VC ShareCv] gather 0.045 scatter 0.07;
    [CE EC ShareCe] scatter 0.12;
    [CF FC];
    [CC CC];
};

/// Forms of an operation, as far as they were tried.
struct Forms<'a> {
    on: &'a TetBench<'a>,
    effort: Effort,
    rx: &'a RxMesh<Volume>,
    /// The only form to run, with all samples.
    only: Option<&'a str>,
    tried: Vec<(String, Times)>,
}

impl TetBench<'_> {
    /// Tries every form with few samples, then takes all samples of the fastest.
    fn best(&self, floor: Floor, run: impl Fn(&mut Forms<'_>) -> Result<()>) -> Result<Measured> {
        let forms = |repeat, only| -> Result<_> {
            let mut forms = Forms {
                on: self,
                effort: Effort {
                    repeat,
                    ..self.effort
                },
                rx: self.rx()?,
                only,
                tried: Vec::new(),
            };
            run(&mut forms)?;
            Ok(forms.tried)
        };
        let tried = forms(self.effort.repeat.min(3), None)?.into_iter();
        let tried: Vec<(String, f64)> = tried
            .map(|(form, times)| (form, median(&times.ms)))
            .collect();
        let fastest = tried.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let form = fastest.context("no form can be had")?.0.clone();
        let last = forms(self.effort.repeat, Some(&form))?.pop();
        let (_, times) = last.context("the form is there again")?;
        let tried: Map<String, Value> = tried.into_iter().map(|(f, ms)| (f, ms.into())).collect();
        let measured = Measured {
            floor,
            ..self.measured(times)
        };
        Ok(measured.with("form", form).with("tried", tried))
    }
}

impl Forms<'_> {
    /// Gathers over `R`: on the fly and prepared, values staged and direct, with blocks of several widths.
    fn gather<R: Relation>(&mut self, prefix: &str) -> Result<()>
    where
        Gather<R>: Entry + PreparedEntry,
    {
        let (engine, rx) = (self.on.engine, self.rx);
        let most = rx.headers().iter().map(|h| h.total_of(R::Target::KIND));
        let bytes = most.max().unwrap_or(0) * size_of::<Ten>() as u32;
        let few = self.on.sizes.counts[3] <= FEW || !R::NEEDS.has(Needs::RING);
        let x = self.ones::<R::Target>()?;
        let mut y = rx.attribute::<R::Source, Ten>()?;
        if few || !R::PREPARABLE {
            for _ in 0..RUNS {
                gather::<R, Ten, _>(rx, &x, &mut y)?;
            }
            let form = format!("{prefix}default");
            self.form::<R, _>(&form, &mut y, |y| gather::<R, Ten, _>(rx, &x, y))?;
        }
        for (choice, from) in [
            (RelationChoice::OnTheFly, "on the fly"),
            (RelationChoice::Prepared, "prepared"),
        ] {
            let from = if R::PREPARABLE { from } else { "stored" };
            let prepared = choice == RelationChoice::Prepared;
            if prepared && !(few && R::PREPARABLE) {
                continue;
            }
            // Prepare before setting another block width than the preparation needs.
            if prepared && !self.can(rx.prepare::<R>().map(drop))? {
                continue;
            }
            for (staging, staged) in [
                (StagingChoice::All, "staged"),
                (StagingChoice::Never, "direct"),
            ] {
                if staging == StagingChoice::All && bytes > engine.shared_limit() {
                    continue;
                }
                for width in self.widths() {
                    let form = format!("{prefix}{from}, {staged}{}", threads(width));
                    rx.set_relation_choice(choice);
                    rx.set_staging_choice(staging.clone());
                    engine.set_block_threads(width);
                    let mut y = rx.attribute::<R::Source, Ten>()?;
                    let done = self.form::<R, _>(&form, &mut y, |y| gather::<R, Ten, _>(rx, &x, y));
                    engine.set_block_threads(None);
                    rx.set_staging_choice(StagingChoice::Auto);
                    rx.set_relation_choice(RelationChoice::Auto);
                    done?;
                }
            }
        }
        Ok(())
    }

    /// Scatters over the stored relation `R` with [`Distributor`].
    fn share<R: Relation, K>(
        &mut self,
        kernel: impl Fn(&Attribute<R::Source, Ten>) -> Result<K, AttributeError>,
    ) -> Result<()>
    where
        K: DistributeEntry<Relation = R, Value = Ten>,
    {
        let (engine, rx) = (self.on.engine, self.rx);
        let x = self.ones::<R::Source>()?;
        let sums = Distributor::<R, Ten>::new(rx)?;
        let mut y = rx.attribute::<R::Target, Ten>()?;
        self.form::<R, _>("distributed, default", &mut y, |y| {
            sums.run(rx, kernel(&x)?, y)
        })?;
        for width in self.widths() {
            let form = format!("distributed{}", threads(width));
            engine.set_block_threads(width);
            let mut y = rx.attribute::<R::Target, Ten>()?;
            let done = self.form::<R, _>(&form, &mut y, |y| sums.run(rx, kernel(&x)?, y));
            engine.set_block_threads(None);
            done?;
        }
        Ok(())
    }

    /// Scatters over `R` with [`EntryValues`].
    fn entries<R: Relation>(&mut self) -> Result<()>
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
        ShareEntries<R>: Entry + PreparedEntry,
    {
        let (engine, rx) = (self.on.engine, self.rx);
        if self.on.sizes.counts[3] > FEW && R::NEEDS.has(Needs::RING) {
            return Ok(());
        }
        load(engine)?;
        let x = self.ones::<R::Source>()?;
        let entries = EntryValues::<R, Ten>::new(rx)?;
        let mut y = rx.attribute::<R::Target, Ten>()?;
        let share = |y: &mut Attribute<R::Target, Ten>| {
            entries.run(rx, |to| Ok(ShareEntries::<R> { x: x.read()?, to }), y)
        };
        for _ in 0..RUNS {
            share(&mut y)?;
        }
        self.form::<R, _>("entries, default", &mut y, share)?;
        for width in self.widths() {
            let form = format!("entries{}", threads(width));
            engine.set_block_threads(width);
            let done = self.form::<R, _>(&form, &mut y, share);
            engine.set_block_threads(None);
            done?;
        }
        Ok(())
    }

    fn ones<K: Element>(&self) -> Result<Attribute<K, Ten>> {
        let n = self.rx.linear_len(K::KIND) as usize;
        Ok(self.rx.attribute_from(&vec![[1.0; 10]; n])?)
    }

    /// Returns the block widths to try on a GPU; only the default on a CPU.
    fn widths(&self) -> Vec<Option<u32>> {
        match self.on.engine.is_cuda() {
            true => WIDTHS.map(Some).to_vec(),
            false => vec![None],
        }
    }

    /// Returns `true` if the work ran; `false` where a patch's table is too large, or a GPU has too little shared
    /// memory, or too few registers for a block of that width.
    fn can(&self, done: Result<(), Error>) -> Result<bool> {
        match done {
            Err(Error::TooLarge { .. }) => Ok(false),
            Err(Error::Engine(EngineError::SharedMemory { .. })) => Ok(false),
            Err(Error::Engine(EngineError::Driver { code: 701, .. })) => Ok(false),
            done => Ok(done.map(|()| true)?),
        }
    }

    /// Runs one form, unless another one is requested, or it cannot run. All source values are one, so that the sum is
    /// ten times the relation's size.
    fn form<R: Relation, K: Element>(
        &mut self,
        name: &str,
        y: &mut Attribute<K, Ten>,
        work: impl Fn(&mut Attribute<K, Ten>) -> Result<(), Error>,
    ) -> Result<()> {
        if self.only.is_some_and(|only| only != name) {
            return Ok(());
        }
        if !self.can(work(y))? {
            return Ok(());
        }
        let (engine, rx, sizes) = (self.on.engine, self.rx, self.on.sizes);
        let times = measure::launches(engine, self.effort, || Ok(work(y)?))?;
        let [from, to] = [R::Source::KIND, R::Target::KIND].map(|k| k as usize);
        let (sum, want) = (reduce::sum(rx, y)?, 10 * sizes.entries[from][to]);
        ensure!(
            sum == want as f64,
            "{}, {name}: the sum is {sum} instead of {want}",
            R::NAME
        );
        self.tried.push((name.to_owned(), times));
        Ok(())
    }
}

fn threads(width: Option<u32>) -> String {
    width.map_or_else(String::new, |n| format!(", {n} threads"))
}
