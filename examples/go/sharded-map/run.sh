#!/bin/sh
# A sharded map in Go, its trace checked against the model of a key-value store: right, and with a copy that is made without a lock.
#   ./run.sh [OMNILINK]        needs Go 1.19 or newer
set -e
omnilink=${1:-omnilink}
case $omnilink in */*) omnilink=$(realpath "$omnilink") ;; esac
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/sharded-map" .
"$work/sharded-map" "$work/right"
"$omnilink" check "$work/right" --model kv
"$work/sharded-map" "$work/wrong" wrong
# Exit code 1: the violation that is wanted.
"$omnilink" check "$work/wrong" --model kv || [ $? -eq 1 ]
