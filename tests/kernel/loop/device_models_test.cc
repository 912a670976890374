// Devices of several models: a study keeps to one, and what it chose from is recorded.
#include <catch2/catch.hpp>

#include "kernel/codec/json_types.h"
#include "kernel/loop/admission.h"
#include "tests/kernel/loop/waiting_study.h"

using kernel::Grant;
using kernel::Machine;

namespace {

/// Four devices of two models.
Machine two_models() {
  Machine machine{64, 0, {}, {}};
  machine.gpus = {{"GPU-a", 0, true, "NVIDIA A100-SXM4-40GB"},
                  {"GPU-h", 0, true, "NVIDIA H100 80GB HBM3"},
                  {"GPU-b", 0, true, "NVIDIA A100-SXM4-40GB"},
                  {"GPU-i", 0, true, "NVIDIA H100 80GB HBM3"}};
  return machine;
}

/// All of its runs may go at once.
kernel::Study& waiting_study(kernel::State& state, const std::string& id, int runs, const kernel::Resources& need) {
  return test::waiting_study(state, id, runs, runs, need);
}

void start_all(kernel::State& state, const std::vector<Grant>& grants) {
  for (const Grant& grant : grants) {
    kernel::Study& study = state.studies.at(grant.study);
    std::erase(study.queue, grant.run);
    study.live.insert(grant.run);
    study.runs[static_cast<std::size_t>(grant.run - 1)].lease = grant.lease;
  }
}

std::vector<std::string> devices_given(const std::vector<Grant>& grants, const std::string& study) {
  std::vector<std::string> ids;
  for (const Grant& grant : grants)
    if (grant.study == study) ids.insert(ids.end(), grant.lease.gpus.begin(), grant.lease.gpus.end());
  return ids;
}

kernel::Resources asking_for(int gpus, const std::string& type = "") {
  kernel::Resources need;
  need.gpus = gpus;
  need.gpu_type = type;
  return need;
}

}  // namespace

TEST_CASE("all runs of a study get devices of one model, also those that start later") {
  kernel::State state;
  kernel::Study& study = waiting_study(state, "s1", 4, asking_for(1));
  const std::vector<Grant> first = kernel::admit(state, two_models(), {});
  CHECK(devices_given(first, "s1") == std::vector<std::string>{"GPU-a", "GPU-b"});
  start_all(state, first);
  CHECK(kernel::admit(state, two_models(), {}).empty());
  // Another study takes the other model, and when it is free again, the first does not go there.
  waiting_study(state, "s2", 1, asking_for(2));
  const std::vector<Grant> other = kernel::admit(state, two_models(), {});
  CHECK(devices_given(other, "s2") == std::vector<std::string>{"GPU-h", "GPU-i"});
  study.live.clear();
  CHECK(devices_given(kernel::admit(state, two_models(), {}), "s1") == std::vector<std::string>{"GPU-a", "GPU-b"});
}

TEST_CASE("a stage that no device of the study's model can have gets another, and no run waits forever") {
  Machine machine{64, 0, {}, {}};
  machine.gpus = {{"GPU-t", 16, true, "T4"}, {"GPU-h", 80, true, "H100"}, {"GPU-i", 80, true, "H100"}};
  for (const bool memory : {false, true}) {
    kernel::State state;
    kernel::Study& study = waiting_study(state, "s1", 2, asking_for(1, "T4"));
    kernel::Resources train = asking_for(memory ? 1 : 2);
    if (memory) train.gpu_memory_bytes = 60;
    study.spec.stages.push_back({});
    study.spec.stages.back().name = "train";
    study.spec.stages.back().resources = train;
    study.runs[1].stage = "train";
    const std::vector<Grant> both = kernel::admit(state, machine, {});
    REQUIRE(both.size() == 2);
    CHECK(both[0].lease.gpus == std::vector<std::string>{"GPU-t"});
    CHECK(both[1].lease.gpus.front() == "GPU-h");
    CHECK(both[1].lease.gpus.size() == (memory ? 1u : 2u));
  }
}

