//! The 32 operations of MeshTaichi 2022, section 8.7: for each relation, elements gather ten floats each from their
//! neighbours, and scatter ten floats each to them. Every available form is tried, and each must give the exact sum.

use anyhow::{Context as _, Result, ensure};
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError, StagingChoice};
use rxmesh_host::store::reduce;
use rxmesh_host::store::{Attribute, AttributeError, RelationChoice, RxMesh, Volume};
use rxmesh_host::volume::{Distributor, gather};
use rxmesh_kernels::kernel::{Entry, PreparedEntry};
use rxmesh_kernels::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Relation, VC, VE, VF, VV,
};
use rxmesh_kernels::topo::{Element, Kind, Needs};
use rxmesh_kernels::volume::distribute::{DistributeEntry, ShareCe, ShareCv, ShareEv};
use rxmesh_kernels::volume::gather::Gather;

use super::meshes::Sizes;
use crate::measure::{self, Effort, Times, median};

/// Value of the paper's operations.
pub(crate) type Ten = [f32; 10];

/// Most cells with which EE and FF are prepared too, to measure the gain: their tables outgrow everything else.
const FEW: u64 = 4_000_000;

/// Block sizes to try on a GPU.
const WIDTHS: [u32; 3] = [128, 256, 512];

/// One of the 32 operations.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    /// Name, such as `VC, gather`.
    pub(crate) name: &'static str,
    pub(crate) from: Kind,
    pub(crate) to: Kind,
    /// `true` if it needs patches with the ring.
    pub(crate) ring: bool,
    pub(crate) run: fn(&On<'_>) -> Result<Best>,
}

/// Engine and mesh on which an operation is measured.
pub(crate) struct On<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) rx: &'a RxMesh<Volume>,
    pub(crate) sizes: &'a Sizes,
    pub(crate) effort: Effort,
}

/// Fastest form, and the times of all forms.
pub(crate) struct Best {
    pub(crate) form: String,
    pub(crate) times: Times,
    pub(crate) tried: Vec<(String, f64)>,
}

impl Operation {
    /// Returns the bytes that must move: the relation's local ids and both values, once each.
    pub(crate) fn floor(&self, sizes: &Sizes) -> u64 {
        let value = size_of::<Ten>() as u64;
        let [from, to] = [self.from, self.to].map(|k| k as usize);
        2 * sizes.entries[from][to] + value * (sizes.counts[from] + sizes.counts[to])
    }
}

macro_rules! operations {
    ($($rel:ident, $inverse:ident $(, $share:ident)?;)*) => {
        [
            $(Operation {
                name: concat!(stringify!($rel), ", gather"),
                from: <<$rel as Relation>::Source as Element>::KIND,
                to: <<$rel as Relation>::Target as Element>::KIND,
                ring: <$rel as Relation>::NEEDS.has(Needs::RING),
                run: |on| on.best(|all| all.gather::<$rel>("")),
            },)*
            $(Operation {
                name: concat!(stringify!($rel), ", scatter"),
                from: <<$rel as Relation>::Source as Element>::KIND,
                to: <<$rel as Relation>::Target as Element>::KIND,
                ring: <$rel as Relation>::NEEDS.has(Needs::RING),
                run: |on| on.best(|all| {
                    $(all.share::<$rel, $share>(|x| Ok($share { x: x.read()? }))?;)?
                    all.gather::<$inverse>("transposed, ")
                }),
            },)*
        ]
    };
}

/// All operations. The value that an element scatters does not depend on the neighbour, so that scattering is gathering
/// over the transposed relation; stored relations have [`Distributor`] as well.
pub(crate) const OPERATIONS: [Operation; 32] = operations! {
    VV, VV;
    VE, EV;
    VF, FV;
    VC, CV;
    EV, VE, ShareEv;
    EE, EE;
    EF, FE;
    EC, CE;
    FV, VF;
    FE, EF;
    FF, FF;
    FC, CF;
    CV, VC, ShareCv;
    CE, EC, ShareCe;
    CF, FC;
    CC, CC;
};

/// Forms of an operation, as far as they were tried.
struct Forms<'a> {
    on: &'a On<'a>,
    /// The only form to run, with all samples.
    only: Option<&'a str>,
    tried: Vec<(String, Times)>,
}

impl On<'_> {
    /// Tries every form with few samples, then takes all samples of the fastest.
    fn best(&self, run: impl Fn(&mut Forms<'_>) -> Result<()>) -> Result<Best> {
        let few = Effort {
            repeat: self.effort.repeat.min(3),
            ..self.effort
        };
        let on = On {
            effort: few,
            ..*self
        };
        let mut all = Forms {
            on: &on,
            only: None,
            tried: Vec::new(),
        };
        run(&mut all)?;
        let tried: Vec<(String, f64)> = (all.tried.into_iter())
            .map(|(form, times)| (form, median(&times.ms)))
            .collect();
        let fastest = tried.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let form = fastest.context("no form can be had")?.0.clone();
        let mut last = Forms {
            on: self,
            only: Some(&form),
            tried: Vec::new(),
        };
        run(&mut last)?;
        let (_, times) = last.tried.pop().context("the form is there again")?;
        Ok(Best { form, times, tried })
    }
}

impl Forms<'_> {
    /// Gathers over `R`: on the fly and prepared, values staged and direct, with blocks of several widths.
    fn gather<R: Relation>(&mut self, prefix: &str) -> Result<()>
    where
        Gather<R>: Entry + PreparedEntry,
    {
        let On { engine, rx, .. } = *self.on;
        let most = rx.headers().iter().map(|h| h.total_of(R::Target::KIND));
        let bytes = most.max().unwrap_or(0) * size_of::<Ten>() as u32;
        let few = self.on.sizes.counts[3] <= FEW || !R::NEEDS.has(Needs::RING);
        let x = self.ones::<R::Target>()?;
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
        let On { engine, rx, .. } = *self.on;
        let x = self.ones::<R::Source>()?;
        let sums = Distributor::<R, Ten>::new(rx)?;
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

    fn ones<K: Element>(&self) -> Result<Attribute<K, Ten>> {
        let n = self.on.rx.linear_len(K::KIND) as usize;
        Ok(self.on.rx.attribute_from(&vec![[1.0; 10]; n])?)
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
        let On {
            engine, rx, sizes, ..
        } = *self.on;
        let times = measure::launches(engine, self.on.effort, || Ok(work(y)?))?;
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
