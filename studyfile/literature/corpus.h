#pragma once
// `corpus` and `references`: what agents may read, and the works that they may cite.

#include "studyfile/draft/draft.h"

namespace studyfile {

void read_corpus(const Value&, Draft&);
void read_references(const Value&, Draft&);

}  // namespace studyfile
