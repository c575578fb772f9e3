//! `spring`: a mass-spring system.

use super::session::{Session, explained};
use super::text;
use crate::cli::{MethodChoice, SpringArgs};
use crate::output::Gives;
use crate::report::{Report, SpringRecord};
use anyhow::{Result, bail};
use rxmesh_host::algo::boundary;
use rxmesh_host::algo::spring::{SpringEnergy, SpringForces, SpringOptions, SpringSolve, Springs};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_host::{Error, Vec3};

const TOO_LONG: &str = "the motion left the numbers: take a shorter --time-step, or --method implicit; or coordinates are too large";

/// What came of the motion.
struct Motion {
    start: SpringEnergy,
    energy: SpringEnergy,
    last_solve: Option<SpringSolve>,
}

pub(super) fn run(args: &SpringArgs) -> Result<()> {
    let mut s = Session::open("spring", &args.compute, Gives::Mesh)?;
    let pins = pins(&s, args)?;
    let pinned = pins.iter().filter(|&&p| p != 0).count() as u64;
    if pinned == 0 && args.gravity != Vec3::ZERO {
        s.run.warn(
            "no vertex is pinned, so the mesh falls freely (--pin, --pin-top, --pin-boundary)"
                .into(),
        );
    }
    let motion = s.move_vertices("moving", |rx, x| {
        let fixed = rx.attribute_from::<Vertex, u32>(&pins)?;
        simulate(rx, x, &fixed, args).map_err(explained(TOO_LONG))
    })?;
    s.write()?;
    if grew(&motion) {
        s.run.warn(format!(
            "the energy grew from {} to {}: the time step is too long for this method, or the coordinates are too large for such small motions; the result means nothing",
            text::number(motion.start.total),
            text::number(motion.energy.total)
        ));
    }
    let seconds = f64::from(args.steps) * args.time_step;
    let mut line = format!(
        "mass-spring system: {} {} steps of {} s ({} s in all), {pinned} vertices pinned\n",
        args.steps,
        args.method.name(),
        text::number(args.time_step),
        text::number(seconds)
    );
    if let Some(solve) = motion.last_solve {
        line += &format!(
            "last solve: {} iterations, residual {:.2e}\n",
            solve.iterations, solve.residual
        );
    }
    let e = motion.energy;
    line += &format!(
        "energy: {} kinetic, {} elastic, {} of height, {} in all",
        text::number(e.kinetic),
        text::number(e.elastic),
        text::number(e.gravity),
        text::number(e.total)
    );
    s.run.record.report = Some(Report::Spring(SpringRecord {
        method: args.method.name(),
        steps: args.steps,
        time_step: args.time_step,
        pinned,
        energy: e,
        last_solve: motion.last_solve,
    }));
    s.run.finish_with(&line)
}

fn simulate(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    fixed: &Attribute<Vertex, u32>,
    args: &SpringArgs,
) -> Result<Motion, Error> {
    let options = SpringOptions {
        time_step: args.time_step,
        stiffness: args.stiffness,
        mass: args.mass,
        damping: args.damping,
        gravity: args.gravity,
    };
    let mut springs = Springs::new(rx, x, fixed, &options)?;
    let start = springs.energy()?;
    for _ in 0..args.steps {
        match args.method {
            MethodChoice::Explicit => springs.step_explicit(SpringForces::Gather)?,
            MethodChoice::Scatter => springs.step_explicit(SpringForces::Scatter)?,
            MethodChoice::Implicit => springs.step_implicit(args.max_iter, args.tol)?,
        }
    }
    let motion = Motion {
        start,
        energy: springs.energy()?,
        last_solve: springs.last_solve()?,
    };
    x.copy_from(springs.positions())?;
    Ok(motion)
}

/// Nothing drives the system, so a sound motion does not gain energy; a tenth is left for the steps' own error.
fn grew(motion: &Motion) -> bool {
    let e = motion.energy;
    let scale = e.kinetic + e.elastic + e.gravity.abs();
    e.total - motion.start.total > 0.1 * scale
}

/// 1 for each vertex that stays, in the file's order.
fn pins(s: &Session, args: &SpringArgs) -> Result<Vec<u32>> {
    let n = s.mesh.vertex_count();
    let mut pins = if args.pin_boundary {
        boundary::vertices(&s.rx)?.to_input(&s.rx)?
    } else {
        vec![0; n]
    };
    for &v in &args.pin {
        match pins.get_mut(v as usize) {
            Some(pin) => *pin = 1,
            None => bail!("--pin {v} is no vertex: there are {n}, counted from 0"),
        }
    }
    if let Some(percent) = args.pin_top {
        let up = -args.gravity.as_dvec3();
        let heights: Vec<f64> = s
            .mesh
            .positions
            .iter()
            .map(|p| up.dot(p.as_dvec3()))
            .collect();
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if high <= low {
            bail!(
                "--pin-top: the mesh has no height against gravity, so that all of it would be pinned"
            );
        }
        let limit = high - (high - low) * percent / 100.0;
        for (pin, height) in pins.iter_mut().zip(heights) {
            if height >= limit {
                *pin = 1;
            }
        }
    }
    Ok(pins)
}
