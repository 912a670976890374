#include "config/executor_settings.h"

#include "studyfile/yaml/value.h"

namespace config {

using studyfile::keep;
using studyfile::Value;

namespace {

/// One word without blanks: it becomes a part of a command line.
void read_word(const studyfile::Fields& fields, const char* key, std::string& into) {
  const auto value = fields.find(key);
  if (!value || !keep(value->spelling(), into)) return;
  if (into.find_first_of(" \t\n") != into.npos || into.starts_with("-"))
    value->refuse("this is no single word", "give the name as the scheduler knows it");
}

void read_slurm(const Value& value, ExecutorSettings& settings) {
  const auto fields = value.fields({{"shared"},
                                    {"partition"},
                                    {"account"},
                                    {"qos"},
                                    {"constraint"},
                                    {"gres"},
                                    {"gpu_type"},
                                    {"gpus"},
                                    {"flags"},
                                    {"time"},
                                    {"memory"},
                                    {"jobs"},
                                    {"array"}});
  if (!fields) return;
  if (const auto shared = fields->find("shared")) {
    keep(shared->text(), settings.shared);
    if (!settings.shared.empty() && settings.shared.front() != '/')
      shared->refuse("this is no absolute path", "name a folder that every node sees under the same path");
    while (settings.shared.size() > 1 && settings.shared.back() == '/') settings.shared.pop_back();
  }
  read_word(*fields, "partition", settings.partition);
  read_word(*fields, "account", settings.account);
  read_word(*fields, "qos", settings.qos);
  read_word(*fields, "constraint", settings.constraint);
  read_word(*fields, "gres", settings.gres);
  read_word(*fields, "gpu_type", settings.gpu_type);
  if (const auto flags = fields->find("flags"))
    if (const auto words = flags->list("options of sbatch"))
      for (const Value& word : *words) {
        std::string text;
        if (!keep(word.spelling(), text)) continue;
        if (!text.starts_with("-")) word.refuse("this is no option", "write it as one word, such as `--exclusive`");
        settings.flags.push_back(std::move(text));
      }
  if (const auto time = fields->find("time")) settings.time_s = time->duration();
  if (const auto memory = fields->find("memory")) settings.memory_bytes = memory->size();
  fields->count("gpus", 0, 100000, settings.gpus);
  fields->count("jobs", 1, 4096, settings.jobs);
  fields->count("array", 1, 100000, settings.array);
}

}  // namespace

void read_executors(const Value& value, ExecutorSettings& settings) {
  const auto fields = value.fields({{"use"}, {"slurm"}});
  if (!fields) return;
  if (const auto use = fields->find("use"))
    keep(use->choice<std::string>({{"local", "local"}, {"slurm", "slurm"}}), settings.use);
  if (const auto slurm = fields->find("slurm")) read_slurm(*slurm, settings);
}

}  // namespace config
