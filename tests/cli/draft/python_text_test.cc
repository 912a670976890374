#include "apps/cli/draft/python_text.h"

#include <catch2/catch.hpp>

#include "apps/cli/draft/script_options.h"

using namespace cli;
using Strings = std::vector<std::string>;

TEST_CASE("calls are found with their arguments, and not in comments or strings") {
  const auto calls =
      python_calls("# print(1)\nx = 'print(2)'\nprint(f(a, [b, c]), \"d, e\", sep=', ')\nreprint(3)\n", "print");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].positional == Strings{"f(a, [b, c])", "\"d, e\""});
  CHECK(calls[0].find("sep") == "', '");
  CHECK(calls[0].find("end").empty());
}

TEST_CASE("a source that ends inside a call or a string yields what was there") {
  CHECK(python_calls("print('a', b", "print").at(0).positional == Strings{"'a'", "b"});
  CHECK(python_calls("print('a", "print").at(0).positional.size() == 1);
  CHECK(python_calls("print(", "print").at(0).positional.empty());
  CHECK(python_calls("print", "print").empty());
  CHECK_FALSE(python_string("'"));
  CHECK_FALSE(python_string("'''"));
  CHECK(python_items("[").empty());
}

TEST_CASE("string literals lose their quotes, prefix and simple escapes") {
  CHECK(*python_string("'a'") == "a");
  CHECK(*python_string("f\"loss={x}\"") == "loss={x}");
  CHECK(*python_string("'''two\nlines'''") == "two\nlines");
  CHECK(*python_string(R"("a\"b\n")") == "a\"b\n");
  CHECK(python_string("''")->empty());
  CHECK_FALSE(python_string("name"));
  CHECK_FALSE(python_string("'a' + b"));
}

TEST_CASE("the items of a literal are its strings and numbers") {
  CHECK(python_items("['adam', \"sgd\", 3, x]") == Strings{"adam", "sgd", "3"});
  CHECK(python_items("{'adam': Adam, 'sgd': SGD(0.1)}") == Strings{"adam", "sgd"});
  CHECK(python_items("nothing").empty());
}

TEST_CASE("argparse options tell their names, whether they take a value, and their choices") {
  const auto options = script_options(R"py(
OPTIMIZERS = {
    "adam": torch.optim.Adam,  # the default
    "sgd": torch.optim.SGD,
}
p.add_argument("--lr", "--learning-rate", type=float, default=3e-4, help="as in (Kingma, 2014)")
p.add_argument('--opt', choices=OPTIMIZERS.keys())
p.add_argument('--amp', action="store_true")
p.add_argument("--layers", type=int, nargs="+")
p.add_argument("data")
p.add_argument("--norm", default='batch', choices=['batch', 'layer'])
)py");
  REQUIRE(options.size() == 5);
  CHECK(options[0].names == Strings{"--lr", "--learning-rate"});
  CHECK(options[0].number);
  CHECK(options[0].default_value == "3e-4");
  CHECK(options[1].choices == Strings{"adam", "sgd"});
  CHECK_FALSE(options[2].takes_value);
  CHECK(options[3].takes_several);
  CHECK(options[4].default_value == "batch");
  CHECK(find_option(options, "--learning-rate") == &options[0]);
  CHECK(find_option(options, "--nothing") == nullptr);
}

TEST_CASE("click options are understood too") {
  const auto options = script_options(
      "@click.option('--opt', type=click.Choice(['adam', 'sgd']))\n@click.option('--amp/--no-amp')\n"
      "@click.option('--fast', is_flag=True)\n");
  REQUIRE(options.size() == 3);
  CHECK(options[0].choices == Strings{"adam", "sgd"});
  CHECK_FALSE(options[1].takes_value);
  CHECK_FALSE(options[2].takes_value);
}
