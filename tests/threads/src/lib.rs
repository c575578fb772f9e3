//! The worker threads of the CPU engine and the claims on its memory, with their tests, and nothing else.

#![allow(dead_code)]

#[path = "../../../crates/rxmesh-host/src/engine/claims.rs"]
mod claims;
#[path = "../../../crates/rxmesh-host/src/engine/cpu/crew.rs"]
mod crew;
