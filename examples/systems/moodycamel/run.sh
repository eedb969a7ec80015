#!/bin/sh
# moodycamel::ConcurrentQueue against ConcurrentQueue.tla. Installs what it needs.
#   ./run.sh signals  [options of omnilink fuzz]    native threads that are stalled
#   ./run.sh schedule [options of omnilink fuzz]    instrumented: the same seed gives the same run
#   ./run.sh hunt     [signals|schedule] [options]  one producer, bulk dequeues: do two of them see 3, 4, 5 and then 1, 2?
set -e
cd "$(dirname "$0")"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

[ -e /usr/include/concurrentqueue/concurrentqueue.h ] || as_root apt-get install -y --no-install-recommends libconcurrentqueue-dev

fuzz() {  # fuzz KIND [options]
  kind=$1
  shift
  case $kind in
    signals) program=harness ;;
    schedule) program=harness-schedule ;;
    *)
      sed -n '2,5s/^# //p' "$0" >&2
      exit 2
      ;;
  esac
  omnilink gen harness ConcurrentQueue.tla --out harness >/dev/null
  make -s -C harness $program
  omnilink fuzz --spec ConcurrentQueue.tla --chaos "$kind" "$@" -- harness/$program
}

kind=${1:-signals}
[ $# = 0 ] || shift
if [ "$kind" = hunt ]; then
  kind=${1:-signals}
  [ $# = 0 ] || shift
  # Thread 0 enqueues, alone and in bulk; the others dequeue in bulk.
  fuzz "$kind" --threads 3 --env OMNILINK_PRODUCERS=1 --env OMNILINK_WEIGHTS=Enqueue=3,EnqueueBulk=1,DequeueBulk=3,TryDequeue=0,TryDequeueOwn=0,SizeApprox=0 "$@"
else
  fuzz "$kind" "$@"
fi
