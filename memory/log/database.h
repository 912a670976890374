#pragma once
// A thin layer over SQLite: connections, statements and transactions that close themselves; errors are StoreFaults that
// name the file and the remedy. The only place that includes sqlite3.h. One thread at a time per connection.

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "memory/files/file.h"

struct sqlite3;
struct sqlite3_stmt;

namespace memory {

/// The version of the library in use: "3.40.1".
std::string sqlite_version();

struct StatementCloser {
  void operator()(sqlite3_stmt*) const;
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, StatementCloser>;

class Database;

/// Bound as a blob, not as text. Borrowed until the statement is done.
struct BlobValue {
  std::string_view view;
};

/// One use of a prepared statement; its destructor returns it to the database, which it borrows. Texts are copied when
/// bound, and returned as views that live until the next `step`.
class Query {
 public:
  Query(Database& database, const std::string& sql, StatementHandle statement);
  Query(Query&&) = default;
  ~Query();

  /// Returns whether there is a row.
  bool step();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  bool is_null(int column) const;
  int columns() const;

 private:
  friend class Database;

  template <typename... Values>
  void bind(const Values&... values) {
    int index = 0;
    (bind_one(++index, values), ...);
  }
  void bind_one(int index, std::int64_t value);
  template <std::integral T>
  void bind_one(int index, T value) {
    bind_one(index, static_cast<std::int64_t>(value));
  }
  void bind_one(int index, double value);
  void bind_one(int index, std::string_view value);
  void bind_one(int index, BlobValue value);
  void bind_one(int index, std::nullptr_t);
  template <typename T>
  void bind_one(int index, const std::optional<T>& value) {
    if (value)
      bind_one(index, *value);
    else
      bind_one(index, nullptr);
  }
  void check(int code) const;

  Database* database_;
  std::string sql_;
  StatementHandle statement_;
};

class Database {
 public:
  enum class Access {
    write,      ///< Creates the file (0600) if it does not exist.
    read,       ///< May use a writer's shared memory.
    immutable,  ///< For a file that nothing writes to; needs no other file.
    memory,     ///< A database in memory; the path is only a name for messages.
  };

  Database(std::string path, Access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// A statement that is prepared once and kept, with these values.
  template <typename... Values>
  Query query(const std::string& sql, const Values&... values) {
    Query q = prepared(sql);
    q.bind(values...);
    return q;
  }
  /// Runs one statement with values to its end.
  template <typename... Values>
  void run(const std::string& sql, const Values&... values) {
    for (Query q = query(sql, values...); q.step();) continue;
  }
  /// Runs any number of statements without keeping them.
  void run_script(const std::string& sql);
  std::int64_t integer(const std::string& sql);
  /// Copies a consistent snapshot into a fresh file, without flushing it; writers may go on.
  void copy_to(const std::string& path);

  const std::string& path() const { return path_; }

 private:
  friend class Query;
  Query prepared(const std::string& sql);
  [[noreturn]] void fail(int code) const;

  const std::string path_;
  sqlite3* handle_ = nullptr;
  std::map<std::string, StatementHandle> idle_;
};

/// Rolls back unless committed.
class Transaction {
 public:
  enum class Kind { write, read };
  Transaction(Database&, Kind);
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace memory
