#include "apps/cli/draft/level_guess.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "studyfile/yaml/scalars.h"

namespace cli {

namespace {

constexpr std::size_t most_levels = 5;

template <typename Words>
bool is_any(std::string_view name, const Words& words) {
  return std::ranges::find(words, name) != words.end();
}

std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name)
    out += c == '-' || c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool by_decades(const std::string& name) {
  static constexpr std::array names = {
      "lr",  "learning_rate", "weight_decay", "wd",  "eps",     "epsilon", "alpha",  "l1",     "l2",    "lambda",
      "lam", "reg",           "lambda_",      "tol", "penalty", "noise",   "lr_min", "min_lr", "max_lr"};
  return is_any(name, names) || name.ends_with("_lr") || name.ends_with("_learning_rate");
}

bool is_fraction(const std::string& name) {
  for (const char* part : {"dropout", "momentum", "beta", "prob", "ratio", "frac", "split", "threshold", "decay",
                           "gamma", "gae_lambda", "discount"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

bool has_part(std::string_view name, const auto& words) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    if (is_any(name.substr(0, end), words)) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

/// Sizes of batches and models, and the like; not what the data or an evaluation fixes, such as `num_classes`.
bool is_size(std::string_view name) {
  static constexpr std::array words = {"batch",  "batchsize", "bs",     "hidden", "dim",   "layers",   "layer",
                                       "heads",  "depth",     "width",  "size",   "units", "channels", "embed",
                                       "embd",   "rank",      "order",  "tau",    "clip",  "scale",    "temperature",
                                       "warmup", "filters",   "kernel", "blocks"};
  static constexpr std::array fixed = {"input", "output", "in",   "out",   "classes", "class", "vocab", "val",
                                       "valid", "eval",   "test", "image", "img",     "data",  "mean",  "std"};
  return has_part(name, words) && !has_part(name, fixed);
}

/// Whether it says how often results are logged, evaluated or saved, such as `eval_freq`. Other frequencies, such as
/// `target_update_freq`, are settings of the method.
bool is_frequency_of_reports(std::string_view name) {
  static constexpr std::array words = {"log",  "logging", "eval", "evaluation", "val",        "validation", "valid",
                                       "test", "print",   "save", "saving",     "checkpoint", "ckpt",       "report",
                                       "plot", "display", "dump", "summary",    "record",     "render",     "video"};
  return (name.ends_with("_freq") || name.ends_with("_frequency")) && has_part(name, words);
}

/// `BOS_ID`, `master_port`, `format_version`: names something, and has no neighbours.
bool is_identifier(std::string_view name) {
  static constexpr std::array words = {"id", "idx", "index", "port", "version", "pid", "uid", "revision"};
  return is_any(name.substr(name.rfind('_') + 1), words);
}

/// In the style of `like`: with an exponent if that has one, otherwise as short as the digits allow.
std::string spelled(double value, const std::string& like) {
  if (studyfile::is_integer(like)) return fmt::format("{:.0f}", value);
  if (like.find_first_of("eE") == std::string::npos) return fmt::format("{:.6g}", value);
  int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
  return fmt::format("{:.4g}e{}", value / std::pow(10, exponent), exponent);
}

}  // namespace

std::vector<std::string> numeric_levels(std::string_view name, const std::string& value) {
  const auto number = studyfile::as_number(value);
  if (!number || *number == 0) return {value};
  const std::string plain = plain_name(name);
  double low = *number / 2, high = *number * 2;
  if (by_decades(plain)) {
    low = *number / 10;
    high = *number * 10;
  }
  if (is_fraction(plain) && *number > 0 && *number < 1 && high >= 1) {
    // Near 1 the distance from 1 is what people vary: 0.98, 0.99, 0.995.
    high = (1 + *number) / 2;
    if (*number > 0.8) low = 2 * *number - 1;
  }
  if (studyfile::is_integer(value)) {
    low = std::trunc(low);
    if (low == 0) low = *number;
  }
  std::vector<std::string> levels;
  for (const double level : {low, high})
    if (level != *number) levels.push_back(spelled(level, value));
  levels.insert(levels.begin() + (low != *number ? 1 : 0), value);
  return levels;
}

std::vector<std::string> word_levels(const std::string& value, const std::vector<std::string>& choices) {
  std::vector<std::string> levels = {value};
  for (const std::string& choice : choices)
    if (levels.size() < most_levels && std::ranges::find(levels, choice) == levels.end()) levels.push_back(choice);
  return levels;
}

bool is_housekeeping(std::string_view name) {
  static constexpr std::array names = {"epochs",        "epoch",
                                       "steps",         "max_steps",
                                       "num_steps",     "iterations",
                                       "iters",         "max_iters",
                                       "num_epochs",    "workers",
                                       "num_workers",   "threads",
                                       "n_jobs",        "jobs",
                                       "log_every",     "log_interval",
                                       "print_every",   "save_every",
                                       "verbose",       "verbosity",
                                       "port",          "rank",
                                       "local_rank",    "world_size",
                                       "device",        "gpu",
                                       "gpus",          "cpus",
                                       "nproc",         "patience",
                                       "timeout",       "repeats",
                                       "trials",        "warmup",
                                       "n_trials",      "output",
                                       "out",           "out_dir",
                                       "output_dir",    "save_dir",
                                       "log_dir",       "logdir",
                                       "run_dir",       "config_name",
                                       "config_path",   "cn",
                                       "name",          "run_name",
                                       "exp_name",      "tag",
                                       "wandb_project", "config",
                                       "data",          "data_dir",
                                       "data_path",     "dataset_path",
                                       "checkpoint",    "eval_interval",
                                       "eval_every",    "save_interval",
                                       "niter",         "ngpu",
                                       "n_epochs"};
  const std::string plain = plain_name(name);
  return is_any(plain, names) || plain.ends_with("_iters") || plain.ends_with("_interval") ||
         plain.ends_with("_every") || plain.ends_with("_timesteps") || plain.ends_with("_epochs") ||
         plain.ends_with("_iterations") || is_frequency_of_reports(plain) || is_identifier(plain);
}

int rarity(std::string_view name) {
  const std::string plain = plain_name(name);
  return by_decades(plain) ? 0 : is_fraction(plain) ? 1 : is_size(plain) ? 2 : 3;
}

bool is_seed(std::string_view name) {
  static constexpr std::array names = {"seed",       "random_seed", "rng_seed",   "manual_seed", "random_state", "rng",
                                       "manualseed", "randomseed",  "torch_seed", "np_seed",     "numpy_seed"};
  return is_any(plain_name(name), names);
}

}  // namespace cli
