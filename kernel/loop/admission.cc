#include "kernel/loop/admission.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "kernel/loop/turns.h"
#include "kernel/outlook/time_left.h"
#include "kernel/runs/memory_forecast.h"
#include "kernel/search/code_search.h"
#include "kernel/study/gates.h"
#include "kernel/study/ledger.h"

namespace kernel {

namespace {

constexpr int whole_device = 1000;
/// Runs that start in turn. More would save nothing, and each is recorded again if the kernel is killed.
constexpr int most_ahead = 4;

/// What no run holds of a device.
struct FreeGpu {
  AvailableGpu gpu;
  int share = whole_device;
};

/// Resources that no run holds. CPUs and memory may be negative if runs hold more than the machine has.
struct Free {
  std::int64_t cpus = 0, memory = 0;
  bool memory_counts = false;
  std::vector<FreeGpu> gpus;  ///< Those of which something is free.
};

/// A study with runs that may start if the machine has room.
struct Contender {
  const Study* study = nullptr;
  std::vector<int> runs;  ///< In queue order; taken from the front.
  std::size_t taken = 0;
  Turn turn;
  std::optional<EndedTimes> times;  ///< Only if several studies contend.
  std::string model{};              ///< Of the devices that a run of it was just granted; empty: none was.

  bool done() const { return taken == runs.size(); }
  const Run& next() const { return *study->run(runs[taken]); }
  void expect() {
    if (times && !done()) turn.expected_s = times->expected_s(next());
  }
};

Free free_of(const State& state, const Machine& machine) {
  Free free{machine.cpus, machine.memory_bytes, machine.memory_bytes > 0, {}};
  std::map<std::string, int> held;
  for (const auto& [id, study] : state.studies)
    free.cpus = std::max<std::int64_t>(free.cpus, std::int64_t{study.jobs} * most_cpus(study.spec));
  for (const auto& [id, study] : state.studies)
    for (const int number : study.live) {
      const Lease& lease = study.run(number)->lease;
      free.cpus -= lease.cpus;
      free.memory -= lease.memory_bytes;
      for (const std::string& gpu : lease.gpus) held[gpu] += lease.gpu_share.value_or(whole_device);
    }
  for (const AvailableGpu& gpu : machine.gpus)
    if (const int share = whole_device - held[gpu.id]; share > 0 && !machine.unclean.contains(gpu.id))
      free.gpus.push_back({gpu, share});
  return free;
}

/// The limits before which the study stops: its budget, and those of gates that nobody approved.
std::vector<const Budget*> limits_of(const Study& study) {
  std::vector<const Budget*> limits = {&study.spec.budget};
  for (std::size_t i = 0; i < study.spec.gates.size(); ++i) {
    const GateSpec& gate = study.spec.gates[i];
    if (gate.on != GateOn::spend) continue;
    const bool approved = std::ranges::any_of(study.gates, [&](const GateRecord& record) {
      return record.gate.position == static_cast<int>(i) && record.approved && !record.stale;
    });
    if (!approved) limits.push_back(&gate.above);
  }
  return limits;
}

/// `most`: how many live runs it may have.
Contender contender_of(const Study& study, Time now, int most) {
  Contender c;
  c.study = &study;
  if (study.state != StudyState::running || study.cancelling || study.outcome || study.queue.empty() ||
      study.waiting_gate())
    return c;
  const std::vector<const Budget*> limits = limits_of(study);
  Spending spending = spending_of(study, now);
  std::int64_t room = most - static_cast<std::int64_t>(study.live.size());
  for (const int number : study.queue) {
    if (room <= 0) break;
    const Run& run = *study.run(number);
    const auto stops = [&](const Budget* limit) { return exceeded_by(run, study, *limit, spending).has_value(); };
    if (std::ranges::any_of(limits, stops)) break;
    const auto delayed = study.delayed.find(number);
    if (delayed != study.delayed.end() && delayed->second > now.boot_ms) continue;
    c.runs.push_back(number);
    spending.runs.reserved += 1;
    spending.gpu_hours.reserved += most_gpu_hours(study, run);
    --room;
  }
  for (const int number : study.live) {
    const Lease& lease = study.run(number)->lease;
    c.turn.cpus += lease.cpus;
    c.turn.gpus += lease.gpus.size();
  }
  c.turn.study = study.id;
  c.turn.waiting_since_ms = study.waiting_since_ms;
  const std::int64_t waited_ms = now.boot_ms - study.waiting_since_ms;
  c.turn.aged = waited_ms >= ageing_ms;
  c.turn.urgency = urgency_of(study.priority, waited_ms);
  return c;
}

/// What a run asks for, and the forecasts in it.
struct Needs : Resources {
  std::int64_t forecast_bytes = 0, forecast_gpu_bytes = 0;
  std::string model{};  ///< Of the devices that the study's earlier runs had; empty: any.
  bool mixed = false;   ///< It needs more devices than the machine has of any model.
};

/// What the run gets of a device's memory.
std::int64_t part_of(std::int64_t device_bytes, const Resources& need) {
  return need.gpu_share ? device_bytes / whole_device * *need.gpu_share : device_bytes;
}

/// Whether the model's name has this part, in any case.
bool is_named(const std::string& model, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return !std::ranges::search(model, part, same).empty() || part.empty();
}

bool suits(const AvailableGpu& gpu, const Resources& need) {
  if (!gpu.by_scheduler && !is_named(gpu.model, need.gpu_type)) return false;
  // A program sees only one instance of a divided device.
  if (need.gpus > 1 && gpu.id.starts_with("MIG-")) return false;
  if (need.gpu_share && !gpu.divisible) return false;
  const std::int64_t part = part_of(gpu.memory_bytes, need);
  return !need.gpu_memory_bytes || gpu.memory_bytes == 0 || part >= *need.gpu_memory_bytes;
}

bool suits(const AvailableGpu& gpu, const Needs& need) {
  return (need.model.empty() || gpu.model == need.model) && suits(gpu, static_cast<const Resources&>(need));
}

/// The most of these devices that are of one model and suit; devices of different models do not compare.
std::ptrdiff_t most_of_one_model(const std::vector<AvailableGpu>& gpus, const Resources& need) {
  std::map<std::string, std::ptrdiff_t> number;
  std::ptrdiff_t most = 0;
  for (const AvailableGpu& gpu : gpus)
    if (suits(gpu, need)) most = std::max(most, ++number[gpu.model]);
  return most;
}

/// The devices that suit, as positions in `free`: of one model, that of which most are free; of equals the first. Empty
/// if no model has enough.
std::vector<std::size_t> candidates_for(const Needs& need, const std::vector<FreeGpu>& free) {
  const int share = need.gpu_share.value_or(whole_device);
  std::vector<std::vector<std::size_t>> models;
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (free[i].share < share || !suits(free[i].gpu, need)) continue;
    const auto same = std::ranges::find_if(models, [&](const std::vector<std::size_t>& alike) {
      return need.mixed || free[alike.front()].gpu.model == free[i].gpu.model;
    });
    (same == models.end() ? models.emplace_back() : *same).push_back(i);
  }
  const auto most = std::ranges::max_element(models, {}, &std::vector<std::size_t>::size);
  return most == models.end() || std::ssize(*most) < need.gpus ? std::vector<std::size_t>() : *most;
}

/// The devices that a run with this need would get, as positions in `free`; fewer if they do not suffice. A share goes
/// where least is free, so that whole devices stay whole.
std::vector<std::size_t> devices_of(const Needs& need, const std::vector<FreeGpu>& free,
                                    const std::vector<std::size_t>& candidates) {
  std::vector<std::size_t> devices;
  for (const std::size_t i : candidates) {
    if (std::ssize(devices) < need.gpus)
      devices.push_back(i);
    else if (need.gpu_share && need.gpus == 1 && free[i].share < free[devices[0]].share)
      devices[0] = i;
  }
  return devices;
}

/// Takes a lease from the free resources, if they suffice.
std::optional<Lease> take(const Needs& need, Free& free) {
  const std::int64_t memory = need.memory_bytes.value_or(0);
  if (need.cpus > free.cpus || (free.memory_counts && memory > 0 && memory > free.memory)) return std::nullopt;
  const std::vector<std::size_t> candidates = candidates_for(need, free.gpus);
  const std::vector<std::size_t> devices = devices_of(need, free.gpus, candidates);
  if (std::ssize(devices) < need.gpus) return std::nullopt;
  Lease lease{.cpus = need.cpus, .memory_bytes = memory, .gpus = {}, .gpu_share = need.gpu_share};
  // A scheduler chooses the devices itself.
  if (need.gpus > 0 && candidates.size() > devices.size() && !free.gpus[candidates.front()].gpu.by_scheduler)
    for (const std::size_t i : candidates) lease.candidates.push_back({free.gpus[i].gpu.id, free.gpus[i].share});
  for (const std::size_t i : devices) {
    lease.gpus.push_back(free.gpus[i].gpu.id);
    free.gpus[i].share -= need.gpu_share.value_or(whole_device);
  }
  free.cpus -= lease.cpus;
  free.memory -= memory;
  std::erase_if(free.gpus, [](const FreeGpu& gpu) { return gpu.share == 0; });
  return lease;
}

/// Keeps free resources for a run that lacks some, so that no other run gets them.
void reserve(const Needs& need, Free& free) {
  free.cpus -= need.cpus;
  free.memory -= need.memory_bytes.value_or(0);
  int wanted = need.gpus;
  std::erase_if(free.gpus,
                [&](const FreeGpu& free_gpu) { return wanted > 0 && suits(free_gpu.gpu, need) && wanted-- > 0; });
}

std::int64_t largest_of(const std::vector<AvailableGpu>& gpus) {
  std::int64_t largest = 0;
  for (const AvailableGpu& one : gpus) largest = std::max(largest, one.memory_bytes);
  return largest;
}

std::int64_t largest_free(const Free& free) {
  std::int64_t largest = 0;
  for (const FreeGpu& one : free.gpus) largest = std::max(largest, one.gpu.memory_bytes * one.share / whole_device);
  return largest;
}

/// The model of its devices, of which there are some; empty if this machine does not have them.
std::string model_of(const Lease& lease, const Machine& machine) {
  const auto same = std::ranges::find(machine.gpus, lease.gpus.front(), &AvailableGpu::id);
  return same == machine.gpus.end() ? "" : same->model;
}

/// The model of the devices that an earlier run of the study had, so that treatment and control run on the same; empty
/// if none had one that this machine has.
std::string model_of(const Study& study, const Machine& machine) {
  for (const Run& run : study.runs)
    if (!run.lease.gpus.empty())
      if (std::string model = model_of(run.lease, machine); !model.empty()) return model;
  return "";
}

/// Where the study file names no memory, that of a forecast; a run may always have the whole machine, and the largest
/// device.
Needs with_memory(const Study& study, const Run& run, const Machine& machine) {
  Needs need{study.resources_of(run)};
  const bool gpu = need.gpus > 0 && !need.gpu_memory_bytes;
  if (need.memory_bytes && !gpu) return need;
  const auto forecast = memory_forecast(study, run);
  if (!forecast) return need;
  if (!need.memory_bytes && forecast->bytes > 0) {
    need.memory_bytes = std::min(forecast->bytes, machine.memory_bytes);
    need.forecast_bytes = forecast->bytes;
  }
  if (!gpu || forecast->gpu_bytes == 0) return need;
  need.gpu_memory_bytes = std::min(forecast->gpu_bytes, part_of(largest_of(machine.gpus), need));
  need.forecast_gpu_bytes = forecast->gpu_bytes;
  return need;
}

/// `model`: of the devices that a run of the study was granted just now; empty: none was. Runs that no device of the
/// study's model can have may have any.
Needs needs_of(const Study& study, const Run& run, const Machine& machine, const std::string& model = "") {
  Needs need = with_memory(study, run, machine);
  if (need.gpus == 0) return need;
  need.mixed = most_of_one_model(machine.gpus, need) < need.gpus;
  if (need.mixed) return need;
  need.model = model.empty() ? model_of(study, machine) : model;
  const auto suitable = std::ranges::count_if(machine.gpus, [&](const AvailableGpu& gpu) { return suits(gpu, need); });
  if (suitable < need.gpus) need.model.clear();
  return need;
}

bool has_divisible(const Machine& machine) {
  return std::ranges::any_of(machine.gpus, &AvailableGpu::divisible);
}

bool has_instances(const Machine& machine) {
  return std::ranges::any_of(machine.gpus, [](const AvailableGpu& gpu) { return gpu.id.starts_with("MIG-"); });
}

/// What of its forecast the machine does not have at all, if it is that.
std::optional<MemoryShortage> shortage_of(const Contender& c, const Needs& need, const Machine& machine,
                                          const Free& free) {
  const auto shortage = [&](bool on_device, std::int64_t forecast, std::int64_t left, std::int64_t all) {
    return MemoryShortage{c.study->id, c.next().number, on_device, forecast, std::max<std::int64_t>(left, 0), all};
  };
  if (free.memory_counts && need.forecast_bytes > machine.memory_bytes)
    return shortage(false, need.forecast_bytes, free.memory, machine.memory_bytes);
  const std::int64_t largest = part_of(largest_of(machine.gpus), need);
  if (largest > 0 && need.forecast_gpu_bytes > largest)
    return shortage(true, need.forecast_gpu_bytes, std::min(largest_free(free), largest), largest);
  return std::nullopt;
}

std::string never_fits(const Resources& need, const Machine& machine) {
  if (machine.cpus > 0 && need.cpus > machine.cpus)
    return fmt::format("resources.cpus: {}: this machine has {}", need.cpus, machine.cpus);
  if (machine.memory_bytes > 0 && need.memory_bytes.value_or(0) > machine.memory_bytes)
    return fmt::format("resources.memory: {} bytes: this machine has {}", *need.memory_bytes, machine.memory_bytes);
  const auto suitable = std::ranges::count_if(machine.gpus, [&](const AvailableGpu& gpu) { return suits(gpu, need); });
  if (need.gpus > suitable)
    return fmt::format(
        "resources.gpus: {:g}: this machine has {}{}{}{}", need.devices(), suitable,
        need.gpu_type.empty() ? "" : fmt::format(" of type {}", need.gpu_type),
        need.gpu_memory_bytes
            ? fmt::format(" with at least {:.4g} GB{}", static_cast<double>(*need.gpu_memory_bytes) / 1e9,
                          need.gpu_share ? " in that share" : "")
            : "",
        need.gpu_share && !has_divisible(machine) ? " of which runs may have shares"
        : need.gpus > 1 && has_instances(machine) ? ", without the instances of divided ones, of which a run uses one"
                                                  : "");
  if (!need.node.empty() && !machine.has_nodes)
    return fmt::format("resources.node: {}: this machine is one node; a cluster has several, by --executor slurm",
                       need.node);
  return "";
}

}  // namespace