TEST_CASE("a study begins on the model of which most devices are free, and keeps it if its first device is gone") {
  Machine machine{64, 0, {}, {}};
  machine.gpus = {{"GPU-t", 0, true, "T4"}, {"GPU-h", 0, true, "H100"}, {"GPU-i", 0, true, "H100"}};
  kernel::State state;
  kernel::Study& study = waiting_study(state, "s1", 3, asking_for(1));
  std::vector<Grant> grants = kernel::admit(state, machine, {});
  CHECK(devices_given(grants, "s1") == std::vector<std::string>{"GPU-h", "GPU-i"});
  start_all(state, grants);
  study.live.clear();
  machine.gpus = {{"GPU-t", 0, true, "T4"}, {"GPU-u", 0, true, "T4"}, {"GPU-i", 0, true, "H100"}};
  CHECK(devices_given(kernel::admit(state, machine, {}), "s1") == std::vector<std::string>{"GPU-i"});
}

TEST_CASE("a type is a part of the model's name, in any case, and one that is not there is said beforehand") {
  kernel::State state;
  waiting_study(state, "s1", 1, asking_for(2, "h100"));
  CHECK(devices_given(kernel::admit(state, two_models(), {}), "s1") == std::vector<std::string>{"GPU-h", "GPU-i"});
  kernel::StudySpec spec;
  spec.resources = asking_for(1, "B200");
  CHECK(kernel::never_fits(spec, two_models()) == "resources.gpus: 1: this machine has 0 of type B200");
  spec.resources = asking_for(2, "a100");
  CHECK(kernel::never_fits(spec, two_models()).empty());
  // A cluster's scheduler looks for the type itself.
  Machine cluster{64, 0, {}, {}};
  cluster.gpus = {{"slurm:0", 0, false, "", true}};
  spec.resources = asking_for(1, "a100");
  CHECK(kernel::never_fits(spec, cluster).empty());
}

TEST_CASE("a run that needs more devices than there are of any model gets several models") {
  kernel::State state;
  waiting_study(state, "s1", 1, asking_for(3));
  CHECK(devices_given(kernel::admit(state, two_models(), {}), "s1") ==
        std::vector<std::string>{"GPU-a", "GPU-h", "GPU-b"});
}

TEST_CASE("a lease names what it was chosen from, if there was a choice") {
  kernel::State state;
  kernel::Resources share = asking_for(1);
  share.gpu_share = 250;
  waiting_study(state, "s1", 1, asking_for(1));
  waiting_study(state, "s2", 2, share);
  std::vector<Grant> grants = kernel::admit(state, two_models(), {});
  REQUIRE(grants.size() == 3);
  for (const Grant& grant : grants)
    if (grant.study == "s1") {
      REQUIRE(grant.lease.candidates.size() == 2);
      CHECK(grant.lease.candidates[0].id == "GPU-a");
      CHECK(grant.lease.candidates[1].free == 1000);
      CHECK(nlohmann::json(grant.lease).at("candidates").at(1) == nlohmann::json{{"id", "GPU-b"}, {"free", 1000}});
    }
  const Grant& last = grants.back();
  CHECK(last.study == "s2");
  // The device that the other run has a share of has least free.
  CHECK(last.lease.gpus == devices_given({grants[1]}, "s2"));
  // A scheduler's devices are no choice of this kernel.
  Machine cluster{64, 0, {}, {}};
  cluster.gpus = {{"slurm:0", 0, false, "", true}, {"slurm:1", 0, false, "", true}};
  kernel::State remote;
  waiting_study(remote, "s1", 1, asking_for(1));
  CHECK(kernel::admit(remote, cluster, {}).at(0).lease.candidates.empty());
  kernel::State lone;
  waiting_study(lone, "s1", 1, asking_for(4));
  grants = kernel::admit(lone, two_models(), {});
  REQUIRE(grants.size() == 1);
  CHECK(grants[0].lease.candidates.empty());
  CHECK_FALSE(nlohmann::json(grants[0].lease).contains("candidates"));
}
