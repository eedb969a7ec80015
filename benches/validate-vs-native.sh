#!/bin/bash
# The same map traces through a TLA+ spec and through the native model: CPU seconds (user + system, start-up included), peak MB.
#
#   benches/validate-vs-native.sh OMNILINK TRACE...
#
# The verdicts must be equal; the last column is the time through the spec over the time of the native model.
set -eu
omnilink=$(realpath "$1"); shift
. "$(dirname "$0")/cpu-seconds.sh"
field() { sed -n "s/.*\"$2\":\"\{0,1\}\([a-z0-9]*\).*/\1/p" "$1" | head -1; }
printf '%-28s %10s %10s %8s %10s %8s %7s\n' trace verdict 'spec s' MB 'native s' MB ratio
for trace in "$@"; do
    through_spec=$(cpu_of_spec "$scratch/spec" "$trace")
    native=$(cpu "$scratch/native" "$omnilink" check "$trace" --model map --json)
    verdict=$(field "$scratch/spec" verdict)
    [ "$verdict" = "$(field "$scratch/native" verdict)" ] || { echo "$trace: the verdicts differ" >&2; exit 1; }
    awk -v trace="$(basename "$trace")" -v verdict="$verdict" -v a="$through_spec" -v b="$native" \
        -v m="$(field "$scratch/spec" peak_bytes)" -v n="$(field "$scratch/native" peak_bytes)" \
        'BEGIN { printf "%-28s %10s %10.2f %8d %10.2f %8d %6.1fx\n", trace, verdict, a, m / 1e6, b, n / 1e6, a / (b > 0 ? b : 0.005) }'
done
