#pragma once
// How often a test tries what chance decides. Under sanitizers less often: they look for bad memory, which a few rounds
// show; error rates are measured by the optimised build, and in full by `make bench`.

namespace tests {

constexpr int rounds(int all) {
#ifdef ETUDE_SANITIZED
  return all / 5;
#else
  return all;
#endif
}

}  // namespace tests
