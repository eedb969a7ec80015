#!/bin/sh
# Runs and seconds to the first violation of each of the six mistakes, for several seeds of the campaign.
#   ./table.sh [options of omnilink fuzz] …      SEEDS="1 2 3" BUGS="1 2 3" TARGET=harness-schedule CHAOS=schedule RUNS=1000
set -e
cd "$(dirname "$0")"
omnilink gen harness Map.tla --out harness >/dev/null
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
for bug in ${BUGS:-1 2 3 4 5 6}; do
  make -s -B -C harness "${TARGET:-harness-schedule}" CXXFLAGS="-O1 -DBUG=$bug" >/dev/null
  for seed in ${SEEDS:-1 2 3 4 5}; do
    # Exit code 1 is a finding, which is what is wanted.
    omnilink fuzz --spec Map.tla --chaos "${CHAOS:-schedule}" --until-violation --runs "${RUNS:-1000}" --seed "$seed" --drop-valid --json \
      --store "$store/$bug-$seed.db" "$@" -- "harness/${TARGET:-harness-schedule}" 2>/dev/null | tail -1 |
      python3 -c "
import json, sys
c = json.load(sys.stdin)
found = any(f['finding'] == 'violation' for f in c['findings'])
print('bug $bug seed $seed:', c['runs'], 'runs', '%.1f s' % c['seconds'], '' if found else 'NOT FOUND', sep='  ')" || true
  done
done
