#!/bin/sh
# WiredTiger under snapshot isolation with timestamps, against WiredTiger.tla. Installs what it needs.
#   ./run.sh signals  [options of omnilink fuzz]    Debian's 3.2.1, native threads that are stalled
#   ./run.sh schedule [options of omnilink fuzz]    11.3.1, instrumented: the same seed gives the same run
#   ./run.sh strict   [signals|schedule]            each stricter specification, and the corner case that violates it
set -e
cd "$(dirname "$0")"
version=11.3.1
engine=${XDG_CACHE_HOME:-$HOME/.cache}/omnilink-examples/wiredtiger-$version

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

need() {  # need COMMAND PACKAGE
  command -v "$1" >/dev/null || as_root apt-get install -y --no-install-recommends "$2"
}

# Debian's package: a shared library without its sources.
signals() {
  [ -e /usr/include/wiredtiger.h ] || as_root apt-get install -y --no-install-recommends libwiredtiger-dev
  make -s -C harness harness LDLIBS=-lwiredtiger
}

# The source distribution of the Python package, compiled as it is with ThreadSanitizer's instrumentation (a few minutes, once).
schedule() {
  if [ ! -e "$engine/build/libwiredtiger.a" ]; then
    need cmake cmake
    need ninja ninja-build
    need pip3 python3-pip
    mkdir -p "$engine/build"
    pip3 download --quiet --no-binary :all: --no-deps --dest "$engine" wiredtiger==$version
    tar xzf "$engine/wiredtiger-$version.tar.gz" -C "$engine" --strip-components 1
    cmake -G Ninja -S "$engine" -B "$engine/build" -DENABLE_STATIC=1 -DENABLE_SHARED=0 -DENABLE_PYTHON=0 -DENABLE_STRICT=0 \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="-g -fsanitize=thread"
    ninja -C "$engine/build" libwiredtiger.a
  fi
  make -s -C harness harness-schedule CXXFLAGS="-I$engine/build/include" LDLIBS="$engine/build/libwiredtiger.a"
}

fuzz() {  # fuzz KIND CONFIGURATION [options]
  kind=$1 configuration=$2
  shift 2
  case $kind in
    # 3.2.1 lets a commit have an older timestamp than the last one of its key.
    signals) program=harness/harness old=${refuses:-FALSE} ;;
    schedule) program=harness/harness-schedule old=TRUE ;;
  esac
  omnilink fuzz --spec WiredTiger.tla --config "$configuration" --const RefusesOldTimestamps=$old --chaos "$kind" "$@" -- "$program"
}

kind=${1:-signals}
[ $# = 0 ] || shift
omnilink gen harness WiredTiger.tla --out harness >/dev/null
case $kind in
  signals | schedule)
    $kind
    fuzz "$kind" WiredTiger.cfg "$@"
    ;;
  strict)
    kind=${1:-signals}
    $kind
    for constant in FailedMayCommit EqualTimestamps CommitsBelowReads CommitsBelowOldest; do
      sed "s/ $constant = TRUE/ $constant = FALSE/" WiredTiger.cfg > harness/strict.cfg
      echo "== $constant = FALSE"
      fuzz "$kind" harness/strict.cfg --until-violation --runs 50 --ops 500 --store "harness/strict-$constant.db" || [ $? = 1 ]
    done
    # What 11.3.1 refuses, 3.2.1 does: commits of one key that go back in time.
    if [ "$kind" = signals ]; then
      echo "== RefusesOldTimestamps = TRUE"
      refuses=TRUE fuzz signals WiredTiger.cfg --until-violation --runs 50 --store harness/strict-RefusesOldTimestamps.db || [ $? = 1 ]
    fi
    ;;
  *)
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
    ;;
esac
