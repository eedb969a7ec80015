#!/bin/sh
# A history from Go, checked against a specification: right, and with a client that reads what it wrote itself.
#   ./run.sh [OMNILINK]        needs Go 1.19 or newer
set -e
omnilink=${1:-omnilink}
case $omnilink in */*) omnilink=$(realpath "$omnilink") ;; esac
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/register" .
"$work/register" "$work/right"
"$omnilink" validate Register.tla "$work/right" --collect Values=value,ret
"$work/register" "$work/wrong" wrong
# Exit code 1: the violation that is wanted.
"$omnilink" validate Register.tla "$work/wrong" --collect Values=value,ret || [ $? -eq 1 ]
