#include "agents/thinking/tools/schemas.h"

#include <stdexcept>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace agents {

std::string against_schema(const nlohmann::json& schema, const nlohmann::json& document) {
  using Adapter = valijson::adapters::NlohmannJsonAdapter;
  valijson::Schema parsed;
  try {
    valijson::SchemaParser().populateSchema(Adapter(schema), parsed);
  } catch (const std::exception& e) {
    throw std::logic_error(std::string("a schema of ours is none: ") + e.what());
  }
  valijson::ValidationResults results;
  if (valijson::Validator(valijson::Validator::kStrongTypes).validate(parsed, Adapter(document), &results)) return "";
  // The outer errors only say that something inside is wrong.
  valijson::ValidationResults::Error error, innermost;
  while (results.popError(error))
    if (innermost.description.empty() || error.context.size() > innermost.context.size()) innermost = error;
  std::string where;
  for (const std::string& step : innermost.context)
    if (step != "<root>") where += step;
  return (where.empty() ? "" : where + ": ") + innermost.description;
}

}  // namespace agents
