#include "memory/log/database.h"

#include <cerrno>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

namespace memory {

namespace {

constexpr int patience_ms = 10'000;

std::string remedy(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "make room on that disk, then `etude resume`";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "restore it from a backup, or move it away to start anew; `etude verify` says what can still be read";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds it: end that, then try again";
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return "check its permissions, or choose another home with --home";
    case SQLITE_IOERR:
      return "check the disk and the room on it, then `etude resume`";
    default:
      return "";
  }
}

/// For a URI: escapes all but plain characters.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%25" : c == '?' ? "%3F" : c == '#' ? "%23" : std::string(1, c);
  return out;
}

}  // namespace

std::string sqlite_version() {
  return sqlite3_libversion();
}

void StatementCloser::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Query::Query(Database& database, const std::string& sql, StatementHandle statement)
    : database_(&database), sql_(sql), statement_(std::move(statement)) {}

Query::~Query() {
  if (!statement_) return;
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  database_->idle_.try_emplace(sql_, std::move(statement_));
}

bool Query::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_->fail(code);
  return code == SQLITE_ROW;
}

std::int64_t Query::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Query::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::string_view Query::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes ? std::string_view(reinterpret_cast<const char*>(bytes), length) : std::string_view();
}
bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
int Query::columns() const {
  return sqlite3_column_count(statement_.get());
}

void Query::check(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}
void Query::bind_one(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), index, value));
}
void Query::bind_one(int index, double value) {
  check(sqlite3_bind_double(statement_.get(), index, value));
}
void Query::bind_one(int index, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), index, value.data() ? value.data() : "", value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
}
void Query::bind_one(int index, BlobValue value) {
  check(sqlite3_bind_blob64(statement_.get(), index, value.view.data() ? value.view.data() : "", value.view.size(),
                            SQLITE_STATIC));
}
void Query::bind_one(int index, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), index));
}

Database::Database(std::string path, Access access) : path_(std::move(path)) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE;
  std::string name = path_;
  if (access == Access::write) {
    // SQLite gives its journal the permissions of the database, so a database created private stays private. An
    // existing file must not be opened here: closing it would drop the locks of this process's other connections.
    const Fd fd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd && errno != EEXIST) throw fault_of_errno(path_, "created");
    if (::chmod(path_.c_str(), 0600) != 0) throw fault_of_errno(path_, "made private");
    flags |= SQLITE_OPEN_READWRITE;
  } else if (access == Access::memory) {
    name = ":memory:";
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
  } else {
    flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    name = "file:" + escaped(path_) + (access == Access::immutable ? "?immutable=1" : "");
  }
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_busy_timeout(handle_, patience_ms);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() {
  idle_.clear();
  sqlite3_close(handle_);
}

void Database::fail(int code) const {
  const int kind = code & 0xff;
  const bool damage = kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB;
  // For its own files SQLite only says that they cannot be written.
  const bool own_file = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
  const bool full = kind == SQLITE_FULL || (own_file && handle_ && is_full(sqlite3_system_errno(handle_)));
  std::string why = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  if (kind == SQLITE_NOTADB) why = "is no etude store";
  if (kind == SQLITE_CORRUPT) why = "is damaged (" + why + ")";
  throw StoreFault(path_, why, remedy(full ? SQLITE_FULL : code), damage, full ? why : "");
}

Query Database::prepared(const std::string& sql) {
  if (auto it = idle_.find(sql); it != idle_.end()) {
    StatementHandle statement = std::move(it->second);
    idle_.erase(it);
    return Query(*this, sql, std::move(statement));
  }
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return Query(*this, sql, StatementHandle(statement));
}

void Database::run_script(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const std::string& sql) {
  Query q = query(sql);
  return q.step() ? q.integer(0) : 0;
}

void Database::copy_to(const std::string& path) {
  Database copy(path, Access::write);
  copy.run_script("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
  // One step copies everything; otherwise a writer's commit would restart the backup.
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle_, "main", handle_, "main");
  if (!backup) copy.fail(sqlite3_errcode(copy.handle_));
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) copy.fail(code);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const StoreFault&) {
    // On a full disk SQLite rolls back by itself, and there is nothing left to undo.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace memory
