#include <cctype>
#include <filesystem>
#include <string_view>

#include "base/secret_names.h"
#include "studyfile/sections/sections.h"
#include "studyfile/yaml/scalars.h"

namespace studyfile {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_folder(const Value& value, const Draft& draft) {
  const std::optional<std::string> given = value.text();
  if (!given) return std::nullopt;
  const std::string path = absolute_path(*given, draft);
  if (!check_present(value, path)) return std::nullopt;
  std::error_code error;
  if (!fs::is_directory(path, error))
    return value.refuse("`" + path + "` is not a folder", "name the folder that holds the code"), std::nullopt;
  return path;
}

bool check_variable(const Value& value, const std::string& name, bool at_key) {
  const auto refuse = [&](std::string why, std::string todo) {
    at_key ? value.refuse_key(std::move(why), std::move(todo)) : value.refuse(std::move(why), std::move(todo));
    return false;
  };
  if (!is_name(name) || name.find('-') != std::string::npos)
    return refuse("`" + shown(name) + "` is no name of a variable", "use letters, digits and `_`");
  if (name.rfind("ETUDE_", 0) == 0)
    return refuse("variables that start with ETUDE_ are set by etude", "use another name");
  if (kernel::looks_like_secret(name))
    return refuse("`" + name + "` looks as if it held a key",
                  "keys never reach a job; fetch what needs one beforehand, into `data`");
  return true;
}

void read_set(const Value& value, Draft& draft) {
  const auto entries = value.entries("variables");
  if (!entries) return;
  for (const Value& entry : *entries) {
    if (!check_variable(entry, entry.name(), true)) continue;
    if (!entry.is_scalar()) {
      entry.refuse_kind("a text", entry.node().kind == YamlNode::Kind::null ? "write \"\" for an empty one" : "");
      continue;
    }
    draft.spec.environment.set[entry.name()] = entry.node().text;
  }
}

void read_pass(const Value& value, Draft& draft) {
  const auto items = value.list("names of variables");
  if (!items) return;
  std::vector<std::string>& pass = draft.spec.environment.pass;
  for (const Value& item : *items) {
    const std::optional<std::string> name = item.text();
    if (!name || !check_variable(item, *name, false)) continue;
    if (is_among(pass, *name))
      item.refuse("`" + *name + "` is repeated", "leave one of the two out");
    else if (draft.spec.environment.set.count(*name) > 0)
      item.refuse("`" + *name + "` is also in `set`", "keep one of the two");
    else
      pass.push_back(*name);
  }
}

void read_venv(const Value& value, const std::string& given, Draft& draft) {
  const std::string path = absolute_path(given, draft);
  if (!check_present(value, path)) return;
  std::error_code error;
  if (!fs::exists(path + "/bin/python", error) && !fs::exists(path + "/bin/python3", error))
    return value.refuse("`" + path + "` is no virtual environment: it has no bin/python",
                        "make it with `python3 -m venv " + path + "`");
  draft.spec.environment.use = "venv:" + path;
}

/// The file or folder is looked at when the study starts.
void read_image(const Value& value, const std::string& given, Draft& draft) {
  if (given.find("://") != given.npos)
    return value.refuse("`" + shown(given) + "` is no file here, and etude fetches nothing",
                        "fetch it once, `apptainer pull image.sif " + shown(given) + "`, and name image.sif");
  const std::string path = absolute_path(given, draft);
  if (check_present(value, path)) draft.spec.environment.use = "apptainer:" + path;
}

/// Names of modules, with blanks between them.
void read_modules(const Value& value, const std::string& names, Draft& draft) {
  for (const char c : names)
    if (!std::isalnum(static_cast<unsigned char>(c)) && std::string_view(" ._-+/@").find(c) == std::string_view::npos)
      return value.refuse("`" + shown(names) + "` is no name of a module", "write it as `module load` takes it");
  draft.spec.environment.use = "module:" + names;
}

/// Lines for bash: a text or a list.
void read_activate(const Value& value, Draft& draft) {
  const auto lines = value.is_scalar() ? std::optional(std::vector<Value>{value}) : value.list("lines");
  if (!lines) return;
  std::string all;
  for (const Value& line : *lines) {
    const auto text = line.text();
    if (!text) return;
    all += (all.empty() ? "" : "\n") + *text;
  }
  if (all.find_first_not_of(" \t\n") == all.npos)
    return value.refuse("no line is listed", "write what prepares the environment in a shell, or use `system`");
  draft.spec.environment.use = "activate:" + all;
}

void read_use(const Value& value, Draft& draft) {
  const std::vector<std::string> known = {"system", "venv:PATH", "uv", "conda:NAME", "module:NAME", "apptainer:PATH"};
  if (value.is_mapping()) {
    if (const auto fields = value.fields({"activate"}))
      if (const auto lines = fields->need("activate", "give the lines: `{activate: \"module load cuda\"}`"))
        read_activate(*lines, draft);
    return;
  }
  const std::optional<std::string> use = value.text();
  if (!use || *use == "system") return;
  const std::size_t colon = use->find(':');
  const std::string kind = use->substr(0, colon), name = colon == use->npos ? "" : use->substr(colon + 1);
  if (*use == "uv") {
    draft.spec.environment.use = *use;
  } else if (name.empty() || name.find_first_not_of(' ') == name.npos) {
    value.refuse("found the text \"" + shown(*use) + "\"", suggestion(*use, known, "use"));
  } else if (kind == "venv") {
    read_venv(value, name, draft);
  } else if (kind == "conda") {
    // A path starts at the study file's folder, as everywhere.
    draft.spec.environment.use = "conda:" + (name.find('/') == name.npos ? name : absolute_path(name, draft));
  } else if (kind == "module") {
    read_modules(value, name, draft);
  } else if (kind == "apptainer") {
    read_image(value, name, draft);
  } else {
    value.refuse("found the text \"" + shown(*use) + "\"", suggestion(*use, known, "use"));
  }
}

void read_identity(const Value& value, kernel::DataSpec& data) {
  const std::optional<std::string> identity = value.text();
  if (!identity) return;
  if (*identity == "sha256") {
    data.identity = kernel::Identity::sha256;
  } else if (*identity == "manifest") {
    data.identity = kernel::Identity::manifest;
  } else if (identity->rfind("declared:", 0) == 0 && identity->size() > 9) {
    data.identity = kernel::Identity::declared;
    data.declared_id = identity->substr(9);
  } else {
    value.refuse("found the text \"" + shown(*identity) + "\"",
                 suggestion(*identity, {"sha256", "manifest", "declared:ID"}, "use"));
  }
}

}  // namespace

