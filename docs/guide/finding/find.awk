# Looks for numbers in a sorted list, and prints how many it had to compare with on average.
function binary(wanted,   low, high, middle, steps) {
  low = 1; high = n
  while (low <= high) {
    middle = int((low + high) / 2); steps++
    if (list[middle] == wanted) return steps
    if (list[middle] < wanted) low = middle + 1; else high = middle - 1
  }
}
function linear(wanted,   place) {
  for (place = 1; list[place] != wanted; place++) {}
  return place
}
BEGIN {
  srand(seed)
  for (place = 1; place <= n; place++) { last += 1 + int(rand() * 9); list[place] = last }
  for (look = 0; look < 50; look++) {
    wanted = list[1 + int(rand() * n)]
    total += method == "binary" ? binary(wanted) : linear(wanted)
  }
  print "steps", total / 50
}
