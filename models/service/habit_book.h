#pragma once
// The habits of all models that were asked, kept in a file of the home, so that no later program learns them again. A
// file that cannot be read counts as empty, one that cannot be written is left as it is: what it holds can be learnt
// anew. Thread-safe.

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "models/habits.h"
#include "models/http.h"

namespace models {

class HabitBook {
 public:
  /// `file`: empty for a book that is not kept.
  explicit HabitBook(std::string file = "");

  /// `key`: `habit_key`.
  Habits of(const std::string& key) const;
  /// Changes the habits under the key, and writes them if they are different.
  void change(const std::string& key, const std::function<void(Habits&)>& change);

 private:
  void write() const;

  const std::string file_;
  mutable std::mutex mutex_;
  std::map<std::string, Habits> all_;  ///< Guarded by `mutex_`.
};

/// A model at its provider: the address without query, and the provider's name of the model.
std::string habit_key(const Endpoint&, const std::string& model);

}  // namespace models
