#pragma once
// A read-only connection to HOME/etude.db that works during writes, on a read-only disk, and on a copy of a home in
// use. Writes nothing into a home that is not writable.

#include <memory>
#include <optional>
#include <string>

#include "base/scratch_folder.h"
#include "memory/log/database.h"

namespace memory {

class ReadConnection {
 public:
  /// Which schemas are accepted; older read models have another form.
  enum class Stores { current, older_too };

  /// Throws StoreFault for a file that is no store of etude, and for a schema that is not accepted.
  explicit ReadConnection(const std::string& home, Stores = Stores::current);
  ReadConnection(const ReadConnection&) = delete;
  ReadConnection& operator=(const ReadConnection&) = delete;

  /// Null if there is no store yet.
  Database* database() const { return database_.get(); }

 private:
  void open(const std::string& path);
  void open_copy(const std::string& path);

  std::optional<kernel::ScratchFolder> copy_;  ///< Only if a copy was needed.
  std::unique_ptr<Database> database_;
};

/// Whether the home has a store with the schema of an older etude. Throws StoreFault.
bool has_older_store(const std::string& home);

}  // namespace memory
