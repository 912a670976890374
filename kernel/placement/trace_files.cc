#include "kernel/placement/trace_files.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include "base/csv_records.h"
#include "base/utf8.h"

namespace kernel::placement {

namespace {

constexpr std::int64_t most_of_a_resource = 1'000'000'000'000;

/// The records of a file by the names of their columns. After a problem every value is 0 or empty.
class Table {
 public:
  Table(std::string_view text, const std::string& file, const std::vector<std::string>& columns) : records_(text) {
    problem_.file = file;
    if (!valid_utf8(text)) {
      fail("", "it is not UTF-8 text");
    } else if (!records_.next() || !records_.sound()) {
      fail("", "it has no line with the names of the columns");
    } else {
      header_ = records_.fields();
      for (const std::string& column : columns)
        if (!has(column)) fail(column, "this column is missing", "the first line names the columns");
    }
  }

  /// False at the end and after a problem.
  bool next() {
    if (failed_ || !records_.next()) return false;
    ++rows_;
    if (!records_.sound())
      fail("", "the record is malformed", "quotes stand around a whole field");
    else if (records_.fields().size() != header_.size())
      fail("", "it has " + std::to_string(records_.fields().size()) + " fields, the first line has " +
                   std::to_string(header_.size()));
    return !failed_;
  }

  bool has(const std::string& column) const { return std::ranges::find(header_, column) != header_.end(); }

  /// Empty if there is no such column.
  const std::string& text(const std::string& column) const {
    static const std::string none;
    const auto at = std::ranges::find(header_, column);
    return at == header_.end() ? none : records_.fields()[static_cast<std::size_t>(at - header_.begin())];
  }

  std::int64_t number(const std::string& column, std::int64_t least, std::int64_t most) {
    const std::string& spelled = text(column);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), number);
    if (error == std::errc() && end == spelled.data() + spelled.size() && number >= least && number <= most)
      return number;
    fail(column, "`" + std::string(utf8_prefix(spelled, 40)) + "` is no integer from " + std::to_string(least) +
                     " to " + std::to_string(most));
    return 0;
  }

  /// The bits of the types, separated by `|`.
  TypeSet types(const std::string& column, GpuTypes& known) {
    TypeSet types = 0;
    std::string_view rest = text(column);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('|'), rest.size());
      if (end > 0) {
        const auto bit = known.bit(std::string(rest.substr(0, end)));
        if (!bit) fail(column, "there are more than " + std::to_string(GpuTypes::most) + " GPU types");
        types |= bit.value_or(0);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return types;
  }

  /// The first problem stays.
  void fail(std::string what, std::string why, std::string todo = "") {
    if (failed_) return;
    failed_ = true;
    problem_.line = static_cast<int>(records_.line());
    problem_.what = std::move(what);
    problem_.why = std::move(why);
    problem_.todo = std::move(todo);
  }

  bool failed() const { return failed_; }
  const Problem& problem() const { return problem_; }
  std::size_t rows() const { return rows_; }

 private:
  CsvRecords records_;
  std::vector<std::string> header_;
  Problem problem_;
  bool failed_ = false;
  std::size_t rows_ = 0;
};

}  // namespace

Result<std::vector<ClusterNode>> read_nodes(std::string_view text, const std::string& file, GpuTypes& types) {
  Table table(text, file, {"sn", "cpu_milli", "memory_mib", "gpu"});
  std::vector<ClusterNode> nodes;
  std::set<std::string> names;
  while (table.next()) {
    ClusterNode node;
    node.name = table.text("sn");
    node.cpu_total = node.cpu_free = table.number("cpu_milli", 0, most_of_a_resource);
    node.memory_total = node.memory_free = table.number("memory_mib", 0, most_of_a_resource);
    node.gpu_free.assign(static_cast<std::size_t>(table.number("gpu", 0, most_devices)), whole_gpu);
    if (!node.gpu_free.empty()) {
      if (table.text("model").find('|') != std::string::npos) table.fail("model", "a node has one GPU type");
      node.type = table.types("model", types);
    }
    if (node.name.empty()) table.fail("sn", "the node has no name");
    if (!names.insert(node.name).second) table.fail("sn", "there is another node `" + node.name + "`");
    nodes.push_back(std::move(node));
  }
  if (!table.failed() && nodes.empty()) table.fail("", "it has no nodes");
  if (table.failed()) return table.problem();
  return nodes;
}

Result<Workload> read_tasks(std::string_view text, const std::string& file, GpuTypes& types) {
  Table table(text, file, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"});
  Workload workload;
  std::unordered_map<Demand, std::uint32_t, HashOfDemand> indexes;
  while (table.next()) {
    Demand demand;
    demand.cpu_milli = table.number("cpu_milli", 0, most_of_a_resource);
    demand.memory_mib = table.number("memory_mib", 0, most_of_a_resource);
    demand.gpus = static_cast<int>(table.number("num_gpu", 0, most_devices));
    const bool uses_gpus = demand.gpus > 0;
    demand.gpu_milli = static_cast<int>(table.number("gpu_milli", uses_gpus ? 1 : 0, uses_gpus ? whole_gpu : 0));
    if (uses_gpus) demand.types = table.types("gpu_spec", types);
    if (table.text("name").empty()) table.fail("name", "the task has no name");
    if (workload.names.size() == most_arrivals)
      table.fail("", "there are more than " + std::to_string(most_arrivals) + " tasks");
    const auto [entry, is_new] = indexes.emplace(demand, static_cast<std::uint32_t>(workload.demands.size()));
    if (is_new) workload.demands.push_back(demand);
    workload.demand_of.push_back(entry->second);
    workload.names.push_back(table.text("name"));
  }
  if (!table.failed() && workload.names.empty()) table.fail("", "it has no tasks");
  if (table.failed()) return table.problem();
  return workload;
}

}  // namespace kernel::placement
