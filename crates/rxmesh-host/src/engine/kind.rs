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
    /// All GPUs, which share several meshes; the first for one mesh.
    AllGpus,
}

impl EngineChoice {
    const AUTO: &str = "auto";
    const ALL_GPUS: &str = "cuda:all";

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
            EngineChoice::AllGpus => EngineChoice::Kind(EngineKind::Cuda).start(),
        }
    }

    /// Starts every engine of the choice: of [`EngineChoice::AllGpus`] the GPUs that can be used, else the one of
    /// [`EngineChoice::start`].
    ///
    /// # Errors
    ///
    /// As [`EngineChoice::start`]; of several GPUs the first one's reason if none can be used.
    pub fn start_all(self) -> Result<(Vec<Engine>, Option<EngineError>), EngineError> {
        if self != EngineChoice::AllGpus {
            let (engine, why_not) = self.start()?;
            return Ok((vec![engine], why_not));
        }
        let (mut engines, mut first) = (Vec::new(), None);
        for started in Engine::gpus() {
            match started {
                Ok(engine) => engines.push(engine),
                Err(why) => first = first.or(Some(why)),
            }
        }
        match first {
            Some(why) if engines.is_empty() => Err(why),
            _ => Ok((engines, None)),
        }
    }

    /// Returns the word for the chosen engine in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            EngineChoice::Auto => "engine",
            EngineChoice::Kind(kind) => kind.title(),
            EngineChoice::Gpu(_) | EngineChoice::AllGpus => EngineKind::Cuda.title(),
        }
    }
}

impl std::fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EngineChoice::Auto => f.write_str(Self::AUTO),
            EngineChoice::Kind(kind) => f.write_str(kind.name()),
            EngineChoice::Gpu(number) => write!(f, "{}:{number}", EngineKind::Cuda.name()),
            EngineChoice::AllGpus => f.write_str(Self::ALL_GPUS),
        }
    }
}

impl std::str::FromStr for EngineChoice {
    type Err = String;

    /// Reads `auto`, the name of a kind, `cuda:` and the number of a GPU, or `cuda:all`.
    fn from_str(text: &str) -> Result<EngineChoice, String> {
        match text {
            Self::AUTO => return Ok(EngineChoice::Auto),
            Self::ALL_GPUS => return Ok(EngineChoice::AllGpus),
            _ => {}
        }
        if let Some(kind) = EngineKind::named(text) {
            return Ok(EngineChoice::Kind(kind));
        }
        let number = text
            .strip_prefix(EngineKind::Cuda.name())
            .and_then(|rest| rest.strip_prefix(':')?.parse().ok());
        number.map(EngineChoice::Gpu).ok_or_else(|| {
            let names = EngineKind::ALL.map(EngineKind::name).join(", ");
            let (auto, cuda, all) = (Self::AUTO, EngineKind::Cuda.name(), Self::ALL_GPUS);
            format!(
                "the engines are {auto}, {names}, {cuda}:N for the GPU with number N, and {all} for all GPUs"
            )
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
        let all = [EngineChoice::AUTO].into_iter().chain(names);
        let all = all.chain([EngineChoice::ALL_GPUS]);
        Some(Box::new(all.map(clap::builder::PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_shown() {
        for text in ["auto", "cpu", "cuda", "cuda:0", "cuda:17", "cuda:all"] {
            assert_eq!(text.parse::<EngineChoice>().unwrap().to_string(), text);
        }
        for text in [
            "", "gpu", "cuda:", "cuda:-1", "cuda:al", "cpu:all", "CUDA:ALL",
        ] {
            let why = text.parse::<EngineChoice>().unwrap_err();
            assert!(why.contains("cuda:all for all GPUs"), "{why}");
        }
    }

    #[test]
    fn a_choice_of_one_engine_starts_one() {
        let (engines, why_not) = EngineChoice::Kind(EngineKind::Cpu).start_all().unwrap();
        assert_eq!((engines.len(), engines[0].kind()), (1, EngineKind::Cpu));
        assert!(why_not.is_none());
        assert_eq!(EngineChoice::Auto.start_all().unwrap().0.len(), 1);
        match EngineChoice::AllGpus.start_all() {
            Ok((gpus, _)) => assert!(!gpus.is_empty() && gpus.iter().all(Engine::is_cuda)),
            Err(why) => assert!(EngineKind::Cuda.start().is_err(), "{why}"),
        }
    }
}
