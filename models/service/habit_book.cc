#include "models/service/habit_book.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "models/protocols/dialect.h"

namespace models {

using nlohmann::json;

namespace {

constexpr int version = 1;

json to_json(const Habits& habits) {
  json one = json::object();
  if (!habits.without.empty()) one["without"] = habits.without;
  if (!habits.renamed.empty()) one["renamed"] = habits.renamed;
  if (!habits.efforts.empty()) one["efforts"] = habits.efforts;
  if (habits.most_output > 0) one["most_output"] = habits.most_output;
  if (habits.context > 0) one["context"] = habits.context;
  if (habits.thinks) one["thinks"] = true;
  return one;
}

std::set<std::string> names_in(const json& list) {
  std::set<std::string> names;
  for (const json& one : list)
    if (one.is_string()) names.insert(one.get<std::string>());
  return names;
}

Habits habits_of(const json& one) {
  Habits habits;
  habits.without = names_in(part_at(one, "without"));
  habits.efforts = names_in(part_at(one, "efforts"));
  if (const json& renamed = part_at(one, "renamed"); renamed.is_object())
    for (const auto& [name, other] : renamed.items())
      if (other.is_string()) habits.renamed[name] = other.get<std::string>();
  habits.most_output = count_at(one, "most_output");
  habits.context = count_at(one, "context");
  habits.thinks = one.is_object() && one.value("thinks", json()) == true;
  return habits;
}

}  // namespace

HabitBook::HabitBook(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::ostringstream text;
  text << std::ifstream(file_, std::ios::binary).rdbuf();
  const json whole = lenient_json(text.str());
  if (!whole.is_object() || count_at(whole, "v") != version) return;
  if (const json& models = part_at(whole, "models"); models.is_object())
    for (const auto& [key, one] : models.items()) all_.emplace(key, habits_of(one));
}

Habits HabitBook::of(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(key);
  return found == all_.end() ? Habits{} : found->second;
}

void HabitBook::change(const std::string& key, const std::function<void(Habits&)>& change) {
  const std::lock_guard lock(mutex_);
  Habits habits = all_[key];
  change(habits);
  if (habits == all_[key]) return;
  all_[key] = std::move(habits);
  write();
}

void HabitBook::write() const {
  if (file_.empty()) return;
  json models = json::object();
  for (const auto& [key, habits] : all_) models[key] = to_json(habits);
  const std::string beside = fmt::format("{}.{}", file_, getpid());
  {
    std::ofstream out(beside, std::ios::binary);
    out << json{{"v", version}, {"models", std::move(models)}}.dump(1) << '\n';
    if (!out.flush()) {
      std::remove(beside.c_str());
      return;
    }
  }
  if (std::rename(beside.c_str(), file_.c_str()) != 0) std::remove(beside.c_str());
}

std::string habit_key(const Endpoint& endpoint, const std::string& model) {
  return shown_url(endpoint.base_url) + " " + model;
}

}  // namespace models
