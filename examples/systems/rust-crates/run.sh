#!/bin/sh
# Three Rust crates under omnilink fuzz; cargo fetches them.
#   ./run.sh seg_queue|dash_map|skip_map [options of omnilink fuzz]      skip_map is a version with a known mistake
set -e
cd "$(dirname "$0")"
name=${1:-skip_map}
[ $# = 0 ] || shift
case $name in
  seg_queue) against="--model queue" ;;
  dash_map | skip_map) against="--spec Map.tla --collect Keys=key" ;;
  *)
    sed -n '3s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
cargo build --quiet --release --bin "$name"
# shellcheck disable=SC2086  # the options are words
omnilink fuzz $against --chaos "${CHAOS:-signals}" "$@" -- "target/release/$name"
