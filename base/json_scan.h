#pragma once
// Reads one JSON text from left to right without building a tree: a job's metrics may have a million lines. It also
// takes NaN, Infinity and -Infinity, which Python's json writes. Borrows the text; knows nothing of metrics.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernel {

/// After the first malformed byte `failed()` stays true and every further call does nothing.
class JsonScan {
 public:
  enum class Kind { object, array, string, number, boolean, null, nothing };

  explicit JsonScan(std::string_view text) : text_(text) {}

  /// The kind of the next value, by its first character; `nothing` at the end or where no value can start.
  Kind peek();
  /// Enters the object or array that is next.
  void enter();
  /// In an object: the next member's key, read past its colon. False when the object is closed, or after a failure.
  bool next_key(std::string& key);
  /// In an array: whether another element follows. False when the array is closed, or after a failure.
  bool next_element();

  /// A number. Beyond the range of a double it becomes an infinity or zero, as in Python.
  double number();
  /// The number as an integer, if it is one that fits.
  std::optional<std::int64_t> integer();
  /// The characters of the number as written.
  std::string_view number_text();
  std::string string();
  bool boolean();
  /// Skips any value, nested up to 200 deep.
  void skip();
  /// Whether only white space is left.
  bool at_end();

  bool failed() const { return failed_; }
  std::size_t position() const { return at_; }

 private:
  void space();
  bool next(char close);
  bool take(char c);
  bool take_word(std::string_view word);
  void read_string(std::string* out);
  bool read_escape(std::string* out);
  std::optional<unsigned> four_hex();

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_ = false;  ///< Just entered: no comma is due before the next member or element.
  bool failed_ = false;
};

}  // namespace kernel
