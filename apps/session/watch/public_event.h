#pragma once
// Events as people and programs may see them while a study goes on: without the values of registered runs, which are
// withheld until their experiment is analysed. Pure.

#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "kernel/codec/codec.h"
#include "kernel/domain/event.h"

namespace session {

/// {"study","time","actor","type","payload"}. `registered`: for RunEnded, whether the run is registered.
nlohmann::json event_shape(const kernel::Event&, bool registered);
/// The same with "seq", from the stored bytes. `scratch`: the numbers of the study's runs that are not registered;
/// updated with the events that are shown.
nlohmann::json event_shape(const kernel::StoredEvent&, std::set<int>& scratch);

}  // namespace session
