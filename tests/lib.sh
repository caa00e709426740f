# shellcheck shell=sh
# What the test runners share. A runner sources this, calls `start NAME`, then
# `pass` or `fail TEST TEXT…` for each test, and ends with `finish`.
#
# duet: the program under test, absolute. srcdir: the project's folder,
# absolute. scratch: an empty folder of this run, removed at its end.
srcdir=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
duet=$PWD/duet
passed=0
failed=0
limit=${TEST_TIMEOUT:-60} # seconds a test may take
export LC_ALL=C.UTF-8 PYTHONINTMAXSTRDIGITS=0 NO_COLOR=1
# Every graph is checked, after its trace and after each pass.
export DUET_CHECK=1
# A failed allocation is tested for; a sanitizer would rather stop there.
export ASAN_OPTIONS="allocator_may_return_null=1:${ASAN_OPTIONS-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS-}"

start()
{
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/duet-$1.XXXXXX") || exit 1
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT TERM
}

pass()
{
    passed=$((passed + 1))
}

# fail TEST [LINE…]: why, a line each, below the test's name.
fail()
{
    failed=$((failed + 1))
    printf 'FAIL %s\n' "$1"
    shift
    for line in "$@"; do
        printf '%s\n' "$line" | head -n 30 | sed 's/^/    /'
    done
}

# skip WHY…: nothing of this suite can run here.
skip()
{
    echo "skipped: $*"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

finish()
{
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

# expectations FILE: into $scratch/{stdout,last,lines,status,args,input}.
expectations()
{
    rm -f "$scratch/last" "$scratch/args"
    awk -v out="$scratch" -f "$srcdir/tests/expect.awk" "$1"
}

# run ARG…: duet with the input expected; $scratch/{got,err}, $status.
run()
{
    timeout "$limit" "$duet" "$@" \
        <"$scratch/input" >"$scratch/got" 2>"$scratch/err"
    status=$?
}

# Are the expected lines among the lines of standard error, in order?
has_lines()
{
    awk 'NR == FNR { want[++count] = $0; next }
         at < count && $0 == want[at + 1] { at++ }
         END { exit at != count }' "$scratch/lines" "$scratch/err"
}

# judge TEST: compares what `run` left with what `expectations` asked for.
judge()
{
    if ! cmp -s "$scratch/stdout" "$scratch/got"; then
        fail "$1" "$(diff "$scratch/stdout" "$scratch/got")" \
            "$(tail -n 5 "$scratch/err")"
    elif [ "$status" != "$(cat "$scratch/status")" ]; then
        fail "$1" "status $status, expected $(cat "$scratch/status")" \
            "$(tail -n 12 "$scratch/err")"
    elif [ -f "$scratch/last" ] &&
        [ "$(tail -n 1 "$scratch/err")" != "$(cat "$scratch/last")" ]; then
        fail "$1" "expected error: $(cat "$scratch/last")" \
            "got: $(tail -n 1 "$scratch/err")"
    elif [ -s "$scratch/lines" ] && ! has_lines; then
        fail "$1" "expected on stderr:" "$(cat "$scratch/lines")" "got:" \
            "$(cat "$scratch/err")"
    else
        pass
    fi
}
