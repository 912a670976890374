#pragma once
// What is asked of the memory of a home, and what it answers. Plain values.

#include <string>

namespace kernel {

struct RecallQuery {
  std::string words;                 ///< Any text: whatever holds one of its words is found, the best first.
  std::string study, kind, verdict;  ///< Only of these; empty: of all.
  int most = 10;
};

/// What it is about is at `address`: a study, or STUDY/ID.
struct Recollection {
  std::string address;
  std::string kind;     ///< study, hypothesis, decision, dead_end, pivot, insight, claim or word (of a person)
  std::string verdict;  ///< Of hypotheses and claims; empty: there is none yet.
  std::string title, text;
};

}  // namespace kernel
