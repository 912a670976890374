// The part of the report about models: use and cost by role, and what their replies state of their origin.
#include <fmt/format.h>

#include "artifacts/text/escaping.h"
#include "artifacts/write/report.h"
#include "kernel/study/model_use.h"
#include "kernel/views/models_shape.h"
#include "prose/numbers.h"

namespace artifacts {

namespace {

constexpr std::size_t most_answers_shown = 60;

std::string cached_text(const kernel::ModelUse& use) {
  if (use.cached_tokens == 0) return "none reported";
  return fmt::format("{:.0f} %", 100 * static_cast<double>(use.cached_tokens) / static_cast<double>(use.prompt_tokens));
}

std::string use_table(const kernel::Ledger& ledger) {
  PlainTable table;
  table.header = {"Role", "Model", "Calls", "Tokens in", "From the cache", "Tokens out", "USD"};
  table.right = {false, false, true, true, true, true, true};
  for (const kernel::ModelUse& use : ledger.models)
    table.rows.push_back({use.role, use.model, std::to_string(use.calls), std::to_string(use.prompt_tokens),
                          cached_text(use), std::to_string(use.output_tokens),
                          use.unpriced > 0 ? "price not known" : prose::rounded(use.usd)});
  return markdown_table(table);
}

std::string stated(const std::string& text) {
  return text.empty() ? "not stated" : text;
}

std::string answers_table(const kernel::Ledger& ledger) {
  PlainTable table;
  table.header = {"Role", "Asked for", "Effort", "Answered by", "Tier", "Fingerprint", "Calls"};
  table.right = {false, false, false, false, false, false, true};
  std::size_t all = 0;
  for (const kernel::ModelUse& use : ledger.models)
    for (const kernel::AnsweredAs& one : use.answers)
      if (++all <= most_answers_shown)
        table.rows.push_back({use.role, stated(one.as.model), stated(one.as.effort), stated(one.origin.model),
                              stated(one.origin.tier), stated(one.origin.fingerprint), std::to_string(one.calls)});
  std::string text = markdown_table(table);
  if (all > most_answers_shown) text += fmt::format("\n{} rows more stand in etude.json.\n", all - most_answers_shown);
  return text;
}

}  // namespace

std::string models_section(const kernel::Ledger& ledger) {
  if (!kernel::states_origins(ledger)) return "";
  std::string text = "\n### Models by role\n\n" + use_table(ledger) +
                     "\nWho answered, as the replies state it; every call stands in trace/events.jsonl:\n\n" +
                     answers_table(ledger);
  for (std::string words : kernel::other_models_words(ledger)) {
    words.front() = 'A';
    text += "\n" + in_markdown(words) + ".\n";
  }
  return text;
}

}  // namespace artifacts
