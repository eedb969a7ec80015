#!/bin/sh
# The augmented map of map.hpp against Map.tla. Installs what it needs; table.sh measures all six mistakes.
#   ./run.sh [0..6] [signals|schedule] [options of omnilink fuzz]      0: no mistake
set -e
cd "$(dirname "$0")"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

command -v g++ >/dev/null || as_root apt-get install -y --no-install-recommends g++
command -v make >/dev/null || as_root apt-get install -y --no-install-recommends make

bug=${1:-0}
[ $# = 0 ] || shift
kind=${1:-signals}
[ $# = 0 ] || shift
case $kind in
  signals | none) program=harness ;;
  schedule) program=harness-schedule ;;
  *)
    sed -n '3s/^# //p' "$0" >&2
    exit 2
    ;;
esac
omnilink gen harness Map.tla --out harness >/dev/null
make -s -B -C harness $program CXXFLAGS="-O1 -DBUG=$bug"
omnilink fuzz --spec Map.tla --chaos "$kind" "$@" -- harness/$program