void read_workspace(const Value& value, Draft& draft) {
  kernel::WorkspaceSpec& workspace = draft.spec.workspace;
  if (!value.is_mapping()) {
    keep(read_folder(value, draft), workspace.path);
    return;
  }
  const auto fields = value.fields({"path", "exclude", "max_size", "allow_secrets"});
  if (!fields) return;
  if (const auto path = fields->find("path")) keep(read_folder(*path, draft), workspace.path);
  const auto read_patterns = [&](const char* key, std::vector<std::string>& to) {
    if (const auto found = fields->find(key))
      if (const auto patterns = found->list("patterns"))
        for (const Value& pattern : *patterns)
          if (const auto text = pattern.spelling()) to.push_back(*text);
  };
  read_patterns("exclude", workspace.exclude);
  read_patterns("allow_secrets", workspace.allow_secrets);
  if (const auto size = fields->find("max_size")) workspace.max_bytes = size->size();
}

void read_environment(const Value& value, Draft& draft) {
  const auto fields = value.fields({"use", "set", "pass", "setup"});
  if (!fields) return;
  if (const auto use = fields->find("use")) read_use(*use, draft);
  if (const auto set = fields->find("set")) read_set(*set, draft);
  if (const auto pass = fields->find("pass")) read_pass(*pass, draft);
}

void read_setup(const Value& environment, Draft& draft) {
  const auto value = environment.is_mapping() ? environment.entry("setup") : std::nullopt;
  const auto fields = value ? value->fields({"run", "network", "key", "timeout"}) : std::nullopt;
  const auto run = fields ? fields->need("run", "give its commands: `run: [\"uv sync --frozen\"]`") : std::nullopt;
  if (!run) return;
  kernel::StageSpec setup;
  setup.name = "setup";
  std::string script = "set -e";
  const auto lines = run->is_scalar() ? std::optional(std::vector<Value>{*run}) : run->list("commands");
  if (!lines) return;
  if (lines->empty()) return run->refuse("no command is listed", "leave `setup` out, or say what it runs");
  for (const Value& line : *lines) {
    const auto text = line.spelling();
    if (!text) return;
    script += "\n" + *text;
  }
  setup.run.words = {script};
  InSight sight;
  sight.before_all = true;
  if (!check_command(*run, setup.run, draft, sight)) return;
  if (const auto network = fields->find("network")) keep(network->boolean(), setup.resources.network);
  if (const auto timeout = fields->find("timeout")) setup.resources.timeout_s = timeout->duration();
  if (const auto key = fields->find("key")) {
    const auto files = key->list("files");
    if (!files) return;
    for (const Value& file : *files) {
      const auto path = file.text();
      if (!path) return;
      if (!stays_inside(*path))
        return file.refuse("`" + shown(*path) + "` lies outside the workspace", "name files of the workspace");
      draft.spec.setup_files.push_back(*path);
    }
  }
  if (draft.spec.resources.sandbox == kernel::SandboxMode::none)
    return value->refuse_key("what it leaves is shown to runs by the sandbox, and `resources.sandbox` is `none`",
                             "prepare the environment beforehand and name it with `use: venv:PATH`");
  draft.spec.setup = std::move(setup);
}

void read_data(const Value& value, Draft& draft) {
  const auto entries = value.entries("data sets");
  draft.all_data = entries.has_value();
  if (!entries) return;
  for (const Value& entry : *entries) {
    check_name(entry);
    kernel::DataSpec data;
    data.name = entry.name();
    if (!entry.is_mapping()) {
      entry.refuse_kind("a mapping", "write `{path: …}`");
    } else if (const auto fields = entry.fields({"path", "identity"})) {
      const auto path = fields->need("path", "say where the data lie");
      const auto given = path ? path->text() : std::nullopt;
      if (given) data.path = absolute_path(*given, draft);
      if (given) check_present(*path, data.path);
      if (const auto identity = fields->find("identity")) read_identity(*identity, data);
    }
    draft.spec.data.push_back(std::move(data));
  }
}

}  // namespace studyfile
