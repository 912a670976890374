#!/bin/sh
# estimate.sh METHOD DRAWS REPEATS SEED: estimates pi, the integral of 4/(1+x*x) from 0 to 1, from DRAWS values of that
# function, REPEATS times, and reports the mean squared error.
#   plain        x uniform on [0, 1)
#   antithetic   pairs of x and 1 - x
#   stratified   one x in each of DRAWS equal parts of [0, 1)
set -eu
awk -v method="$1" -v draws="$2" -v repeats="$3" -v seed=$(($4 % 2147483647)) '
  BEGIN {
    pi = 3.14159265358979
    srand(seed)
    for (i = 0; i < 20; ++i) rand()   # The first numbers of some generators follow the seed.
    for (r = 0; r < repeats; ++r) {
      sum = 0
      for (i = 0; i < draws; ++i) {
        if (method == "antithetic" && i % 2) u = 1 - u
        else u = rand()
        x = method == "stratified" ? (i + u) / draws : u
        sum += 4 / (1 + x * x)
      }
      error = sum / draws - pi
      squares += error * error
    }
    printf "{\"name\": \"squared_error\", \"value\": %.12g}\n", squares / repeats
  }' >> "$ETUDE_METRICS"
