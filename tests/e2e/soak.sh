#!/usr/bin/env bash
# The long campaigns: soak.sh ETUDE. Half an hour on two cores; ETUDE_KILLS and ROUNDS change how long.
set -euo pipefail
cd "$(dirname "$0")/../.."
etude=$(realpath "$1")
export PYTHONPATH=$PWD/tests/e2e/support
work=$(mktemp -d -t etude-soak-XXXXXX)
trap 'rm -rf "$work"' EXIT

echo "== 300 kills at random instants"
ETUDE="$etude" ETUDE_KILLS="${ETUDE_KILLS:-300}" ETUDE_SEED="${ETUDE_SEED:-$RANDOM}" /usr/bin/python3 tests/e2e/home/kill_campaign_test.py

echo "== 50 kills of small studies and of one with 1,000 jobs, failed nodes, time limits and accounting that is lost on a real Slurm"
for test in tests/e2e/executors/slurm*_test.py; do
  ETUDE="$etude" ETUDE_SLURM_LONG=1 ETUDE_SLURM_KILLS="${ETUDE_SLURM_KILLS:-50}" ETUDE_SLURM_JOBS=1000 ETUDE_SEED="${ETUDE_SEED:-$RANDOM}" /usr/bin/python3 "$test"
done

echo "== the archive for any Linux, on a machine without a C library and with an older kernel"
DIST=$(ls -t "$(dirname "$etude")"/dist/etude-*.tar.gz | head -n 1) ETUDE="$etude" /usr/bin/python3 tests/e2e/executors/dist_test.py

echo "== a kill at every commit, and at every commit of each recovery"
ETUDE="$etude" ETUDE_THOROUGH=1 /usr/bin/python3 tests/e2e/home/commit_kills_test.py

echo "== supervisors killed, kernels and supervisors stopped for a minute, logs torn"
ETUDE="$etude" ETUDE_STOPPED=60 /usr/bin/python3 tests/e2e/home/survivors_test.py

seeds=$(( ${ETUDE_SEED:-$RANDOM} * 1000 ))
echo "== 10,000 simulated homes in which everything fails, from seed $seeds"
"$(dirname "$etude")/sim" --seeds "$seeds..$((seeds + 9999))" --keep-going

echo "== 3,000 simulated honest studies: at most one of a hundred has a finding"
ETUDE_HONEST=3000 "$(dirname "$etude")/test_kernel_verdicts" "At most one of a hundred*"

echo "== 2,000 searches without and with a gain: how many are confirmed"
ETUDE_SEARCHES=2000 "$(dirname "$etude")/test_kernel_search" "what is confirmed*"

echo "== 1,000 nights of luck and 1,000 of gains: how many are confirmed"
ETUDE_NIGHTS=1000 "$(dirname "$etude")/test_histories" "lucky wins*,nine of ten*"

echo "== each family of models, streamed and not, under its service's rules"
ETUDE="$etude" FAMILIES=all PYTHONPATH="$PYTHONPATH:$PWD/tests/e2e/families" /usr/bin/python3 tests/e2e/families/families_test.py
ETUDE="$etude" FAMILIES=all PYTHONPATH="$PYTHONPATH:$PWD/tests/e2e/families" /usr/bin/python3 tests/e2e/families/batches_test.py

echo "== the page, with a picture of each view, and what Lighthouse says of each on a desktop and on a phone"
ETUDE="$etude" ETUDE_SCREENSHOTS=1 /usr/bin/python3 tests/e2e/server/page_test.py
ETUDE="$etude" ETUDE_LIGHTHOUSE=all /usr/bin/python3 tests/e2e/server/lighthouse_test.py

echo "== the studies of examples/ with fewer cells, their verdicts known"
for test in tests/e2e/campaigns/*_test.py; do ETUDE="$etude" ETUDE_CAMPAIGNS=all /usr/bin/python3 "$test"; done

echo "== a real local model, where \`make local-model\` could install one"
ETUDE="$etude" LOCAL_MODEL=all /usr/bin/python3 tests/e2e/families/local_model_test.py

echo "== 500 random edits to an artifact of ours, none unnoticed"
ETUDE_MUTATIONS=500 ETUDE_SEED="${ETUDE_SEED:-$RANDOM}" "$(dirname "$etude")/test_artifacts_check" "no random edit*"

echo "== each kind of change to each kind of file of an artifact, and honest artifacts"
ETUDE="$etude" ETUDE_TAMPERINGS=all ETUDE_SEED="${ETUDE_SEED:-$RANDOM}" /usr/bin/python3 tests/e2e/artifacts/tamper_campaign_test.py

echo "== artifacts that are large, or made to keep their reader busy"
ETUDE_SLOWER=5 /usr/bin/python3 tests/bench/hostile.py "$etude"

echo "== exported crates by each profile that the published validator knows"
ETUDE="$etude" ETUDE_PROFILES=all ETUDE_SCREENSHOTS=1 /usr/bin/python3 tests/e2e/artifacts/export_test.py

echo "== 20,000 random requests to the server"
ETUDE="$etude" ETUDE_REQUESTS=20000 ETUDE_SEED="${ETUDE_SEED:-$RANDOM}" /usr/bin/python3 tests/e2e/server/http_fuzz_test.py

echo "== disks that fill up"
ETUDE="$etude" /usr/bin/python3 tests/e2e/home/full_disk_test.py

echo "== homes that are read-only, have moved or lived through a restart"
ETUDE="$etude" /usr/bin/python3 tests/e2e/home/odd_homes_test.py

unset PYTHONPATH
verdicts() { "$etude" --home "$work/home" show "$1" --json | /usr/bin/python3 -c '
import json, sys
print(" ".join(h["id"] + "=" + h["verdict"] for h in json.load(sys.stdin)["hypotheses"]))'; }

echo "== the artifact of every example: no finding, and a reader's questions"
ETUDE="$etude" ETUDE_EXAMPLES=all PYTHONPATH="$PWD/tests/e2e/support" /usr/bin/python3 tests/e2e/artifacts/examples_test.py

for example in sorting tiny-training noise-robustness; do
  echo "== $example, ${ROUNDS:-3} times: the same verdicts each time, an artifact without a finding"
  first=
  for round in $(seq "${ROUNDS:-3}"); do
    "$etude" --home "$work/home" run "examples/$example/study.yaml" -j 2 -o "$work/$example-$round" >/dev/null
    "$etude" check "$work/$example-$round" --strict >/dev/null
    id=$("$etude" --home "$work/home" ls --json | /usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[-1]["id"])')
    now=$(verdicts "$id")
    echo "$id: $now"
    [ "${first:=$now}" = "$now" ] || { echo "verdicts differ"; exit 1; }
  done
  echo "== $example reproduced"
  "$etude" --home "$work/home" reproduce "$work/$example-1" -j 2
done
"$etude" --home "$work/home" verify
