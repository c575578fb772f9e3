//! Compares contact forces with differences of the energy, and checks the distances of solids.

use super::{Contacts, Edges, Solid, SolidKind, TouchEdges};
use crate::small::times;
use glam::{Quat, Vec3};
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};
use std::vec::Vec;

fn solid(kind: SolidKind) -> Solid {
    Solid {
        kind: kind as u32,
        side: 1.0,
        size: match kind {
            SolidKind::Grid => [0.0; 3],
            _ => [0.5, 0.7, 0.4],
        },
        turn: Quat::from_scaled_axis(Vec3::new(0.2, 0.5, -0.4)).to_array(),
        at: [0.1, -0.2, 0.3],
        velocity: [0.3, 0.1, 0.0],
        spin: [0.0, 1.0, 0.5],
        stiffness: 100.0,
        thickness: 0.1,
        friction: 0.4,
        edges: 1,
        first: 1,
        points: [20, 21, 22],
        spacing: 0.1,
    }
}

/// Returns distances to a ball in the middle of the grid, after one number that belongs to another grid.
fn grid() -> Vec<f32> {
    let mut values = std::vec![7.0];
    for k in 0..22 {
        for j in 0..21 {
            for i in 0..20 {
                let x = Vec3::new(i as f32, j as f32, k as f32) * 0.1;
                values.push((x - Vec3::splat(1.0)).length() - 0.5);
            }
        }
    }
    values
}

fn contacts<'a>(solids: &'a [Solid], grids: &'a [f32]) -> Contacts {
    Contacts {
        // SAFETY: the slices outlive the views, and nothing writes them (contract U4).
        solids: unsafe { Global::new(solids.as_ptr(), solids.len() as u32) },
        // SAFETY: as above.
        grids: unsafe { Global::new(grids.as_ptr(), grids.len() as u32) },
        slip: 0.5,
    }
}

const KINDS: [SolidKind; 4] = [
    SolidKind::Plane,
    SolidKind::Sphere,
    SolidKind::Box,
    SolidKind::Grid,
];

#[test]
fn forces_are_differences_of_energies() {
    let grids = grid();
    let mut state = 1u32;
    let mut next = || {
        state = rxmesh_kernels::math::hash(state + 77);
        state as f32 / 2f32.powi(31) - 1.0
    };
    let (mut touched, mut rubbed, mut jumps) = (0, 0, 0);
    for _ in 0..4000 {
        let mut vector = || Vec3::new(next(), next(), next());
        let (x, u) = (vector() * 1.5, vector() * 0.2);
        for kind in KINDS {
            let solids = [solid(kind)];
            let all = contacts(&solids, &grids);
            let at = |u: Vec3| all.touch(x, u, 0.3);
            let touch = at(u);
            touched += u32::from(touch.force != Vec3::ZERO);
            let h = 2e-3;
            let slope = |axis: Vec3| {
                let near = at(u + axis * h).energy - at(u - axis * h).energy;
                near / (2.0 * h)
            };
            let want = -Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
            let off = (touch.force - want).length();
            // Slopes of grids and boxes jump between cells, and inside where two sides are equally near.
            let sharp = matches!(kind, SolidKind::Grid | SolidKind::Box);
            jumps += u32::from(sharp && off > 0.2);
            assert!(
                off < 0.2 || sharp,
                "{kind:?} at {x} by {u}: {} for {want}",
                touch.force
            );
            rubbed += u32::from(all.touch(x, Vec3::ZERO, 0.3).energy != all.energy(x));
            // Positive semi-definite.
            for d in [Vec3::X, Vec3::Y, want] {
                assert!(d.dot(times(touch.hessian, d)) >= -1e-3 * d.length_squared());
            }
        }
    }
    assert!(touched > 1000 && rubbed > 100, "{touched} {rubbed}");
    assert!(jumps * 10 < touched, "{jumps} of {touched}");
}

/// Computes the contact response of both ends of an edge.
fn touched(all: Contacts, x: [Vec3; 2], u: [Vec3; 2]) -> [[f32; 10]; 2] {
    let (starts, others, mass, none) = ([0u32, 1, 2], [1u32, 0], [1.0f32; 2], [Vec3::ZERO; 2]);
    let mut to = [[0.0f32; 10]; 2];
    // SAFETY: the arrays outlive the views, and nothing else uses them (contract U4).
    let kernel = unsafe {
        TouchEdges {
            edges: Edges {
                starts: Global::new(starts.as_ptr(), 3),
                others: Global::new(others.as_ptr(), 2),
                mass: Global::new(mass.as_ptr(), 2),
            },
            contacts: all,
            x: Global::new(x.as_ptr(), 2),
            u: Global::new(u.as_ptr(), 2),
            change: Global::new(none.as_ptr(), 2),
            length: 0.0,
            dt: 0.3,
            to: GlobalMut::new(to.as_mut_ptr(), 2),
        }
    };
    kernel.run(0);
    kernel.run(1);
    to
}

