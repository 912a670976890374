// Tags, by which people find studies: `tag` and `archive`.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/cli/terminal/json_figures.h"
#include "apps/cli/verbs/verbs.h"
#include "apps/cli/views/study_parts.h"
#include "apps/cli/work/lookup.h"
#include "apps/cli/work/send_command.h"

namespace cli {

namespace {

struct TagOptions {
  std::string study;
  std::vector<std::string> added, removed;
};

int list_tags(const Context& context) {
  const std::vector<memory::UsedTag> tags = memory::Reader(context.home()).tags();
  if (context.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const memory::UsedTag& one : tags) list.push_back({{"tag", one.tag}, {"studies", one.studies}});
    print_json(list);
    return ok;
  }
  if (tags.empty()) fmt::print(stderr, "no study of {} has a tag\n", printable(context.home()));
  for (const memory::UsedTag& one : tags)
    fmt::print("{}  {} {}\n", printable(one.tag), one.studies, one.studies == 1 ? "study" : "studies");
  return ok;
}

/// Prints the study's tags.
int show_tags(const Context& context, const std::string& id) {
  const auto study = nlohmann::json::parse(memory::Reader(context.home()).study(id).value());
  if (context.json) {
    print_json(study);
    return ok;
  }
  const std::string tags = tags_text(study);
  fmt::print("{}: {}\n", id, tags.empty() ? "no tags" : printable(tags));
  return ok;
}

int tag(const Context& context, const TagOptions& options) {
  if (options.study.empty()) return list_tags(context);
  const auto study = study_named(memory::Reader(context.home()), options.study);
  if (!study) return fail(bad_input, study.problem());
  const std::string id = text_at(*study, "id");
  if (!options.added.empty() || !options.removed.empty())
    if (const int code = tell_tagging(context, id, {options.added, options.removed}); code != ok) return code;
  return show_tags(context, id);
}

struct ArchiveOptions {
  std::string study;
  bool undo = false;
};

int archive(const Context& context, const ArchiveOptions& options) {
  const auto study = study_named(memory::Reader(context.home()), options.study);
  if (!study) return fail(bad_input, study.problem());
  const std::string id = text_at(*study, "id");
  if (const int code = tell_tagging(context, id, {{}, {}, !options.undo}); code != ok) return code;
  if (context.json)
    print_json(nlohmann::json::parse(memory::Reader(context.home()).study(id).value()));
  else if (options.undo)
    fmt::print("{} is listed again\n", id);
  else
    fmt::print("{0} is archived: `etude ls --archived` lists it; `etude archive {0} --undo` lists it with the others\n",
               id);
  return ok;
}

}  // namespace

void add_tag(CLI::App& app, Context& context) {
  const auto [tagging, tags] =
      add_verb(app, context, "tag", "tag a study, to find it in lists; without a tag, show its tags", tag);
  tagging->add_option("ID", tags->study, "the study, or the beginning of its id; without it, the tags in use");
  tagging->add_option("TAG", tags->added, "a word of up to 64 bytes without commas; several may be given");
  tagging->add_option("--remove", tags->removed, "remove this tag; may be repeated")
      ->type_name("TAG")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

  const auto [archiving, archived] =
      add_verb(app, context, "archive", "leave a study out of lists; nothing of it is deleted", archive);
  archiving->add_option("ID", archived->study, "the study, or the beginning of its id")->required();
  archiving->add_flag("--undo", archived->undo, "list it again");
}

}  // namespace cli
