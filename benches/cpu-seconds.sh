# For the scripts that compare commands on map traces: the spec, a scratch folder, and CPU seconds. To be sourced, by bash.
spec=$(cd "$(dirname "${BASH_SOURCE[0]}")/../examples/validate/map" && pwd)/Map.tla
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%U %S'
# Prints the CPU seconds of a command, whose exit code may be 0 or 1; what it prints goes to the file named first.
cpu() {
    local report=$1; shift
    { time { "$@" > "$report" 2> /dev/null || [ $? -eq 1 ]; }; } 2>&1 | awk '{ print $1 + $2 }'
}
# The options that the spec needs.
options=(--collect Keys=key,lo,hi --const NoValue=0 --json)
# Prints the CPU seconds of the trace named second through the spec; the report goes to the file named first.
cpu_of_spec() {
    cpu "$1" "$omnilink" validate "$spec" "$2" "${options[@]}"
}