std::vector<Grant> admit(const State& state, const Machine& machine, Time now, std::vector<MemoryShortage>* shortages) {
  std::vector<Contender> contenders;
  for (const auto& [id, study] : state.studies)
    if (Contender c = contender_of(study, now, study.jobs); !c.done()) contenders.push_back(std::move(c));
  std::vector<Grant> grants;
  if (contenders.empty()) return grants;
  if (contenders.size() > 1)
    for (Contender& c : contenders) {
      c.times.emplace(*c.study);
      c.expect();
    }
  Free free = free_of(state, machine);
  while (!contenders.empty()) {
    const auto first = std::ranges::min_element(contenders, goes_before, &Contender::turn);
    const Needs need = needs_of(*first->study, first->next(), machine, first->model);
    std::optional<Lease> lease = take(need, free);
    if (!lease) {
      if (const auto shortage = shortage_of(*first, need, machine, free); shortage && shortages)
        shortages->push_back(*shortage);
      if (first->turn.aged) reserve(need, free);
      contenders.erase(first);
      continue;
    }
    lease->forecast_bytes = need.forecast_bytes;
    lease->forecast_gpu_bytes = need.forecast_gpu_bytes;
    first->turn.cpus += lease->cpus;
    first->turn.gpus += lease->gpus.size();
    if (!lease->gpus.empty()) first->model = model_of(*lease, machine);
    grants.push_back({first->study->id, first->runs[first->taken++], std::move(*lease)});
    // The study's next run has not waited yet.
    first->turn.aged = false;
    first->turn.urgency = first->study->priority;
    if (first->done())
      contenders.erase(first);
    else
      first->expect();
  }
  return grants;
}

