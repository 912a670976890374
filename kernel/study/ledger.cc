#include "kernel/study/ledger.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernel {

namespace {

void add(std::optional<EnergySpent>& sum, const EnergySpent& more) {
  if (!sum) sum.emplace();
  sum->joules = add_joules(sum->joules, more.joules);
  sum->runs += more.runs;
  sum->exclusive = sum->exclusive && more.exclusive;
}

}  // namespace

int account_for(Study& study, const std::string& role, const RunsQueued& queued) {
  const std::string branch = queued.experiment.empty() ? std::string(name(queued.purpose)) : queued.experiment.text();
  // The role that registered an experiment is charged for all its runs, also for those after a look.
  const auto known = std::ranges::find_if(study.accounts, [&](const Account& account) {
    return account.branch == branch && (account.role == role || !queued.experiment.empty());
  });
  if (known != study.accounts.end()) return static_cast<int>(known - study.accounts.begin());
  return account_for(study, role, branch);
}

int account_for(Study& study, const std::string& role, const std::string& branch) {
  for (std::size_t i = 0; i < study.accounts.size(); ++i)
    if (study.accounts[i].role == role && study.accounts[i].branch == branch) return static_cast<int>(i);
  Account& account = study.accounts.emplace_back();
  account.role = role;
  account.branch = branch;
  return static_cast<int>(study.accounts.size()) - 1;
}

void settle(Account& account, const Run& run) {
  // A run that was never launched used nothing.
  if (!run.token.empty()) ++account.runs;
  account.run_seconds += run.outcome.usage.wall_s;
  account.gpu_seconds += run.lease.devices() * run.outcome.usage.wall_s;
  if (const BoxedOptional<Energy>& used = run.outcome.usage.energy)
    add(account.energy, {used->joules(), 1, used->exclusive});
}

Account spent(const Ledger& study) {
  Account sum;
  for (const Account& account : study.accounts) {
    sum.runs += account.runs;
    sum.run_seconds += account.run_seconds;
    sum.gpu_seconds += account.gpu_seconds;
    sum.calls += account.calls;
    sum.tokens += account.tokens;
    sum.usd += account.usd;
    if (account.energy) add(sum.energy, *account.energy);
  }
  return sum;
}

Spending spending_of(const Study& study, Time now) {
  Spending s;
  const Account all = spent(study);
  s.runs = {static_cast<double>(study.live.size()), static_cast<double>(all.runs)};
  const std::int64_t open = study.session_open ? now.boot_ms - study.session_start_ms : 0;
  s.wall_s.spent = static_cast<double>(study.wall_closed_ms + open) / 1000.0;
  s.gpu_hours.spent = all.gpu_seconds / seconds_an_hour;
  s.tokens = {static_cast<double>(study.thinking.tokens_aside), static_cast<double>(all.tokens)};
  s.usd = {study.thinking.usd_aside, all.usd};
  for (const int number : study.live) s.gpu_hours.reserved += most_gpu_hours(study, *study.run(number));
  return s;
}

double most_gpu_hours(const Study& study, const Run& run) {
  const Resources& resources = study.resources_of(run);
  const std::optional<double> time_out = resources.timeout_s ? resources.timeout_s : study.spec.budget.wall_s;
  if (!time_out || resources.gpus == 0) return 0;
  return resources.devices() * (*time_out + most_after_time_out_s) / seconds_an_hour;
}

namespace {

/// Compares amounts with limits, and keeps the first that is exceeded.
struct Judge {
  std::optional<Exceeded> first{};

  /// `next`: the most that the next step may use, if that is known.
  template <typename Most>
  void operator()(Limit limit, const std::optional<Most>& most, const Amount& used, std::optional<double> next = {}) {
    if (first || !most) return;
    const auto at = static_cast<double>(*most);
    // A limit of 0 does not stop a run that uses no device or costs no money.
    if (next ? used.total() + *next > at : used.total() > 0 && used.total() >= at)
      first = Exceeded{limit, used, at, next};
  }
};

std::optional<Exceeded> by_run(const Budget& limits, const Spending& s, std::optional<double> gpu_hours) {
  Judge judge;
  judge(Limit::runs, limits.runs, s.runs, 1);
  judge(Limit::wall, limits.wall_s, s.wall_s);
  judge(Limit::gpu_hours, limits.gpu_hours, s.gpu_hours, gpu_hours);
  judge(Limit::usd, limits.usd, s.usd);
  judge(Limit::tokens, limits.tokens, s.tokens);
  return judge.first;
}

}  // namespace

std::optional<Exceeded> exceeded(const Budget& limits, const Spending& s, const std::optional<CallCost>& call) {
  if (!call) return by_run(limits, s, std::nullopt);
  Judge judge;
  judge(Limit::tokens, limits.tokens, s.tokens, call->tokens);
  judge(Limit::usd, limits.usd, s.usd, call->usd);
  judge(Limit::wall, limits.wall_s, s.wall_s);
  return judge.first;
}

std::optional<Exceeded> exceeded_by(const Run& run, const Study& study, const Budget& limits, const Spending& s) {
  const double hours = most_gpu_hours(study, run);
  return by_run(limits, s, hours > 0 ? std::optional(hours) : std::nullopt);
}

Reason reason_of(const Exceeded& e) {
  Reason reason = {ReasonCode::budget_spent,
                   {{"limit", std::string(name(e.limit))}, {"spent", e.used.spent}, {"most", e.most}}};
  if (e.limit == Limit::wall) reason.code = ReasonCode::budget_wall_spent;
  if (!e.next || e.limit == Limit::runs || e.limit == Limit::wall) return reason;
  reason.code = e.limit == Limit::usd      ? ReasonCode::budget_short_of_usd
                : e.limit == Limit::tokens ? ReasonCode::budget_short_of_tokens
                                           : ReasonCode::budget_short_of_gpu_hours;
  reason.values["spent"] = e.used.total();
  reason.values["next"] = *e.next;
  return reason;
}

std::optional<std::string> limit_of(const Reason& reason) {
  const auto limit = reason.values.find("limit");
  const auto* text = limit == reason.values.end() ? nullptr : std::get_if<std::string>(&limit->second);
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<std::int64_t> runs_left(const Budget& limits, const Study& study) {
  if (!limits.runs) return std::nullopt;
  return *limits.runs - spent(study).runs - static_cast<std::int64_t>(study.live.size());
}

std::int64_t wall_used_at(const WallClock& study, double wall_s) {
  return study.session_start_ms + static_cast<std::int64_t>(wall_s * 1000) - study.wall_closed_ms;
}

std::string limits_text(const Budget& limits) {
  std::string text;
  const auto add = [&](const char* what, double value, const char* unit) {
    text += fmt::format("{}{} {:.6g}{}", text.empty() ? "" : ", ", what, value, unit);
  };
  if (limits.runs) add("runs", static_cast<double>(*limits.runs), "");
  if (limits.wall_s) add("wall", *limits.wall_s, " s");
  if (limits.gpu_hours) add("gpu_hours", *limits.gpu_hours, "");
  if (limits.usd) add("usd", *limits.usd, "");
  if (limits.tokens) add("tokens", static_cast<double>(*limits.tokens), "");
  return text;
}

}  // namespace kernel
