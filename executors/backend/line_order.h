#pragma once
// In which order the lines of a job's two streams came, and both streams as one text in that order. A line stands where
// it ended, so that nothing cuts it. Pure functions of texts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace executors {

/// The beginning of each line of a merged text, by the line's stream.
inline constexpr std::string_view out_prefix = "out: ", err_prefix = "err: ";

/// A line ends with a newline, or with a carriage return that none follows. What follows the last end is a line, too.
std::size_t count_lines(std::string_view text);

class LineOrder {
 public:
  using Moment = std::pair<std::size_t, std::size_t>;  ///< So many bytes of stdout and of stderr.

  /// So many further lines are of stdout, or of stderr.
  void add_out(std::uint64_t lines) { add(0, lines); }
  void add_err(std::uint64_t lines) { add(1, lines); }
  /// What follows is another's.
  void append(const LineOrder&);

  /// The lines of both texts that are complete at one or more moments: positions in the texts, in order. A carriage
  /// return ends a line once the next byte is there.
  static LineOrder at_moments(std::string_view out, std::string_view err, const std::vector<Moment>& moments);
  /// Adds the lines that are not in the order yet: those of stdout, then those of stderr.
  void add_rest(std::string_view out, std::string_view err);

  /// Numbers of lines with spaces between: of stdout, of stderr and so on in turn.
  std::string text() const;
  static std::optional<LineOrder> parse(std::string_view);

  /// True if it is of all lines of these texts.
  bool fits(std::string_view out, std::string_view err) const;
  /// The lines of the order, each with its prefix and a newline. None if the texts have fewer lines.
  std::optional<std::string> merged(std::string_view out, std::string_view err) const;

 private:
  void add(std::size_t stream, std::uint64_t lines);

  std::vector<std::uint64_t> turns_;  ///< Those with an even place are of stdout.
};

}  // namespace executors
