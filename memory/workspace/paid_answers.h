#pragma once
// Files of a model's answers among what a study reads, and what they say that they cost. `etude ask` writes them before
// (docs/models.md, "Answers as data"). Knows no models, asks nothing and trusts no number of them further than that.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernel/domain/frozen_inputs.h"
#include "kernel/domain/study_spec.h"

namespace memory {

/// What a request or its answer cost.
struct AnswerCharge {
  std::int64_t tokens = 0;
  double usd = 0;
};

/// Adds up the lines of a file of answers, without its first.
class AnswerSums {
 public:
  void take(const nlohmann::json& line);

  bool answers(const std::string& id) const { return answered_.contains(id); }
  std::size_t answered() const { return answered_.size(); }
  /// Of them: those without a reply.
  std::size_t without() const { return without_; }
  /// With what was set aside for requests that have no end: they may have been paid.
  AnswerCharge spent() const;

 private:
  void lose(const std::string& id);

  AnswerCharge paid_;
  std::map<std::string, AnswerCharge> under_way_;
  std::set<std::string> answered_;
  std::size_t without_ = 0;
};

/// Files of answers among the study's data, its evaluator's data and the `*.jsonl` of its workspace, each once, by
/// name. `root`: the folder that has the workspace's files. Files that hold anything else, cannot be read or are larger
/// than 256 MiB are left out.
std::vector<kernel::PaidAnswers> paid_answers(const kernel::StudySpec&, const std::string& root,
                                              const std::vector<std::string>& files);

}  // namespace memory
