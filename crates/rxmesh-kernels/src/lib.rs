//! Device half of rxmesh: everything that runs inside a block.
#![no_std]

pub mod topo;
