//! Device half of the algorithms; the host half has the same file names in `rxmesh-host`.
