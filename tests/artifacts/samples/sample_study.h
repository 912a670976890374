#pragma once
// A complete study without having run one: events folded into a Study, with blobs and a workspace, for tests of what is
// written from it. Numbers come from a small model of sorting times; verdicts from the statistics library.

#include <map>
#include <string>
#include <vector>

#include "artifacts/write/package.h"
#include "kernel/study/state.h"

struct SampleOptions {
  int replicates = 6;
  bool hostile = false;     ///< Statements, levels and units that try to break out of every format.
  bool failures = true;     ///< Some runs fail, time out, are lost or retried.
  bool data = false;        ///< Declares an input folder.
  bool declared = false;    ///< …identified by declaration only.
  bool unconfined = false;  ///< Asks for no sandbox, network and variables of the environment.
  double slower = 1;        ///< Multiplies every time: another machine.
  unsigned noise = 1;       ///< Seed of the noise.
  double wall_s = 0;        ///< The study's limit of time; 0: none.
};

class SampleStudy {
 public:
  explicit SampleStudy(const SampleOptions& options = {});
  ~SampleStudy();
  SampleStudy(const SampleStudy&) = delete;
  SampleStudy& operator=(const SampleStudy&) = delete;

  const kernel::Study& study() const { return *state_.study("s1"); }
  artifacts::PackageInput input() const;
  /// A fresh path inside a folder that goes with the sample.
  std::string place(const std::string& name) const { return folder_ + "/" + name; }

 private:
  void emit(kernel::EventBody body);
  void run(kernel::Purpose purpose, const kernel::RunsQueued& queued);
  std::string put(const std::string& bytes);

  SampleOptions options_;
  kernel::State state_;
  std::vector<std::string> lines_;
  std::map<std::string, std::string> blobs_;
  std::string folder_, head_;
  std::int64_t now_ms_ = 1'767'225'600'000;  ///< 2026-01-01
  unsigned random_ = 1;
};

/// The folder of the study's artifact, packaged without a warning.
std::string sample_artifact(const SampleStudy&, const std::string& name = "out");
