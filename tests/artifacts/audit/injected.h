#pragma once
// Faults put into an artifact that has none, by a seed: what the audit must find without a model.

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "artifacts/read/model.h"
#include "tests/artifacts/samples/scratch.h"

/// An artifact to be spoilt: its folder, and what it says.
class Ground {
 public:
  Ground(const Scratch& scratch, std::mt19937& random);

  const artifacts::Artifact& said() const { return artifact_; }
  std::size_t pick(std::size_t n) const { return random_() % n; }
  const std::string& pick(const std::vector<std::string>& list) const { return list[pick(list.size())]; }

  /// A claim: a supported one, where there is one and `supported` asks for it; null where there is none.
  const artifacts::Block* claim(bool supported) const;
  /// An id of that kind that nothing has.
  std::string unused(char kind) const;
  /// Writes the field anew; an empty `text` with `gone` leaves it out.
  void field(const artifacts::Block& claim, std::string_view name, const std::string& text, bool gone = false) const;
  void heading(const artifacts::Block& claim, const std::string& title) const;
  void write(const std::string& file, const std::string& text) const { scratch_.write(file, text); }
  void append(const std::string& file, const std::string& text) const { scratch_.append(file, text); }
  std::string text(const std::string& file) const { return scratch_.text(file); }

 private:
  const Scratch& scratch_;
  std::mt19937& random_;
  artifacts::Artifact artifact_;
};

struct Fault {
  std::string name;
  std::size_t needed;              ///< Of a hundred injections.
  std::vector<std::string> rules;  ///< One of them must say what it did not say before.
  /// What was done, in words; empty: this artifact has no place for it.
  std::function<std::string(const Ground&)> inject;
};

const std::vector<Fault>& faults();