bool may_go_ahead(const State& state, const Machine& machine, const Study& study) {
  if (!machine.starts_in_turn || study.jobs < 2) return false;
  if (study.state != StudyState::running || study.cancelling || study.outcome || study.waiting_gate()) return false;
  return std::ranges::all_of(state.studies, [&](const auto& one) {
    const Study& other = one.second;
    return other.id == study.id || (other.live.empty() && other.queue.empty()) || other.state != StudyState::running;
  });
}

std::vector<Grant> admit_ahead(const State& state, const Machine& machine,
                               const std::function<bool(const Study&, const Run&)>& quick, Time now) {
  std::vector<Grant> grants;
  for (const auto& [id, study] : state.studies) {
    if (std::ssize(study.live) < study.jobs || study.queue.empty() || !may_go_ahead(state, machine, study)) continue;
    const auto leaves_enough = [&](const Needs& need) {
      return std::ranges::all_of(study.live, [&](int number) {
        const Lease& lease = study.run(number)->lease;
        return need.cpus <= lease.cpus && need.memory_bytes.value_or(0) <= lease.memory_bytes;
      });
    };
    for (const int number : contender_of(study, now, study.jobs + std::min(study.jobs, most_ahead)).runs) {
      const Run& run = *study.run(number);
      if (!quick(study, run)) break;
      const Needs need = needs_of(study, run, machine);
      if (need.gpus > 0 || !leaves_enough(need)) break;
      Lease lease{.cpus = need.cpus, .memory_bytes = need.memory_bytes.value_or(0), .gpus = {}, .gpu_share = {}};
      lease.forecast_bytes = need.forecast_bytes;
      grants.push_back({id, number, std::move(lease)});
    }
  }
  return grants;
}

