#pragma once
// Turns reasons into sentences for people, in one version of the wording. A version never changes, because an artifact
// names the version of its pages. Pure; any thread.

#include <string>
#include <vector>

#include "kernel/domain/records.h"

namespace kernel {

/// Precondition: the wording exists.
std::string sentence(const Reason&, int wording);
std::vector<std::string> sentences(const std::vector<Reason>&, int wording);
/// In the newest wording, for live views. Pages of an artifact use the wording of their study (Study::wording).
std::string newest_words(const Reason&);
std::vector<std::string> newest_words(const std::vector<Reason>&);
/// Makes the reason the node's title or a field of it, in the newest wording.
void state_text(Node&, const std::string& field, Reason);
/// Puts the texts that the kernel stated in this wording.
void put_in_words(Node&, int wording);

}  // namespace kernel
