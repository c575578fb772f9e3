#!/usr/bin/env bash
# Everything that is run on a machine with a GPU, from programs built elsewhere:
#
#     bench/gpu.sh PROGRAMS RECORD [SIZES [MESH]]
#
# PROGRAMS is a folder with `rxmesh-bench`, `rxmesh` and the test programs `*.test` (the
# suite of tests/, that of crates/rxmesh-cuda-builder); RECORD is where the bench's JSON
# goes (a file; logs go beside it). SIZES: 20k,320k,1.28m,5.12m. MESH: a file whose mesh and Loop subdivisions are
# measured as well, into RECORD-mesh.json. A step that fails does not stop the others, but the script then ends with 1.
# Run it from the root of the repository: tests look for files there. Nothing of the GPU's settings is touched.
set -uo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,9p' "$0" >&2
    exit 2
fi
programs=$(cd "$1" && pwd) || exit 2
mkdir -p "$(dirname "$2")"
record=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
sizes=${3:-20k,320k,1.28m,5.12m}
logs=${record%.json}-logs
mkdir -p "$logs"
# On a GPU everything is quick: the long run.
export RXMESH_REQUIRE_CUDA=1 RXMESH_LONG=1 RUST_BACKTRACE=1
summary=()
failed=0

# How many tests a log says have passed.
passed() {
    sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}

# step NAME SECONDS COMMAND...: runs a command with a time limit; its output goes to a log, the end of it here.
step() {
    local name=$1 limit=$2 start=$SECONDS code outcome
    shift 2
    timeout --kill-after=10 "$limit" "$@" >"$logs/$name.log" 2>&1 </dev/null
    code=$?
    # A test program that runs no test says ok.
    if [ $code -eq 0 ] && [[ $name == test-* ]] && [ "$(passed "$logs/$name.log")" -eq 0 ]; then
        code=100
    fi
    case $code in
        0) outcome=ok ;;
        100) outcome="NO TEST" ;;
        124 | 137) outcome="TIME ($limit s)" ;;
        *) outcome="FAILED ($code)" ;;
    esac
    [ $code -eq 0 ] || failed=1
    summary+=("$(printf '%-40s %-16s %4d s' "$name" "$outcome" $((SECONDS - start)))")
    echo "== $name: $outcome"
    if [ $code -ne 0 ]; then
        tail -n 15 "$logs/$name.log"
    fi
    return $code
}

skip() {
    summary+=("$(printf '%-40s %s' "$1" "skipped: $2")")
}

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null \
    || echo "no nvidia-smi"

# The tests of the CUDA engine, a step for each subject.
found=0
for test in "$programs"/*.test; do
    [ -x "$test" ] || continue
    found=1
    program=$(basename "$test" .test)
    names=$("$test" --list cuda 2>"$logs/list-$program.log" | sed -n 's/: test$//p')
    if [ -z "$names" ]; then
        # Says so, and fails.
        step "test-$program" 60 "$test" cuda
    fi
    for subject in $(sed 's/::.*//' <<<"$names" | sort -u); do
        name=test-$program-$subject
        mapfile -t tests < <(grep "^$subject\(::\|$\)" <<<"$names")
        step "$name" 300 "$test" --exact "${tests[@]}"
        grep -h '^test result' "$logs/$name.log" || true
    done
done
[ $found -eq 1 ] || { failed=1; skip tests "no *.test in $programs"; }

# The GPU's results are the CPU's, also with patches of other sizes.
for size in 64 512 1024; do
    step "agree-$size" 120 "$programs/rxmesh-bench" agree --size 20k --patch-size "$size" \
        && tail -n 4 "$logs/agree-$size.log"
done
# Edits of the speculative scheduler, with patches of three sizes, many seeds, and every neighbour locked.
for size in 32 64 256; do
    step "edits-$size" 120 "$programs/rxmesh-bench" edits --engine cuda --patch-size "$size" \
        --faces $((40 * size)) --runs 10 \
        && tail -n 4 "$logs/edits-$size.log"
done
step edits-lock-all 120 "$programs/rxmesh-bench" edits --engine cuda --runs 10 --lock-all
step agree-large 240 "$programs/rxmesh-bench" agree --size 1.28m && tail -n 4 "$logs/agree-large.log"

# The command line gives the same mesh on both engines.
if [ -x "$programs/rxmesh" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    input=data/bunny.obj
    [ -f $input ] || {
        input=$work/in.obj
        step apps-generate 60 "$programs/rxmesh" generate icosphere -o "$input"
    }
    step apps-mcf-cuda 120 "$programs/rxmesh" mcf "$input" --engine cuda -o "$work/cuda.obj" \
        --json "$logs/mcf-cuda.json"
    step apps-mcf-cpu 120 "$programs/rxmesh" mcf "$input" --engine cpu -o "$work/cpu.obj" \
        --json "$logs/mcf-cpu.json"
    # Largest distance of corresponding vertices over the bounding box's diagonal.
    distance() {
        paste <(grep '^v ' "$1") <(grep '^v ' "$2") | awk '
            NF < 8 { bad = 1 }
            {
                d = sqrt(($2 - $6) ^ 2 + ($3 - $7) ^ 2 + ($4 - $8) ^ 2); if (d > most) most = d
                for (i = 2; i <= 4; i++) {
                    if (NR == 1 || $i < low[i]) low[i] = $i
                    if (NR == 1 || $i > high[i]) high[i] = $i
                }
            }
            END {
                box = sqrt((high[2] - low[2]) ^ 2 + (high[3] - low[3]) ^ 2 + (high[4] - low[4]) ^ 2)
                printf "%d vertices, largest distance over the bounding box %.2e\n", NR, most / box
                exit (NR == 0 || bad || !(most / box <= 1e-4))
            }'
    }
    export -f distance
    step apps-mcf-distance 30 bash -c 'distance "$1" "$2"' - "$work/cuda.obj" "$work/cpu.obj" \
        && cat "$logs/apps-mcf-distance.log"
else
    skip apps-mcf "no rxmesh in $programs"
fi

# Memory and races, on the smallest mesh.
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
if [ -n "$sanitizer" ]; then
    for tool in memcheck racecheck; do
        # One launch a row: the tools slow everything down a hundred times.
        step "$tool" 300 "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 20 \
            "$programs/rxmesh-bench" --engine cuda --quick --repeat 1 --batch 1 --sizes 20k --conflicts claims
        grep -h 'ERROR SUMMARY\|RACECHECK SUMMARY' "$logs/$tool.log" || true
        step "$tool-edits" 300 "$sanitizer" --tool $tool --error-exitcode 9 --print-limit 20 \
            "$programs/rxmesh-bench" edits --engine cuda --faces 500 --patch-size 48 --frames 1
        grep -h 'ERROR SUMMARY\|RACECHECK SUMMARY' "$logs/$tool-edits.log" || true
    done
else
    skip sanitizer "no compute-sanitizer"
fi

# The figures.
step bench 420 "$programs/rxmesh-bench" --engine cuda --sizes "$sizes" --budget 0.5 --json "$record" --short \
    && sed -n '/^cuda on/,$p' "$logs/bench.log"
if [ -n "${4:-}" ]; then
    step bench-mesh 420 "$programs/rxmesh-bench" --engine cuda --mesh "$4" --subdivide 0,2,3,4 --budget 0.3 \
        --json "${record%.json}-mesh.json" --short && sed -n '/^cuda on/,$p' "$logs/bench-mesh.log"
fi

echo
echo "== summary"
printf '%s\n' "${summary[@]}"
[ $failed -eq 0 ] && echo "all steps passed" || echo "SOME STEPS FAILED"
exit $failed
