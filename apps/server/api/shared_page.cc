#include "apps/server/api/shared_page.h"

#include <httplib.h>

#include "apps/server/page/page_files.h"
#include "embedded/shared_page_files.h"
#include "prose/numbers.h"

namespace server {

namespace {

using nlohmann::json;
using Query = std::multimap<std::string, std::string>;

std::string dumped(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Answers of the API, as one JSON object from path and query to {"json"} or {"text"}, and "status" unless it is 200.
class Answers {
 public:
  Answers(Api& api, std::size_t most) : api_(api), most_(most) {}

  httplib::Response ask(const std::string& path, const Query& query = {}) const { return answer_of(api_, path, query); }

  /// Keeps an answer under `key`. False if there is no room for it.
  bool keep(const std::string& key, const httplib::Response& answer) {
    const bool is_json = answer.get_header_value("Content-Type").find("json") != std::string::npos &&
                         answer.get_header_value("Content-Type").find("jsonl") == std::string::npos;
    std::string entry = (text_.empty() ? "" : ",") + dumped(key) + (is_json ? ":{\"json\":" : ":{\"text\":") +
                        (is_json ? answer.body : dumped(answer.body));
    if (answer.status != 200) entry += ",\"status\":" + std::to_string(answer.status);
    if (text_.size() + entry.size() + reserved_ > most_) return false;
    text_ += entry + "}";
    return true;
  }
  bool keep(const std::string& path) { return keep(path, ask(path)); }
  /// The document of a path, which is kept; null if there is none, or no room.
  json read(const std::string& path) {
    const httplib::Response answer = ask(path);
    if (answer.status != 200 || !keep(path, answer)) return nullptr;
    return json::parse(answer.body);
  }

  /// Leaves room for something else.
  void reserve(std::size_t bytes) { reserved_ += bytes; }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  Api& api_;
  const std::size_t most_;
  std::size_t reserved_ = 0;
  std::string text_;
};

/// How much of each kind is not in the copy.
struct LeftOut {
  long long runs = 0, curves = 0, logs = 0, cut_logs = 0, points = 0, files = 0, conversations = 0, documents = 0;

  std::vector<std::string> phrases(const SharedLimits& limits) const {
    std::vector<std::string> all;
    const auto add = [&](long long count, const std::string& phrase) {
      if (count > 0) all.push_back(phrase);
    };
    add(documents, prose::counted(documents, "part") + " of the study, which are too large");
    add(runs, prose::counted(runs, "run") + ", the last ones");
    add(curves, prose::counted(curves, "table") + " of learning curves");
    add(conversations, prose::counted(conversations, "conversation") + " of agents");
    add(cut_logs, "the beginning of " + prose::counted(cut_logs, "log") + " longer than " +
                      std::to_string(limits.log >> 10) + " kB");
    add(logs, prose::counted(logs, "log"));
    add(points, "the single values of " + prose::counted(points, "run"));
    add(files, "the content of " + prose::counted(files, "output file"));
    return all;
  }
};

constexpr int runs_at_once = 1000;

/// Every run that has room, as a JSON list.
json runs_of(const Answers& answers, const std::string& study, std::size_t most, LeftOut& left_out) {
  json all = json::array();
  std::size_t bytes = 0;
  std::string cursor;
  do {
    Query query{{"limit", std::to_string(runs_at_once)}};
    if (!cursor.empty()) query.emplace("cursor", cursor);
    const json page = json::parse(answers.ask("/studies/" + study + "/runs", query).body);
    for (const json& run : page.at("items")) {
      bytes += dumped(run).size() + 1;
      if (bytes > most)
        ++left_out.runs;
      else
        all.push_back(run);
    }
    cursor = page.at("cursor").is_string() ? page.at("cursor").get<std::string>() : "";
  } while (!cursor.empty());
  return all;
}

/// Every metric by step and by time, with the points on a linear and on a logarithmic axis. The page shows the first
/// kind unless it is told otherwise, so all metrics have that one before any has another.
void keep_curves(Answers& answers, const std::string& study, const json& document, LeftOut& left_out) {
  const std::string path = "/studies/" + study + "/curves";
  const Query whole{{"limit", std::to_string(runs_at_once)}, {"points", "400"}};
  const json first = json::parse(answers.ask(path, whole).body);
  std::vector<std::string> metrics{first.at("metric")};
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(metrics, name) == metrics.end()) metrics.push_back(name);
  };
  for (const json& name : first.at("metrics")) add(name);
  for (const json& metric : document.at("metrics")) add(metric.at("name"));
  for (const char* axis : {"step", "time"})
    for (const char* spacing : {"linear", "log"})
      for (const std::string& metric : metrics) {
        Query query = whole;
        query.insert({{"metric", metric}, {"x", axis}, {"spacing", spacing}});
        if (!answers.keep(path + "?" + dumped({metric, axis, spacing}), answers.ask(path, query))) ++left_out.curves;
      }
}

/// From the beginning of a line, if there is one.
std::string end_of(const std::string& text, std::size_t most) {
  std::string end = text.substr(text.size() - most);
  const std::size_t line = end.find('\n');
  return line == std::string::npos ? end : end.substr(line + 1);
}

/// Its end, if it is long; true if it was cut.
bool shorten(std::string& log, const SharedLimits& limits, const char* line_begin) {
  if (log.size() <= limits.log) return false;
  log = std::string(line_begin) + "[the beginning is not in this copy]\n" + end_of(log, limits.log);
  return true;
}

void keep_log(Answers& answers, const json& run, const char* stream, const SharedLimits& limits, LeftOut& left_out) {
  const std::string path = "/runs/" + run.at("id").get<std::string>() + "/log";
  // A run that has ended without a log printed nothing; the page knows that from the run.
  if (run.at("ended").is_string() && !run.at("blobs").at(stream).is_string()) return;
  httplib::Response answer = answers.ask(path, {{"stream", stream}});
  if (answer.status == 200 && shorten(answer.body, limits, "")) ++left_out.cut_logs;
  if (!answers.keep(path + "?stream=" + stream, answer)) ++left_out.logs;
}

/// Both streams in the order of their lines. Without it the page shows them one after the other.
void keep_merged_log(Answers& answers, const json& run, const SharedLimits& limits) {
  if (!run.at("blobs").contains("log_order")) return;
  const std::string path = "/runs/" + run.at("id").get<std::string>() + "/log";
  httplib::Response answer = answers.ask(path, {{"stream", "both"}});
  if (answer.status != 200) return;
  shorten(answer.body, limits, "out: ");
  answers.keep(path + "?stream=both", answer);
}

void keep_files(Answers& answers, const json& run, LeftOut& left_out) {
  const std::string path = "/runs/" + run.at("id").get<std::string>() + "/files";
  const httplib::Response answer = answers.ask(path);
  if (answer.status != 200) return;
  const std::size_t count = json::parse(answer.body).at("items").size();
  left_out.files += static_cast<long long>(count);
  if (count > 0) answers.keep(path, answer);
}

bool has_failed(const json& run) {
  const std::string state = run.at("state");
  return state == "failed" || state == "timed_out" || state == "invalid" || state == "lost";
}

/// What the page asks of single runs: first the logs of those that failed.
void keep_details(Answers& answers, const json& runs, const SharedLimits& limits, LeftOut& left_out) {
  for (const bool failed : {true, false})
    for (const json& run : runs) {
      if (has_failed(run) != failed) continue;
      for (const char* stream : {"stderr", "stdout"}) keep_log(answers, run, stream, limits, left_out);
    }
  for (const json& run : runs) {
    if (run.at("withheld") == true || !run.at("ended").is_string()) continue;
    const std::string path = "/runs/" + run.at("id").get<std::string>();
    const bool kept = (run.at("points") <= 1 || answers.keep(path + "/metrics")) &&
                      (!run.at("blobs").contains("usage") || answers.keep(path + "/usage"));
    if (!kept) ++left_out.points;
    keep_files(answers, run, left_out);
    keep_merged_log(answers, run, limits);
  }
}

void keep_study(Answers& answers, const std::string& study, const json& document, LeftOut& left_out) {
  const std::string path = "/studies/" + study;
  for (const char* part : {"/claims", "/experiments", "/opening", "/graph", "/agents-code"})
    if (!answers.keep(path + part)) ++left_out.documents;
  // The page draws single runs where there are few.
  if (document.at("runs").at("total") > runs_at_once)
    for (const json& metric : document.at("metrics")) {
      const std::string name = metric.at("name");
      if (!answers.keep(path + "/cells?" + name, answers.ask(path + "/cells", {{"metric", name}})))
        ++left_out.documents;
    }
  if (!answers.keep(path + "/timeline", answers.ask(path + "/timeline", {{"order", "newest"}}))) ++left_out.documents;
  for (const json& gate : document.at("gates"))
    if (gate.at("decision").is_null()) answers.keep("/gates/" + gate.at("id").get<std::string>());
  const json conversations = answers.read(path + "/conversations");
  if (conversations.is_null()) return;
  for (const json& one : conversations.at("items"))
    if (!answers.keep(path + "/conversations/" + one.at("line").get<std::string>())) ++left_out.conversations;
}

/// The study's document, kept without what only serves to find it in this home.
json keep_document(Answers& answers, const std::string& study) {
  httplib::Response answer = answers.ask("/studies/" + study);
  json document = json::parse(answer.body);
  for (const char* member : {"tags", "archived"}) document.erase(member);
  answer.body = dumped(document);
  return answers.keep("/studies/" + study, answer) ? document : json();
}

constexpr std::string_view data_begin = "etude_shared = JSON.parse(";

/// A script, because a page from a disk cannot fetch; its data are one text, so that no member's name has a meaning.
std::string script_of(const std::string& data, std::string_view layout) {
  return std::string(data_begin) + dumped(data) + ");\netude_layout = " + dumped(std::string(layout)) + ";\n";
}

}  // namespace

