#!/bin/sh
# A two-phase commit in Java, its log checked against TwoPhase.tla: right, and with the bug that counts resent messages.
#   ./run.sh [OMNILINK]        needs a JDK of version 17 or newer
set -e
omnilink=${1:-omnilink}
case $omnilink in */*) omnilink=$(realpath "$omnilink") ;; esac
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
../../../recorders/java/build "$work" > /dev/null
javac --release 17 -cp "$work/omnilink.jar" -d "$work/classes" TwoPhaseCommit.java
run() {
    java -cp "$work/omnilink.jar:$work/classes" TwoPhaseCommit "$work/$1" ${2:+"$2"}
    "$omnilink" validate ../../logs/two-phase/TwoPhase.tla "$work/$1" --const 'RM={"rm-0","rm-1","rm-2"}'
}
run right
# Exit code 1: the violation that is wanted.
run wrong count || [ $? -eq 1 ]
