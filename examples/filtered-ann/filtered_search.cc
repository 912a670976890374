// Vector search among the vectors that hold a label, by an inverted file (IVF) and three ways to filter.
//
// - post_filter finds the nearest candidates of the probed lists, and then drops those without the label.
// - in_list tests the label in the probed lists, before a distance is computed.
// - label_centric has an index for every label: an inverted file, or a full scan of labels that few vectors have.
//
// The effort is the smallest that reaches the wanted recall on one half of the queries; what is reported is of the
// other half. A distance to a centre of a list counts like one to a vector. Every vector is summed up in the same
// order, so equal vectors have equal distances in all methods.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int dims = 32, wanted = 10, labels = 4, clusters = 100;
constexpr int vectors = 30000, queries_of_a_half = 100;
constexpr double target_recall = 0.9;
constexpr std::size_t scan_below = 1000;  // a label with fewer vectors is scanned

using Lanes = float __attribute__((vector_size(32)));
struct Vector {
  Lanes lanes[dims / 8];
};

float distance(const Vector& a, const Vector& b) {
  Lanes sum{};
  for (int i = 0; i < dims / 8; ++i) {
    const Lanes d = a.lanes[i] - b.lanes[i];
    sum += d * d;
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

struct Found {
  float distance;
  int id;
  bool operator<(const Found& other) const {
    return distance != other.distance ? distance < other.distance : id < other.id;
  }
};

/// The nearest `wanted` of what is offered; a heap whose top is the farthest.
struct Nearest {
  std::vector<Found> heap;
  void offer(Found found) {
    if (heap.size() < wanted) {
      heap.push_back(found);
      std::push_heap(heap.begin(), heap.end());
    } else if (found < heap.front()) {
      std::pop_heap(heap.begin(), heap.end());
      heap.back() = found;
      std::push_heap(heap.begin(), heap.end());
    }
  }
  std::vector<Found> sorted() {
    std::sort_heap(heap.begin(), heap.end());
    return heap;
  }
};

struct World {
  std::vector<Vector> points;
  std::vector<std::uint8_t> masks;  // a bit for each label
  struct Query {
    Vector point;
    int label;
  };
  std::vector<Query> tuning, test;
};

/// Vectors of a mixture of normal distributions, whose spread falls from dimension to dimension as that of embeddings.
World make_world(double selectivity, bool clustered, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<double> uniform;
  const auto sample = [&](const Vector& centre, float spread) {
    Vector v;
    for (int i = 0; i < dims; ++i)
      v.lanes[i / 8][i % 8] = centre.lanes[i / 8][i % 8] + spread * normal(random) / std::sqrt(1.0F + float(i));
    return v;
  };
  std::vector<Vector> centres;
  for (int c = 0; c < clusters; ++c) centres.push_back(sample(Vector{}, 1.0F));

  // Clustered: a label is held in some of the clusters only, by a share of their vectors; both shares are the root of
  // the selectivity.
  const double share = clustered ? std::sqrt(selectivity) : selectivity;
  std::vector<std::uint8_t> holds(clusters, 0);
  for (int label = 0; label < labels; ++label) {
    std::vector<int> order(clusters);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    const int count = clustered ? std::max(1, int(std::lround(clusters * share))) : clusters;
    for (int c = 0; c < count; ++c) holds[std::size_t(order[std::size_t(c)])] |= std::uint8_t(1 << label);
  }

  World world;
  std::vector<int> cluster_of;
  std::vector<std::vector<int>> holders(labels);
  for (int i = 0; i < vectors; ++i) {
    const int cluster = int(random() % clusters);
    world.points.push_back(sample(centres[std::size_t(cluster)], 1.0F));
    std::uint8_t mask = 0;
    for (int label = 0; label < labels; ++label)
      if ((holds[std::size_t(cluster)] >> label & 1) != 0 && uniform(random) < share) mask |= std::uint8_t(1 << label);
    world.masks.push_back(mask);
    cluster_of.push_back(cluster);
    for (int label = 0; label < labels; ++label)
      if ((mask >> label & 1) != 0) holders[std::size_t(label)].push_back(i);
  }
  // A query for a label is near some vector that holds it.
  for (int i = 0; i < 2 * queries_of_a_half; ++i) {
    const int label = i % labels;
    const auto& of_label = holders[std::size_t(label)];
    if (of_label.size() < wanted) {
      std::fprintf(stderr, "label %d: %zu vectors: fewer than %d\n", label, of_label.size(), wanted);
      std::exit(1);
    }
    const int near = of_label[random() % of_label.size()];
    World::Query query{sample(centres[std::size_t(cluster_of[std::size_t(near)])], 1.0F), label};
    (i % (2 * labels) < labels ? world.tuning : world.test).push_back(query);
  }
  return world;
}

/// Vectors in lists around centres, each list in one piece of memory.
struct InvertedFile {
  std::vector<Vector> centres;
  std::vector<std::size_t> begins;  // of each list, and the end of the last
  std::vector<Vector> points;
  std::vector<int> ids;
  std::vector<std::uint8_t> masks;

  InvertedFile(const World& world, const std::vector<int>& members, std::uint64_t seed) {
    const int lists = std::max(1, int(std::lround(std::sqrt(double(members.size())))));
    std::mt19937_64 random(seed);
    std::vector<int> sample = members;
    std::shuffle(sample.begin(), sample.end(), random);
    sample.resize(std::min(sample.size(), std::size_t(lists) * 20));
    for (int c = 0; c < lists; ++c) centres.push_back(world.points[std::size_t(sample[std::size_t(c)])]);
    for (int round = 0; round < 6; ++round) {  // Lloyd's algorithm
      std::vector<Vector> sums(centres.size(), Vector{});
      std::vector<int> counts(centres.size(), 0);
      for (const int id : sample) {
        const auto& point = world.points[std::size_t(id)];
        const auto c = std::size_t(nearest(point));
        ++counts[c];
        for (int i = 0; i < dims / 8; ++i) sums[c].lanes[i] += point.lanes[i];
      }
      for (std::size_t c = 0; c < centres.size(); ++c)
        for (int i = 0; i < dims / 8 && counts[c] > 0; ++i) centres[c].lanes[i] = sums[c].lanes[i] / float(counts[c]);
    }
    std::vector<std::vector<int>> lists_of(centres.size());
    for (const int id : members) lists_of[std::size_t(nearest(world.points[std::size_t(id)]))].push_back(id);
    for (const auto& list : lists_of) {
      begins.push_back(ids.size());
      for (const int id : list) {
        ids.push_back(id);
        points.push_back(world.points[std::size_t(id)]);
        masks.push_back(world.masks[std::size_t(id)]);
      }
    }
    begins.push_back(ids.size());
  }

  int nearest(const Vector& point) const {
    int best = 0;
    float least = distance(point, centres[0]);
    for (std::size_t c = 1; c < centres.size(); ++c)
      if (const float d = distance(point, centres[c]); d < least) least = d, best = int(c);
    return best;
  }

  /// The lists to probe, nearest centre first.
  std::vector<Found> probed(const Vector& point, int probes) const {
    std::vector<Found> order;
    for (std::size_t c = 0; c < centres.size(); ++c) order.push_back({distance(point, centres[c]), int(c)});
    const auto end = order.begin() + std::min<std::ptrdiff_t>(probes, std::ptrdiff_t(order.size()));
    std::partial_sort(order.begin(), end, order.end());
    order.erase(end, order.end());
    return order;
  }
};

struct Effort {
  int probes = 1;
  std::size_t candidates = 0;  // that a post-filter looks at
};

struct Work {
  std::uint64_t distances = 0, looked_at = 0;  // vectors whose label or distance was looked at
};

struct Method {
  virtual ~Method() = default;
  virtual int lists() const = 0;
  virtual std::vector<Found> search(const World::Query& query, Effort effort, Work& work) const = 0;
};

std::vector<int> everything() {
  std::vector<int> all(vectors);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

struct PostFilter : Method {
  const World& world;
  InvertedFile index;
  PostFilter(const World& w, std::uint64_t seed) : world(w), index(w, everything(), seed) {}
  int lists() const override { return int(index.centres.size()); }
  std::vector<Found> search(const World::Query& query, Effort effort, Work& work) const override {
    std::vector<Found> candidates;
    work.distances += index.centres.size();
    for (const auto& list : index.probed(query.point, effort.probes))
      for (auto i = index.begins[std::size_t(list.id)]; i < index.begins[std::size_t(list.id) + 1]; ++i)
        candidates.push_back({distance(query.point, index.points[i]), index.ids[i]});
    work.distances += candidates.size();
    work.looked_at += candidates.size();
    if (candidates.size() > effort.candidates) {
      std::nth_element(candidates.begin(), candidates.begin() + std::ptrdiff_t(effort.candidates), candidates.end());
      candidates.resize(effort.candidates);
    }
    Nearest nearest;
    for (const auto& candidate : candidates)
      if ((world.masks[std::size_t(candidate.id)] >> query.label & 1) != 0) nearest.offer(candidate);
    return nearest.sorted();
  }
};

struct InList : Method {
  InvertedFile index;
  InList(const World& w, std::uint64_t seed) : index(w, everything(), seed) {}
  int lists() const override { return int(index.centres.size()); }
  std::vector<Found> search(const World::Query& query, Effort effort, Work& work) const override {
    Nearest nearest;
    work.distances += index.centres.size();
    for (const auto& list : index.probed(query.point, effort.probes)) {
      const auto begin = index.begins[std::size_t(list.id)], end = index.begins[std::size_t(list.id) + 1];
      for (auto i = begin; i < end; ++i)
        if ((index.masks[i] >> query.label & 1) != 0) {
          ++work.distances;
          nearest.offer({distance(query.point, index.points[i]), index.ids[i]});
        }
      work.looked_at += end - begin;
    }
    return nearest.sorted();
  }
};

struct LabelCentric : Method {
  std::vector<InvertedFile> files;  // of a label that is scanned: only its points count
  LabelCentric(const World& world, std::uint64_t seed) {
    for (int label = 0; label < labels; ++label) {
      std::vector<int> members;
      for (int id = 0; id < vectors; ++id)
        if ((world.masks[std::size_t(id)] >> label & 1) != 0) members.push_back(id);
      files.emplace_back(world, members, seed + std::uint64_t(label));
    }
  }
  int lists() const override {
    std::size_t most = 1;
    for (const auto& file : files)
      if (file.points.size() >= scan_below) most = std::max(most, file.centres.size());
    return int(most);
  }
  std::vector<Found> search(const World::Query& query, Effort effort, Work& work) const override {
    const auto& file = files[std::size_t(query.label)];
    Nearest nearest;
    const auto scan = [&](std::size_t begin, std::size_t end) {
      for (auto i = begin; i < end; ++i) nearest.offer({distance(query.point, file.points[i]), file.ids[i]});
      work.distances += end - begin;
      work.looked_at += end - begin;
    };
    if (file.points.size() < scan_below) {
      scan(0, file.points.size());
    } else {
      work.distances += file.centres.size();
      for (const auto& list : file.probed(query.point, effort.probes))
        scan(file.begins[std::size_t(list.id)], file.begins[std::size_t(list.id) + 1]);
    }
    return nearest.sorted();
  }
};

/// All vectors in the order of their ids: the truth, and what times are compared with.
std::vector<Found> exact(const World& world, const World::Query& query) {
  Nearest nearest;
  for (std::size_t i = 0; i < world.points.size(); ++i)
    if ((world.masks[i] >> query.label & 1) != 0) nearest.offer({distance(query.point, world.points[i]), int(i)});
  return nearest.sorted();
}

using Answers = std::vector<std::vector<Found>>;

double recall(const Answers& truth, const Answers& answers) {
  std::size_t found = 0, all = 0;
  for (std::size_t q = 0; q < truth.size(); ++q) {
    for (const auto& one : truth[q])
      found += std::size_t(
          std::count_if(answers[q].begin(), answers[q].end(), [&](const Found& f) { return f.id == one.id; }));
    all += truth[q].size();
  }
  return double(found) / double(all);
}

Answers answer(const Method& method, const std::vector<World::Query>& queries, Effort effort, Work& work) {
  Answers answers;
  for (const auto& query : queries) answers.push_back(method.search(query, effort, work));
  return answers;
}

/// The fewest probes with the target recall. A post-filter begins with twice the candidates among which the wanted ones
/// are expected, and doubles them until the recall can be reached at all.
Effort least_effort(const Method& method, const World& world, const Answers& truth, bool post_filter,
                    double selectivity) {
  Work ignored;
  const auto reaches = [&](Effort effort) {
    return recall(truth, answer(method, world.tuning, effort, ignored)) >= target_recall;
  };
  Effort effort{method.lists(), vectors};
  if (post_filter) {
    effort.candidates = std::size_t(std::min(double(vectors), 2 * wanted / selectivity));
    while (effort.candidates < vectors && !reaches(effort))
      effort.candidates = std::min<std::size_t>(vectors, effort.candidates * 2);
  }
  int low = 1, high = method.lists();
  while (low < high) {
    effort.probes = (low + high) / 2;
    if (reaches(effort))
      high = effort.probes;
    else
      low = effort.probes + 1;
  }
  effort.probes = low;
  return effort;
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  const auto name = options["--method"], spread = options["--labels"];
  const double selectivity = std::atof(options["--selectivity"].c_str());
  const auto seed = std::uint64_t(std::atoll(options["--seed"].c_str()));
  if ((spread != "independent" && spread != "clustered") || !(selectivity > 0 && selectivity <= 1)) {
    std::fprintf(stderr, "usage: search --method M --labels independent|clustered --selectivity S --seed N\n");
    return 2;
  }
  const World world = make_world(selectivity, spread == "clustered", seed);
  std::unique_ptr<const Method> method;
  if (name == "post_filter") method = std::make_unique<PostFilter>(world, seed);
  if (name == "in_list") method = std::make_unique<InList>(world, seed);
  if (name == "label_centric") method = std::make_unique<LabelCentric>(world, seed);
  if (!method) {
    std::fprintf(stderr, "unknown method: %s\n", name.c_str());
    return 2;
  }

  Answers tuning_truth, truth;
  for (const auto& query : world.tuning) tuning_truth.push_back(exact(world, query));
  for (const auto& query : world.test) truth.push_back(exact(world, query));

  // With every list probed and every candidate looked at, each method must give the truth.
  Work ignored, work;
  const Answers all = answer(*method, world.test, {method->lists(), vectors}, ignored);
  int disagreements = 0;
  for (std::size_t q = 0; q < truth.size(); ++q)
    for (std::size_t i = 0; i < wanted; ++i)
      disagreements += all[q].size() != truth[q].size() || all[q][i].id != truth[q][i].id ||
                       all[q][i].distance != truth[q][i].distance;

  const Effort effort = least_effort(*method, world, tuning_truth, name == "post_filter", selectivity);
  const Answers answers = answer(*method, world.test, effort, work);

  // The two are timed in turn, so that both have the same machine.
  std::vector<double> ratios, seconds;
  double checksum = 0;
  for (int round = 0; round < 9; ++round) {
    const double start = processor_seconds();
    for (const auto& one : answer(*method, world.test, effort, ignored))
      checksum += one.empty() ? 0 : double(one.front().distance);
    const double middle = processor_seconds();
    for (const auto& query : world.test) checksum += double(exact(world, query).front().distance);
    const double end = processor_seconds();
    seconds.push_back((middle - start) / double(world.test.size()));
    ratios.push_back((end - middle) / (middle - start));
  }

  const char* path = std::getenv("ETUDE_METRICS");
  std::FILE* out = path != nullptr ? std::fopen(path, "a") : stdout;
  const auto report = [&](const char* metric, double value) {
    std::fprintf(out, "{\"name\": \"%s\", \"value\": %.10g}\n", metric, value);
  };
  const auto count = double(world.test.size());
  report("distances", double(work.distances) / count);
  report("looked_at", double(work.looked_at) / count);
  report("recall", recall(truth, answers));
  report("probes", effort.probes);
  report("speedup", median(ratios));
  report("query_us", median(seconds) * 1e6);
  report("checksum", checksum);
  report("disagreements", disagreements);
  std::fclose(out);
}
