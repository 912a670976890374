#pragma once
// A way to HOME/etude.db that only reads, wherever the home lies: beside a writing kernel, on a read-only disk, or as a
// copy that was taken of a living home. Writes nothing into a home that is not writable.

#include <memory>
#include <optional>
#include <string>

#include "base/scratch_folder.h"
#include "memory/log/database.h"

namespace memory {

class ReadConnection {
 public:
  /// Which schemas are welcome: the read models of older ones are not what this program knows.
  enum class Stores { current, older_too };

  /// Throws StoreFault for a file that is no store of ours, and for stores that are not welcome.
  explicit ReadConnection(const std::string& home, Stores = Stores::current);
  ReadConnection(const ReadConnection&) = delete;
  ReadConnection& operator=(const ReadConnection&) = delete;

  /// Null where there is no store yet.
  Database* database() const { return database_.get(); }

 private:
  void open(const std::string& path);
  void open_copy(const std::string& path);

  std::optional<kernel::ScratchFolder> copy_;  ///< None: none was needed.
  std::unique_ptr<Database> database_;
};

}  // namespace memory
