# A value from arm and seed, and one from the seed alone: no clock, no chance.
echo "job $1 with seed $2" >&2
awk -v arm="$1" -v seed="$2" 'BEGIN {
  spread = (seed % 997) / 1000
  wobble = (seed * (arm == "slow" ? 7 : 13)) % 101
  print "cost=" (arm == "slow" ? 10 : 4) + (arm == "slow" ? spread : spread * spread)
  print "wobble=" wobble
}'