std::vector<std::string> studies_without_devices(const State& state, const Machine& machine, Time now) {
  Machine clean = machine;
  clean.unclean.clear();
  std::vector<std::string> without;
  for (const auto& [id, study] : state.studies) {
    const Contender c = contender_of(study, now, study.jobs);
    if (c.done() || !study.live.empty()) continue;
    const Needs need = needs_of(study, c.next(), machine);
    Free free = free_of(state, machine), all = free_of(state, clean);
    if (need.gpus > 0 && !take(need, free) && take(need, all)) without.push_back(id);
  }
  return without;
}

int most_cpus(const StudySpec& spec) {
  int most = spec.resources.cpus;
  for (const StageSpec& stage : spec.stages) most = std::max(most, stage.resources.cpus);
  return most;
}

std::string never_fits(const StudySpec& spec, const Machine& machine) {
  std::string why = never_fits(spec.resources, machine);
  for (const StageSpec& stage : spec.stages)
    if (why.empty())
      if (why = never_fits(stage.resources, machine); !why.empty()) why = "stages." + stage.name + "." + why;
  return why;
}

std::optional<std::int64_t> next_retry_ms(const State& state, Time now) {
  std::optional<std::int64_t> next;
  const auto consider = [&](std::optional<std::int64_t> at) {
    if (at && *at > now.boot_ms && (!next || *at < *next)) next = at;
  };
  for (const auto& [id, study] : state.studies) {
    if (study.state != StudyState::running) continue;
    for (const auto& [number, at] : study.delayed) consider(at);
    if (study.phase() == Phase::searching) consider(code_until(study));
    for (const GateRecord& record : study.gates)
      if (!record.decided) consider(waits_until(study, record));
  }
  return next;
}

}  // namespace kernel
