# 1 if the run left results, else 0.
results=0
test -s "$ETUDE_JOB_OUTPUT/results.json" && results=1
printf '{"name": "results", "value": %d}\n' "$results" >> "$ETUDE_METRICS"
