#!/usr/bin/env bash
# Makes the pictures of the stories again: docs/stories/pictures.sh [STORY …]. Needs omnilink and Chromium in the PATH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# picture STORY ADDRESS: the page in $work/page.html as a picture; the address says what is selected.
picture() {
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size="${SIZE:-1200,800}" --virtual-time-budget=5000 \
    --screenshot="$here/$1.png" "file://$work/page.html$2" >/dev/null 2>&1
  echo "$here/$1.png"
}

# A violation is what is wanted: exit code 1.
found() { "$@" >"$work/out" || [ $? -eq 1 ]; }

lost-update() {
  found omnilink lineup examples/lineup --bin counter --evidence "$work/why.json"
  omnilink view "$work/why.json" --html "$work/page.html"
  picture lost-update ''
}

early-return() {
  cp -r examples/systems/map "$work/map"
  (
    cd "$work/map"
    omnilink gen harness Map.tla --out harness >/dev/null
    make -s -C harness harness-schedule CXXFLAGS="-O1 -g -DBUG=4"
    found omnilink fuzz --spec Map.tla --chaos schedule --until-violation --seed 1 --drop-valid --store runs.db -- harness/harness-schedule
    run=$(grep -o 'runs show [0-9]*' "$work/out" | head -1 | grep -o '[0-9]*')
    omnilink view "$run" --store runs.db --html "$work/page.html"
  )
  picture early-return ''
}

per-producer-order() {
  (
    cd examples/validate/producers
    found omnilink validate Producers.tla bug-order-of-a-producer.ndjson --collect Producers=producer --collect Consumers=consumer \
      --evidence "$work/why.json"
    omnilink view "$work/why.json" --html "$work/page.html"
  )
  picture per-producer-order ''
}

stale-read() {
  found omnilink lineup lineup-targets/known --bin concurrent_queue_single --matrix 'pop(), push(1) | push(1), pop()' --evidence "$work/why.json"
  omnilink view "$work/why.json" --html "$work/page.html"
  picture stale-read ''
}

if [ $# -eq 0 ]; then
  set -- lost-update early-return per-producer-order stale-read
fi
for story in "$@"; do
  "$story"
done
