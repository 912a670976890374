// Code that sets a seed to a constant, and code that does not.

#include "memory/workspace/seed_pins.h"

#include <catch2/catch.hpp>

namespace {

std::vector<std::string> pins(const char* path, const char* text) {
  return memory::seed_pins(path, text, 5);
}

}  // namespace

TEST_CASE("a seed that is set to a constant is found with its line, in the ways people write it") {
  CHECK(pins("train.py", "import torch\ntorch.manual_seed(1337 + seed_offset)\n") ==
        std::vector<std::string>{"train.py:2: torch.manual_seed(1337 + seed_offset)"});
  for (const char* line :
       {"random.seed(0)", "np.random.seed( 42 )", "rng = np.random.default_rng(7)", "pl.seed_everything(1)",
        "set_seed(42)", "key = jax.random.PRNGKey(0)", "split(X, random_state=0)", "seed = 1337",
        "SEED = 42  # the answer", "torch.cuda.manual_seed_all(1)"}) {
    CAPTURE(line);
    CHECK(pins("a.py", line).size() == 1);
  }
  CHECK(pins("a.jl", "Random.seed!(1)").size() == 1);
  CHECK(pins("a.R", "set.seed(123)").size() == 1);
  CHECK(pins("a.cpp", "std::mt19937 random(5); srand(1);").size() == 1);
}

TEST_CASE("a seed that comes from outside, a default, a comment and another word are no constants") {
  for (const char* line :
       {"torch.manual_seed(args.seed)", "random.seed(int(os.environ[\"ETUDE_SEED\"]))", "# random.seed(0)",
        "parser.add_argument(\"--seed\", type=int, default=0)", "rng = np.random.default_rng(seed)", "run(seed=seed)",
        "seedling = 3", "x.seed_count(3)", "print(\"seed\") # seed = 3", "random.random()"}) {
    CAPTURE(line);
    CHECK(pins("a.py", line).empty());
  }
  CHECK(pins("a.cpp", "// srand(1);").empty());
  CHECK_FALSE(memory::may_pin_seeds("data.csv"));
  CHECK(memory::may_pin_seeds("src/train.py"));
}

TEST_CASE("no more than the wanted number is named, long lines are cut, and binary text is skipped") {
  std::string many;
  for (int i = 0; i < 9; ++i) many += "random.seed(1)\n";
  CHECK(memory::seed_pins("a.py", many, 3).size() == 3);
  CHECK(pins("a.py", ("random.seed(1) " + std::string(500, 'x')).c_str())[0].size() < 100);
  CHECK(pins("a.py", "\xff\xfe random.seed(1)").empty());
}
