#pragma once
// The JSON that users' scripts read: `study`, `hypothesis`, `run`, `graph` and a search, made from the state. The
// command line, the read models and the HTTP API use it.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "kernel/study/state.h"

namespace kernel {

/// `head` is the study's chain hash; once the study is packaged, it is the hash in its artifact. The ledger's wall time
/// is that of the last event.
nlohmann::json study_shape(const Study&, const std::string& head);
nlohmann::json ledger_shape(const Study&);
/// {"cpu_s","wall_s","rss_peak_bytes","read_bytes","written_bytes","others_cpus":null|number,"machine":null|
/// {"others_cpus","used_cpus","cpus"},"energy":null|{"joules","source","counters",
/// "exclusive","window":[from,to]},"gpu":null|{"utilisation_mean","utilisation_max","memory_peak_bytes","samples"}}
nlohmann::json usage_shape(const Usage&);
/// Results are null until the experiment has been analysed.
nlohmann::json hypothesis_shape(const HypothesisRecord&, const Study&);
nlohmann::json run_shape(const Study&, const Run&);
/// {"nodes":[{"id","type","title","parents":[]}]}
nlohmann::json graph_shape(const Exploration&);
/// The plan of a search: design, resolution, generators, aliases, rungs, confirmation and rule.
nlohmann::json search_plan_shape(const SearchPlan&, int wording);
/// The plan's shape with its hash, every ranked rung and, of a search over code, rounds, steps and versions without
/// measured values; null if there is no search.
nlohmann::json search_shape(const Study&);

}  // namespace kernel
