#include "apps/cli/draft/level_guess.h"

#include <catch2/catch.hpp>

using namespace cli;
using Strings = std::vector<std::string>;

TEST_CASE("learning rates and the like vary by decades, in the style they were written in") {
  CHECK(numeric_levels("lr", "3e-4") == Strings{"3e-5", "3e-4", "3e-3"});
  CHECK(numeric_levels("learning_rate", "0.001") == Strings{"0.0001", "0.001", "0.01"});
  CHECK(numeric_levels("weight-decay", "1e-2") == Strings{"1e-3", "1e-2", "1e-1"});
  CHECK(numeric_levels("actor_learning_rate", "3e-4") == Strings{"3e-5", "3e-4", "3e-3"});
  CHECK(numeric_levels("critic_lr", "0.01") == Strings{"0.001", "0.01", "0.1"});
  CHECK(numeric_levels("unlearning_rate", "0.01") == Strings{"0.005", "0.01", "0.02"});
  CHECK(rarity("min_learning_rate") < rarity("dropout"));
}

TEST_CASE("other numbers are halved and doubled, and integers stay integers") {
  CHECK(numeric_levels("hidden", "64") == Strings{"32", "64", "128"});
  CHECK(numeric_levels("width", "1.5") == Strings{"0.75", "1.5", "3"});
  CHECK(numeric_levels("layers", "3") == Strings{"1", "3", "6"});
  CHECK(numeric_levels("layers", "1") == Strings{"1", "2"});
  CHECK(numeric_levels("shift", "-4") == Strings{"-2", "-4", "-8"});
}

TEST_CASE("fractions stay below 1") {
  CHECK(numeric_levels("dropout", "0.1") == Strings{"0.05", "0.1", "0.2"});
  CHECK(numeric_levels("dropout", "0.5") == Strings{"0.25", "0.5", "0.75"});
  CHECK(numeric_levels("momentum", "0.9") == Strings{"0.8", "0.9", "0.95"});
  CHECK(numeric_levels("gamma", "0.99") == Strings{"0.98", "0.99", "0.995"});
  CHECK(numeric_levels("train_ratio", "0.6") == Strings{"0.3", "0.6", "0.8"});
}

TEST_CASE("zero has no neighbours") {
  CHECK(numeric_levels("dropout", "0") == Strings{"0"});
  CHECK(numeric_levels("x", "word") == Strings{"word"});
}

TEST_CASE("a word is compared with the other choices, five levels at most") {
  CHECK(word_levels("adam", {"sgd", "adam", "lamb"}) == Strings{"adam", "sgd", "lamb"});
  CHECK(word_levels("a", {"b", "c", "d", "e", "f", "g"}).size() == 5);
  CHECK(word_levels("a", {}) == Strings{"a"});
}

TEST_CASE("names are understood in any spelling") {
  CHECK(is_housekeeping("num-workers"));
  CHECK(is_housekeeping("Epochs"));
  CHECK_FALSE(is_housekeeping("lr"));
  for (const char* name : {"eval_freq", "log-frequency", "print_freq", "test_eval_frequency", "save_model_freq"})
    CHECK(is_housekeeping(name));
  for (const char* name : {"target_update_freq", "policy_frequency", "catalog_freq", "freq"})
    CHECK_FALSE(is_housekeeping(name));
  for (const char* name : {"BOS_ID", "master_port", "version", "max_epochs", "num_scheduled_iterations"})
    CHECK(is_housekeeping(name));
  for (const char* name : {"identity", "grid", "width", "support"}) CHECK_FALSE(is_housekeeping(name));
  CHECK(is_seed("random-seed"));
  CHECK(is_seed("manualSeed"));
  CHECK_FALSE(is_seed("seeds_per_batch"));
}

TEST_CASE("learning rates are varied most often, then fractions, then sizes that the data does not fix") {
  const Strings order = {"weight_decay", "dropout", "hidden_dim", "vocab_size"};
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(rarity(order[i]) == static_cast<int>(i));
  for (const char* name : {"batch_size", "n_layers", "lin1_size"}) CHECK(rarity(name) == 2);
  for (const char* name : {"input_size", "num_classes", "val_batch_size", "threshold_count"}) CHECK(rarity(name) > 0);
  CHECK(rarity("val_batch_size") == 3);
}
