#include "apps/session/meters/exposition.h"

#include <cmath>

#include <fmt/format.h>

namespace session {

namespace {

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string escaped(std::string_view text, bool quoted) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quoted)
      out += "\\\"";
    else
      out += c;
  }
  return out;
}

}  // namespace

void Exposition::family(std::string_view name, Type type, std::string_view help) {
  constexpr std::string_view names[] = {"counter", "gauge", "histogram"};
  family_ = name;
  text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, escaped(help, false),
                       names[static_cast<std::size_t>(type)]);
}

void Exposition::line(std::string_view name, const Labels& labels, double value) {
  text_ += name;
  const char* before = "{";
  for (const auto& [key, text] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", before, key, escaped(text, true));
    before = ",";
  }
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", number(value));
}

void Exposition::sample(const Labels& labels, const Histogram& histogram) {
  std::int64_t below = 0;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    below += histogram.counts()[i];
    Labels bucket = labels;
    bucket.emplace_back("le", i < histogram.bounds().size() ? number(histogram.bounds()[i]) : "+Inf");
    line(family_ + "_bucket", bucket, static_cast<double>(below));
  }
  line(family_ + "_sum", labels, histogram.sum());
  line(family_ + "_count", labels, static_cast<double>(histogram.count()));
}

}  // namespace session