bool is_shared_page(const std::string& folder) {
  std::ifstream file(folder + "/" + shared_data, std::ios::binary);
  std::string begin(data_begin.size(), '\0');
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == data_begin;
}

SharedPage shared_page(Api& api, const std::string& study, const std::string& made, const SharedLimits& limits) {
  SharedPage page;
  Answers answers(api, limits.data);
  LeftOut left_out;
  const json document = keep_document(answers, study);
  const json runs = runs_of(answers, study, limits.data / 2, left_out);
  answers.reserve(dumped(runs).size());
  keep_study(answers, study, document, left_out);
  keep_curves(answers, study, document, left_out);
  keep_details(answers, runs, limits, left_out);
  const httplib::Response report = answers.ask("/studies/" + study + "/report");
  if (report.status == 200) page.files["report.html"] = report.body;
  page.left_out = left_out.phrases(limits);
  const json about = {{"study", study},
                      {"made", made},
                      {"version", ETUDE_VERSION},
                      {"report", report.status == 200},
                      {"left_out", page.left_out},
                      {"runs", runs}};
  std::string data = dumped(about);
  data.back() = ',';
  data += "\"answers\":" + answers.text() + "}";
  page.files["index.html"] = embedded::shared_page_files("index.html");
  page.files["page.css"] = page_file("page.css");
  // Browsers load no module from a disk; the function keeps its names out of the window's.
  page.files["page.js"] = "(() => {\n\"use strict\";\n" + std::string(page_file("page.js")) + "\n})();\n";
  page.files[shared_data] = script_of(data, page_file("layout.js"));
  return page;
}

}  // namespace server
