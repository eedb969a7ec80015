#!/bin/sh
# omnilink mc against the crate tla-checker on the golden benchmark specs, in one run: user CPU seconds of whole processes.
#
#   benches/mc-vs-tla-checker.sh OMNILINK [SPEC...]
#
# The crate's command is installed into target/tla-checker, unless TLA_CHECKER names one. A spec that it cannot run, or of which it
# finds another number of states, is named and left out. The last column is its time over ours.
set -eu
version=0.24.11
omnilink=$(realpath "$1"); shift
[ $# -gt 0 ] || set -- Commit2 Synod Elect Philo AltBit Gears Bakery GCount
root=$(cd "$(dirname "$0")/.." && pwd)
checker=${TLA_CHECKER:-$root/target/tla-checker/bin/tla}
[ -x "$checker" ] || cargo install tla-checker --version "$version" --locked --bin tla --root "$root/target/tla-checker"
limit=${LIMIT:-300}
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
# The user CPU seconds of a command, whose output goes to a file.
cpu() {
    out=$1; shift
    python3 - "$out" "$@" <<'PYTHON'
import resource, subprocess, sys
with open(sys.argv[1], "w") as out:
    subprocess.run(sys.argv[2:], stdout=out, stderr=subprocess.STDOUT)
print("%.3f" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
PYTHON
}
printf '%-10s %12s %16s %10s %8s\n' spec distinct 'tla-checker s' 'here s' ratio
for spec in "$@"; do
    cd "$root/crates/tla/tests/golden/specs/$spec"
    ours=$(cpu "$scratch/ours" "$omnilink" mc "$spec.tla" --config "${spec}Bench.cfg" --json)
    theirs=$(cpu "$scratch/theirs" timeout "$limit" "$checker" "$spec.tla" --config "${spec}Bench.cfg" --max-states 100000000 --json)
    python3 - "$spec" "$ours" "$theirs" "$scratch" <<'PYTHON'
import json, re, sys
spec, ours, theirs, scratch = sys.argv[1:]
here = json.loads(open(scratch + "/ours").read())["distinct"]
text = open(scratch + "/theirs").read()
found = re.search(r'"(?:states_explored|states|distinct_states)"\s*:\s*(\d+)', text)
if found is None:
    said = (text.strip().splitlines() or ["no answer in time"])[0]
    print("%-10s %12d %16s %10s   not run by tla-checker: %s" % (spec, here, "-", ours, said[:70]))
elif int(found.group(1)) != here:
    print("%-10s %12d %16s %10s   tla-checker finds %s states" % (spec, here, theirs, ours, found.group(1)))
else:
    print("%-10s %12d %16s %10s %7.1fx" % (spec, here, theirs, ours, float(theirs) / float(ours)))
PYTHON
done
