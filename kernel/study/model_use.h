#pragma once
// How much each model was used in each role, what its replies state of their origin, whether another model answered
// than the one that was asked, and whether a provider states too few tokens. Pure; part of the ledger's fold.

#include <string>
#include <string_view>
#include <vector>

#include "kernel/study/state.h"

namespace kernel {

/// The entry of the model in the role; added if there is none.
ModelUse& model_use(Ledger&, const std::string& role, const std::string& model);
/// Charges an ended call. After 64 kinds of answers a new one is counted without its fingerprint.
void settle(ModelUse&, const ModelCall&, const CallEnd&);

/// One for each model whose provider states fewer tokens than the texts of its calls can be, in the order of first use.
std::vector<Reason> understated_uses(const Ledger&);

/// True if a reply of the study states its origin, which older logs do not record.
bool states_origins(const Ledger&);

/// True if `answered` is the asked model: the same name, apart from capitals, the vendor's name before a slash,
/// `latest` and a date or a version of three digits at the end (`gpt-x` and `gpt-x-2026-01-01`).
bool is_same_model(std::string_view asked, std::string_view answered);

/// Another model than the one that was asked.
struct OtherModel {
  std::string asked, answered;  ///< By the provider's names.
  std::int64_t calls = 0;       ///< Number of replies of the other model.
  std::int64_t of = 0;          ///< Number of all replies to requests for the asked model.
};
/// Over all roles, in the order of the first replies. Replies that state no model are none of another one.
std::vector<OtherModel> other_models(const Ledger&);

}  // namespace kernel
