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
    /// The first engine of this kind.
    Kind(EngineKind),
    /// The GPU with this number, from 0 on.
    Gpu(u32),
}

impl EngineChoice {
    const AUTO: &str = "auto";

    /// Starts an engine; also returns the reason why `Auto` did not take the GPU.
    ///
    /// # Errors
    ///
    /// As [`EngineKind::start`]; [`EngineError::NoDevice`] if there are fewer GPUs.
    pub fn start(self) -> Result<(Engine, Option<EngineError>), EngineError> {
        match self {
            EngineChoice::Auto => Ok(Engine::auto()),
            EngineChoice::Kind(kind) => Ok((kind.start()?, None)),
            #[cfg(feature = "cuda")]
            EngineChoice::Gpu(number) => Ok((Engine::cuda(number)?, None)),
            #[cfg(not(feature = "cuda"))]
            EngineChoice::Gpu(_) => Err(EngineError::NotBuilt),
        }
    }

    /// Returns the word for the chosen engine in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            EngineChoice::Auto => "engine",
            EngineChoice::Kind(kind) => kind.title(),
            EngineChoice::Gpu(_) => EngineKind::Cuda.title(),
        }
    }
}

impl std::fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EngineChoice::Auto => f.write_str(Self::AUTO),
            EngineChoice::Kind(kind) => f.write_str(kind.name()),
            EngineChoice::Gpu(number) => write!(f, "{}:{number}", EngineKind::Cuda.name()),
        }
    }
}

impl std::str::FromStr for EngineChoice {
    type Err = String;

    /// Reads `auto`, the name of a kind, or `cuda:` and the number of a GPU.
    fn from_str(text: &str) -> Result<EngineChoice, String> {
        if text == Self::AUTO {
            return Ok(EngineChoice::Auto);
        }
        if let Some(kind) = EngineKind::named(text) {
            return Ok(EngineChoice::Kind(kind));
        }
        let number = text
            .strip_prefix(EngineKind::Cuda.name())
            .and_then(|rest| rest.strip_prefix(':')?.parse().ok());
        number.map(EngineChoice::Gpu).ok_or_else(|| {
            let names = EngineKind::ALL.map(EngineKind::name).join(", ");
            let (auto, cuda) = (Self::AUTO, EngineKind::Cuda.name());
            format!("the engines are {auto}, {names}, and {cuda}:N for the GPU with number N")
        })
    }
}

/// Reads a choice from the command line; shells complete the names of kinds.
#[cfg(feature = "cli")]
#[derive(Clone, Debug)]
pub struct EngineChoiceParser;

#[cfg(feature = "cli")]
impl clap::builder::ValueParserFactory for EngineChoice {
    type Parser = EngineChoiceParser;

    fn value_parser() -> EngineChoiceParser {
        EngineChoiceParser
    }
}

#[cfg(feature = "cli")]
impl clap::builder::TypedValueParser for EngineChoiceParser {
    type Value = EngineChoice;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<EngineChoice, clap::Error> {
        let read = |text: &str| text.parse::<EngineChoice>();
        clap::builder::TypedValueParser::parse_ref(&read, command, arg, value)
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let names = EngineKind::ALL.map(EngineKind::name);
        let all = std::iter::once(EngineChoice::AUTO).chain(names);
        Some(Box::new(all.map(clap::builder::PossibleValue::new)))
    }
}
