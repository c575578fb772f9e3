//! Measurement of times.

use std::time::{Duration, Instant};

use anyhow::Result;
use rxmesh_host::engine::{Engine, EngineError};

/// Number of samples to take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Most samples of a row.
    pub(crate) repeat: usize,
    /// Time after which [`Effort::least`] samples of a row suffice.
    pub(crate) budget: Duration,
    /// Number of launches between two device events; 1 on a CPU.
    pub(crate) batch: u32,
}

impl Effort {
    /// Returns the fewest samples of a row.
    fn least(self) -> usize {
        self.repeat.min(3)
    }

    /// Takes samples until there are enough.
    pub(crate) fn samples(self, mut sample: impl FnMut() -> Result<f64>) -> Result<Vec<f64>> {
        let start = Instant::now();
        let mut all = Vec::with_capacity(self.repeat);
        while all.len() < self.repeat && (all.len() < self.least() || start.elapsed() < self.budget)
        {
            all.push(sample()?);
        }
        Ok(all)
    }
}

/// Milliseconds per launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// Headline: a batch of launches over their number on a GPU, single calls on a CPU.
    pub(crate) ms: Vec<f64>,
    /// Single launches between two device events; empty on a CPU.
    pub(crate) single_ms: Vec<f64>,
    /// Wall-clock times, waiting for the end included.
    pub(crate) wall_ms: Vec<f64>,
}

/// Measures the milliseconds of `work` on the engine's clock.
pub(crate) fn engine_ms(engine: &Engine, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let mut outcome = Ok(());
    let ms = engine.time(|| {
        outcome = work();
        Ok::<(), EngineError>(())
    })?;
    outcome?;
    Ok(ms)
}

/// Measures the milliseconds of `work` on the wall clock, until the engine has finished.
pub(crate) fn wall_ms(engine: &Engine, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    engine.synchronize()?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// Times launches: after a warm-up, batches, single launches and the wall clock.
pub(crate) fn launches(
    engine: &Engine,
    effort: Effort,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Times> {
    for _ in 0..2 {
        work()?;
    }
    engine.synchronize()?;
    if !engine.is_cuda() {
        let ms = effort.samples(|| wall_ms(engine, &mut work))?;
        return Ok(Times {
            ms,
            ..Times::default()
        });
    }
    let batch = effort.batch.max(1);
    let ms = effort.samples(|| {
        let all = engine_ms(engine, || (0..batch).try_for_each(|_| work()))?;
        Ok(all / f64::from(batch))
    })?;
    let single_ms = effort.samples(|| engine_ms(engine, &mut work))?;
    let wall_ms = effort.samples(|| wall_ms(engine, &mut work))?;
    engine.synchronize()?;
    Ok(Times {
        ms,
        single_ms,
        wall_ms,
    })
}

/// Times a host call, until the engine has finished.
pub(crate) fn calls(
    engine: &Engine,
    effort: Effort,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Times> {
    waiting(engine, effort, || {
        work()?;
        Ok(engine.synchronize()?)
    })
}

/// Does as [`calls`], for work that waits for its own end.
pub(crate) fn waiting(
    engine: &Engine,
    effort: Effort,
    mut work: impl FnMut() -> Result<()>,
) -> Result<Times> {
    work()?;
    engine.synchronize()?;
    let ms = effort.samples(|| {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    })?;
    Ok(Times {
        ms,
        ..Times::default()
    })
}

/// Times one of the repetitions of `work`: the difference of a long and a short run over the difference
/// of their repetitions, so that the fixed cost of a run cancels. `reset` runs before each run and is not timed.
pub(crate) fn repetitions(
    engine: &Engine,
    effort: Effort,
    [short, long]: [u32; 2],
    reset: impl Fn() -> Result<()>,
    work: impl Fn(u32) -> Result<()>,
) -> Result<Times> {
    let fresh = |clock: &dyn Fn(u32) -> Result<f64>, n| {
        reset()?;
        engine.synchronize()?;
        clock(n)
    };
    let by_engine = |n| engine_ms(engine, || work(n));
    let by_wall = |n| wall_ms(engine, || work(n));
    fresh(&by_wall, long)?;
    let difference = |clock: &dyn Fn(u32) -> Result<f64>| {
        let least = fresh(clock, short)?;
        Ok((fresh(clock, long)? - least) / f64::from(long - short))
    };
    let ms = effort.samples(|| difference(&by_engine))?;
    let wall_ms = match engine.is_cuda() {
        true => effort.samples(|| difference(&by_wall))?,
        false => Vec::new(),
    };
    Ok(Times {
        ms,
        wall_ms,
        ..Times::default()
    })
}

/// Returns the median.
pub(crate) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]),
    }
}

/// Returns the smallest and the largest value.
pub(crate) fn range(samples: &[f64]) -> (f64, f64) {
    samples
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
            (low.min(x), high.max(x))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ranges() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
        assert_eq!(range(&[3.0, 1.0, 2.0]), (1.0, 3.0));
    }

    #[test]
    fn a_row_has_its_fewest_samples_however_slow_it_is() -> Result<()> {
        let effort = |repeat, budget| Effort {
            repeat,
            budget,
            batch: 1,
        };
        assert_eq!(effort(9, Duration::ZERO).samples(|| Ok(1.0))?.len(), 3);
        assert_eq!(effort(2, Duration::ZERO).samples(|| Ok(1.0))?.len(), 2);
        assert_eq!(effort(9, Duration::MAX).samples(|| Ok(1.0))?.len(), 9);
        Ok(())
    }
}
