# For the scripts that compare commands on map traces: the spec, a scratch folder, and CPU seconds. To be sourced, by bash.
spec=$(cd "$(dirname "${BASH_SOURCE[0]}")/../examples/validate/map" && pwd)/Map.tla
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%U %S'
# Prints the CPU seconds of a command, whose exit code may be 0 or 1; what it prints goes to the file named first. The shell counts in
# milliseconds: with $runs, that many runs are timed together, and the mean is printed.
cpu() {
    local report=$1; shift
    { time for _ in $(seq "${runs:-1}"); do "$@" > "$report" 2> /dev/null || [ $? -eq 1 ]; done; } 2>&1 |
        awk -v runs="${runs:-1}" '{ print ($1 + $2) / runs }'
}
# Prints how many runs to time together, given the seconds that one takes.
runs_for() { awk -v seconds="$1" 'BEGIN { print (seconds < 0.1 ? 10 : 1) }'; }
# Prints the CPU seconds of the trace named second through the spec; the report goes to the file named first.
cpu_of_spec() {
    cpu "$1" "$omnilink" validate "$spec" "$2" --collect Keys=key,lo,hi --const NoValue=0 --json
}
