// results.tsv of karpathy/autoresearch: a row for each idea, tab separated: the commit, its metric, others, a status
// (keep, discard, crash) and a description. Descendants have other metrics, so the columns are found by the header.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "histories/read/git_objects.h"
#include "histories/read/readers.h"
#include "studyfile/yaml/scalars.h"

namespace histories {

namespace {

constexpr std::size_t none = std::string::npos;

std::vector<std::string> fields_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  for (std::string& field : fields) {
    const std::size_t first = field.find_first_not_of(' '), last = field.find_last_not_of(' ');
    field = first == none ? "" : field.substr(first, last - first + 1);
  }
  return fields;
}

std::size_t column(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? none : static_cast<std::size_t>(found - header.begin());
}

std::optional<Status> status_of(const std::string& word) {
  for (const Status status : {Status::kept, Status::discarded, Status::crashed})
    if (word == name_of(status)) return status;
  return std::nullopt;
}

}  // namespace

kernel::Result<History> read_autoresearch(const std::filesystem::path& table, const Asked& asked) {
  const auto text = read_file(table);
  if (!text) return text.problem();
  History history;
  history.source = Source::autoresearch;
  history.form = Form::commit;
  history.path = table.string();
  history.decided = true;
  history.repository = table.parent_path().string();
  const auto wrong = [&](int line, const std::string& what, const std::string& why, const std::string& todo = "") {
    return kernel::Problem{table.string(), line, what, why, todo};
  };

  std::vector<std::string> header;
  std::size_t commit = none, metric = none, status = none, description = none;
  int number = 0;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == none) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (header.empty()) {
      header = fields;
      commit = column(header, "commit");
      status = column(header, "status");
      description = column(header, "description");
      if (commit == none || status == none)
        return wrong(number, "header", "it has no columns `commit` and `status`, separated by tabs",
                     "a results.tsv begins with commit, the metric, …, status, description");
      metric = asked.metric.empty() ? commit + 1 : column(header, asked.metric);
      if (metric == none)
        return wrong(number, "--metric", "there is no column `" + studyfile::shown(asked.metric) + "`",
                     studyfile::suggestion(asked.metric, header, "the columns are"));
      if (metric >= header.size() || metric == status || metric == description)
        return wrong(number, "header", "there is no column for the metric behind `commit`", "name it with --metric");
      history.metric = header[metric];
      continue;
    }
    if (fields.size() <= std::max(std::max(commit, metric), status))
      return wrong(number, "", fmt::format("it has {} columns, and the header has {}", fields.size(), header.size()),
                   "separate the columns by tabs");
    HistoryEntry entry;
    entry.line = number;
    entry.id = fields[commit];
    const auto word = status_of(fields[status]);
    if (!word)
      return wrong(number, "status", "`" + studyfile::shown(fields[status]) + "` is none of keep, discard and crash");
    entry.status = *word;
    if (description < fields.size()) entry.description = fields[description];
    const auto value = studyfile::as_number(fields[metric]);
    if (entry.status == Status::kept) {
      if (!value)
        return wrong(number, history.metric,
                     "`" + studyfile::shown(fields[metric]) + "` is no number, and it was kept");
      if (entry.id.empty()) return wrong(number, "commit", "it is empty, and the row was kept");
      if (!is_commit_id(entry.id))
        return wrong(number, "commit", "`" + studyfile::shown(entry.id) + "` is no commit id, and the row was kept",
                     "write the id that git shows: 4 or more hexadecimal digits");
    }
    if (entry.status != Status::crashed) entry.value = value;
    history.entries.push_back(std::move(entry));
  }
  if (history.entries.empty()) return wrong(0, "", "it has no rows: nothing was tried", "");
  return history;
}

}  // namespace histories
