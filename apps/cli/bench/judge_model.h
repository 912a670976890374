#pragma once
// A model of the configuration as the judge of a benchmark: asks, asks again if the reply is not of the form, and adds
// up the cost. One thread; waits for replies. Records nothing.

#include <string>
#include <vector>

#include "benchmarks/judging.h"
#include "config/config.h"

namespace cli {

class Judge {
 public:
  /// A problem: there is no such model, it cannot converse, or its key is missing.
  static kernel::Result<Judge> of(const config::Config&, const std::string& model);

  /// A problem if the model does not answer, or three replies are not of the form.
  kernel::Result<std::vector<benchmarks::ItemJudgement>> ask(const benchmarks::JudgeQuestion&);
  /// US dollars so far; none if the model has no price.
  std::optional<double> spent() const { return spent_; }

 private:
  Judge(config::ModelEntry entry, models::Model model);

  config::ModelEntry entry_;
  models::Model model_;
  std::optional<double> spent_;
};

}  // namespace cli
