//! Kinds of engines, as users choose them.

use super::{Engine, EngineError};

/// Kind of an engine. The engines for tests are kinds of the CPU's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Threads of the processor.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}

/// Description of a kind of engine.
struct Description {
    name: &'static str,
    title: &'static str,
    units: &'static str,
    start: fn() -> Result<Engine, EngineError>,
}

impl EngineKind {
    /// All kinds.
    pub const ALL: [EngineKind; 2] = [EngineKind::Cpu, EngineKind::Cuda];

    const fn description(self) -> Description {
        match self {
            EngineKind::Cpu => Description {
                name: "cpu",
                title: "CPU",
                units: "threads",
                start: || Ok(Engine::cpu()),
            },
            EngineKind::Cuda => Description {
                name: "cuda",
                title: "GPU",
                units: "multiprocessors",
                #[cfg(feature = "cuda")]
                start: || Engine::cuda(0),
                #[cfg(not(feature = "cuda"))]
                start: || Err(EngineError::NotBuilt),
            },
        }
    }

    /// Returns the name: `cpu`, `cuda`.
    pub const fn name(self) -> &'static str {
        self.description().name
    }

    /// Returns the kind with a name.
    pub fn named(name: &str) -> Option<EngineKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the word for such an engine in sentences: `CPU`, `GPU`.
    pub const fn title(self) -> &'static str {
        self.description().title
    }

    /// Returns the word for the parts that [`EngineInfo::units`](super::EngineInfo::units) counts.
    pub const fn units(self) -> &'static str {
        self.description().units
    }

    /// Starts the first engine of this kind.
    ///
    /// # Errors
    ///
    /// As `Engine::cuda`; [`EngineError::NotBuilt`] for a kind that was left out of this build.
    pub fn start(self) -> Result<Engine, EngineError> {
        (self.description().start)()
    }
}

/// Choice of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The GPU if there is one, else the CPU ([`Engine::auto`]).
    #[default]
    Auto,
    /// An engine of this kind.
    Kind(EngineKind),
}

impl EngineChoice {
    /// Starts an engine; also returns the reason why `Auto` did not take the GPU.
    ///
    /// # Errors
    ///
    /// As [`EngineKind::start`].
    pub fn start(self) -> Result<(Engine, Option<EngineError>), EngineError> {
        match self {
            EngineChoice::Auto => Ok(Engine::auto()),
            EngineChoice::Kind(kind) => Ok((kind.start()?, None)),
        }
    }
}

#[cfg(feature = "cli")]
impl clap::ValueEnum for EngineKind {
    fn value_variants<'a>() -> &'a [Self] {
        &EngineKind::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

#[cfg(feature = "cli")]
impl clap::ValueEnum for EngineChoice {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [EngineChoice; EngineKind::ALL.len() + 1] = {
            let mut all = [EngineChoice::Auto; EngineKind::ALL.len() + 1];
            let mut i = 0;
            while i < EngineKind::ALL.len() {
                all[i + 1] = EngineChoice::Kind(EngineKind::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            EngineChoice::Auto => Some(clap::builder::PossibleValue::new("auto")),
            EngineChoice::Kind(kind) => kind.to_possible_value(),
        }
    }
}
