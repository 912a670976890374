#include <algorithm>
#include <map>

#include "kernel/binding/known_facts.h"
#include "prose/citations.h"

namespace kernel {

namespace {

using CitedIn = std::map<std::string, std::vector<std::string>, std::less<>>;

void note_keys(CitedIn& cited_in, std::string_view text, prose::Markup markup, const std::string& where) {
  for (const std::string& key : prose::cited_keys(text, markup)) {
    std::vector<std::string>& list = cited_in[key];
    if (std::ranges::find(list, where) == list.end()) list.push_back(where);
  }
}

}  // namespace

std::vector<CitedWork> cited_works(const Study& study) {
  std::vector<CitedWork> all;
  if (study.spec.literature.works.empty()) return all;
  CitedIn cited_in;
  for (const HypothesisRecord& record : study.hypotheses)
    for (const std::string* text : {&record.hypothesis.statement, &record.hypothesis.mechanism})
      note_keys(cited_in, *text, prose::Markup::plain, record.hypothesis.id.text());
  for (const Node& node : study.nodes)
    for (const auto& [field, text] : node.fields) note_keys(cited_in, text, prose::Markup::plain, node.id);
  for (const Claim& claim : study.claims)
    for (const std::string* text : {&claim.statement, &claim.conditions, &claim.falsification})
      note_keys(cited_in, *text, prose::Markup::plain, claim.id);
  for (const Section& section : study.thinking.sections)
    note_keys(cited_in, section.text, prose::Markup::markdown, "the section " + section.name);
  for (const Work& work : study.spec.literature.works) {
    CitedWork cited{&work, {}, {}, {}};
    const auto add = [&](const std::string& key) {
      const auto found = cited_in.find(key);
      if (found == cited_in.end()) return false;
      for (const std::string& where : found->second)
        if (std::ranges::find(cited.where, where) == cited.where.end()) cited.where.push_back(where);
      return true;
    };
    add(work.key);
    for (const std::string& part : work.parts)
      if (add(work.key + "/" + part)) cited.parts.push_back(part);
    if (cited.where.empty()) continue;
    for (const std::string& where : cited.where)
      if (where.front() == 'C') cited.claims.push_back(where);
    all.push_back(std::move(cited));
  }
  return all;
}

}  // namespace kernel
