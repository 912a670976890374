#pragma once
// How a line of the calibration comes about: a design, a truth with its noise, and the share of simulated studies in
// which something happens.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stats/basics/random.h"
#include "tests/kernel/calibration/calibration.h"
#include "tests/kernel/decide/simulated_study.h"
#include "tests/kernel/inference/synthetic.h"

namespace calibration {

enum class Noise { normal, log_normal, heavy, drifting, failing };
/// In words.
const char* name(Noise);

struct Design {
  kernel::Pairing pairing = kernel::Pairing::seed;
  int replicates = 0;  ///< 0: by a pilot.
  int family = 1;
  int arms = 1;  ///< Treatments t1 … against the one control c.
};

/// The treatments' hypotheses are `pattern` with other arms.
kernel::StudySpec spec_of(const Design&, const kernel::Hypothesis& pattern);
/// Of the test and the pairing.
std::string words(const Design&, const char* test);

/// The value of a run, given its cell's arm, its noise and the noise that its seed lends to every arm.
using Truth = std::function<simulated::Outcome(bool treatment, double noise, double shared, stats::Xoshiro&)>;
/// Around 10, treatments by so much more.
Truth shifted(double by);

using stats::Xoshiro;

using Event = std::function<bool(const std::vector<kernel::HypothesisResult>&)>;
/// Any hypothesis has that verdict.
Event with(kernel::Verdict);

/// What a search's confirmation came to, and the effect that is there.
struct Confirmed {
  kernel::HypothesisResult result;
  double truth = 0;
};
using Found = std::function<bool(const std::vector<Confirmed>&)>;
/// Any of them has that verdict.
Found confirmed(kernel::Verdict);
/// Does the interval hold the truth?
bool covers(std::optional<double> low, std::optional<double> high, double truth);

/// Lines whose studies are simulated, each line with a seed of its own and each study with another.
class Table {
 public:
  explicit Table(int studies) : studies_(studies) {}

  /// True for the few studies of a test: lines without a gate are left out.
  bool is_quick() const { return studies_ < 1000; }

  void add(Row row, const kernel::StudySpec&, Noise, const Truth&, const Event&, int batches = 1);
  /// Over blocks, whose own effects have this mean and standard deviation.
  void add_blocks(Row row, const kernel::StudySpec&, double mean, double between, double failing);
  /// A slope of zero on average along four levels; intercepts and slopes of seeds have these standard deviations.
  void add_slopes(Row row, const kernel::StudySpec&, double intercepts, double slopes, const Event&);
  /// Items that the arms agree on but for chance: an item's effect has mean 0, and so has its noise on each seed.
  /// `share`: values are 0 or 1.
  void add_items(Row row, const kernel::StudySpec&, int items, bool share);
  /// Whole searches, by the built-in agents; the truth is a configuration's mean. Seeds matter as much as anything.
  void add_search(Row row, const kernel::StudySpec&, const std::function<double(const kernel::Cell&)>& truth,
                  const Found&);

  /// Simulates them on so many threads; tells of each in order, from this one.
  void fill(int threads, const std::function<void(const Row&)>& each);

 private:
  /// One study of a line: is it counted?
  using One = std::function<bool(Xoshiro& random, std::uint64_t seed)>;
  struct Line {
    Row row;
    One one;
  };
  void add(Row row, int studies, One one);

  int studies_;
  std::vector<Line> lines_;
};

}  // namespace calibration