#[test]
fn forces_of_edges_are_differences_of_their_energy() {
    let grids = grid();
    let mut state = 5u32;
    let mut next = || {
        state = rxmesh_kernels::math::hash(state + 77);
        state as f32 / 2f32.powi(31) - 1.0
    };
    let (mut between, mut touches, mut jumps) = (0, 0, 0);
    for _ in 0..3000 {
        let mut vector = || Vec3::new(next(), next(), next());
        let (middle, along) = (vector(), vector() * 1.5);
        let (x, u) = (
            [middle - along, middle + along],
            [vector() * 0.1, vector() * 0.1],
        );
        for kind in [SolidKind::Sphere, SolidKind::Box, SolidKind::Grid] {
            let solids = [solid(kind)];
            let all = contacts(&solids, &grids);
            let got = touched(all, x, u);
            let apart = all.touch(x[0], u[0], 0.3).energy + all.touch(x[1], u[1], 0.3).energy;
            between += u32::from(got[0][0] > 0.0 && apart == 0.0);
            assert_eq!(got[0][0], got[1][0], "both ends have half of the energy");
            for end in 0..2 {
                let h = 4e-3;
                let at = |axis: Vec3| {
                    let mut moved = u;
                    moved[end] += axis * h;
                    let [a, b] = touched(all, x, moved);
                    a[0] + b[0]
                };
                let slope = |axis| (at(axis) - at(-axis)) / (2.0 * h);
                let want = -Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                let [_, fx, fy, fz, hessian @ ..] = got[end];
                let off = (Vec3::new(fx, fy, fz) - want).length();
                touches += u32::from(fx != 0.0);
                // The deepest point jumps where two are equally deep; near the edges of a box normals change within the
                // difference step.
                let (sharp, most) = (kind != SolidKind::Sphere, 0.3 + 0.1 * want.length());
                jumps += u32::from(sharp && off > most);
                assert!(off < 0.3 || sharp, "{kind:?}: {fx} {fy} {fz} for {want}");
                for d in [Vec3::X, Vec3::Y, want] {
                    assert!(d.dot(times(hessian, d)) >= -1e-3 * d.length_squared());
                }
            }
        }
    }
    assert!(between > 300, "{between}");
    assert!(jumps * 10 < touches, "{jumps} of {touches}");
}

#[test]
fn distances_are_those_of_the_shapes() {
    let grids = grid();
    let here = |kind| Solid {
        turn: [0.0, 0.0, 0.0, 1.0],
        at: [0.0; 3],
        ..solid(kind)
    };
    let view = contacts(&[], &grids).grids;
    let at = |kind, x: Vec3| here(kind).distance(x, view);
    assert_eq!(
        at(SolidKind::Plane, Vec3::new(3.0, 2.0, -0.5)),
        (-0.5, Vec3::Z)
    );
    let (d, n) = at(SolidKind::Sphere, Vec3::new(0.0, 0.3, 0.4));
    assert!(d.abs() < 1e-6 && (n - Vec3::new(0.0, 0.6, 0.8)).length() < 1e-6);
    assert!(at(SolidKind::Sphere, Vec3::ZERO).1.is_finite());
    let (d, n) = at(SolidKind::Box, Vec3::new(0.8, -1.1, 0.1));
    assert!((d - 0.5).abs() < 1e-6 && (n - Vec3::new(0.6, -0.8, 0.0)).length() < 1e-6);
    assert_eq!(at(SolidKind::Box, Vec3::new(0.45, 0.0, 0.0)).1, Vec3::X);
    // Inside of the grid, at its border, and beyond.
    let (d, n) = at(SolidKind::Grid, Vec3::new(1.05, 1.05, 1.65));
    let want = Vec3::new(0.05, 0.05, 0.65);
    assert!((d + 0.5 - want.length()).abs() < 5e-3, "{d}");
    assert!((n - want.normalize()).length() < 0.01, "{n}");
    let (d, _) = at(SolidKind::Grid, Vec3::new(1.0, 1.0, 3.1));
    assert!((d - 1.6).abs() < 5e-3, "{d}");
    let mut hollow = here(SolidKind::Sphere);
    hollow.side = -1.0;
    let (d, n) = hollow.distance(Vec3::new(0.0, 0.0, 0.4), view);
    assert!((d - 0.1).abs() < 1e-6 && n == -Vec3::Z);
}
