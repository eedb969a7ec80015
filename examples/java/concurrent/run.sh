#!/bin/sh
# How consistent is each method of the collections of java.util.concurrent? Prints a table.
#   ./run.sh [--seconds S] [OMNILINK [CLASS]...]        needs a JDK of version 17 or newer
set -e
seconds=1
if [ "$1" = --seconds ]; then
    seconds=$2
    shift 2
fi
omnilink=${1:-omnilink}
[ $# -gt 0 ] && shift
case $omnilink in */*) omnilink=$(realpath "$omnilink") ;; esac
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac --release 17 -d "$work/classes" ./*.java
java -cp "$work/classes" Survey --seconds "$seconds" "$omnilink" "$work/histories" "$@"
