#!/bin/sh
# run.sh EXECUTIONS [TARGET...]: fuzzes the targets one after the other; what they find stays below
# target/fuzz. Exits with 1 when one of them fails.
set -eu
cd "$(dirname "$0")"
executions=$1
shift
target=${CARGO_TARGET_DIR:-target}
work=$target/fuzz
${CARGO:-cargo} build --release --locked --quiet --bin corpus
"$target/release/corpus" ../../samples "$work/seeds"
[ $# -gt 0 ] || set -- $(ls "$work/seeds")
failed=0
for name in "$@"; do
    mkdir -p "$work/$name/corpus"
    if ! TARGET=$name "$target/release/fuzz" "$work/$name/corpus" "$work/seeds/$name" \
        -runs="$executions" -max_len=4096 -mutate_depth=1 -reduce_inputs=0 -timeout=20 -rss_limit_mb=2048 -seed=1 -print_final_stats=1 \
        -artifact_prefix="$work/$name/" >"$work/$name/log" 2>&1; then
        failed=1
        echo "$name: FAILED, see $work/$name/log"
    fi
    grep '^tally: .* reached an event$' "$work/$name/log" | tail -1 | sed "s/^tally:/$name:/"
done
exit $failed
