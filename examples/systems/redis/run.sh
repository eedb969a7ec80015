#!/bin/sh
# Redis over a socket, with a harness in Python. Needs redis-server (Debian: apt install redis-server) and Python 3.
set -e
cd "$(dirname "$0")"
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

command -v redis-server >/dev/null || as_root apt-get install -y --no-install-recommends redis-server
exec omnilink fuzz --spec Redis.tla --collect Keys=key,other --chaos "${CHAOS:-none}" --runs "${RUNS:-50}" "$@" -- python3 harness.py
