#include "histories/read/history.h"

namespace histories {

std::string_view name_of(Source source) {
  switch (source) {
    case Source::autoresearch:
      return "autoresearch";
    case Source::optuna:
      return "optuna";
    case Source::wandb:
      return "wandb";
    case Source::mlflow:
      return "mlflow";
    case Source::trackio:
      return "trackio";
    case Source::aide:
      return "aide";
    case Source::openevolve:
      return "openevolve";
    case Source::shinka:
      return "shinka";
  }
  return "";
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kept:
      return "keep";
    case Status::discarded:
      return "discard";
    case Status::crashed:
      return "crash";
  }
  return "";
}

}  // namespace histories
