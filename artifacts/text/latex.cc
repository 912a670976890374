#include "artifacts/text/latex.h"

#include <algorithm>
#include <map>
#include <vector>

#include <cmark-gfm.h>
#include <fmt/format.h>

#include "artifacts/text/parsed_markdown.h"
#include "artifacts/text/untrusted_text.h"
#include "embedded/templates.h"

namespace artifacts {
namespace {

constexpr std::size_t longest_unbroken = 16;  ///< Characters of a word in code, until it may be broken.
constexpr std::size_t longest_word = 32;      ///< The same in text.

/// What stands for a character of ASCII; empty if it stands for itself.
std::string_view ascii_word(char32_t c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    case '$':
      return "\\$";
    case '%':
      return "\\%";
    case '#':
      return "\\#";
    case '&':
      return "\\&";
    case '_':
      return "\\_";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '"':
      return "\\textquotedbl{}";
    case '`':
      return "\\textasciigrave{}";
    // Behind a line's end these would belong to its command.
    case '[':
      return "{[}";
    case ']':
      return "{]}";
    case '*':
      return "{*}";
    default:
      return "";
  }
}

const std::map<char32_t, std::string_view>& known_characters() {
  static const std::map<char32_t, std::string_view> known = {
      {0xa0, "~"},
      {0xb0, "\\textdegree{}"},
      {0xb1, "\\textpm{}"},
      {0xb2, "\\texttwosuperior{}"},
      {0xb3, "\\textthreesuperior{}"},
      {0xb5, "\\textmu{}"},
      {0xb7, "\\textperiodcentered{}"},
      {0xd7, "\\texttimes{}"},
      {0xf7, "\\textdiv{}"},
      {0x2009, "\\,"},
      {0x2010, "-"},
      {0x2011, "-"},
      {0x2013, "\\textendash{}"},
      {0x2014, "\\textemdash{}"},
      {0x2018, "\\textquoteleft{}"},
      {0x2019, "\\textquoteright{}"},
      {0x201c, "\\textquotedblleft{}"},
      {0x201d, "\\textquotedblright{}"},
      {0x2026, "\\textellipsis{}"},
      {0x202f, "\\,"},
      {0x2190, "\\ensuremath{\\leftarrow}"},
      {0x2192, "\\ensuremath{\\rightarrow}"},
      {0x2212, "\\ensuremath{-}"},
      {0x221a, "\\ensuremath{\\surd}"},
      {0x221e, "\\ensuremath{\\infty}"},
      {0x2248, "\\ensuremath{\\approx}"},
      {0x2260, "\\ensuremath{\\neq}"},
      {0x2264, "\\ensuremath{\\leq}"},
      {0x2265, "\\ensuremath{\\geq}"},
      {0x3b1, "\\ensuremath{\\alpha}"},
      {0x3b2, "\\ensuremath{\\beta}"},
      {0x3b3, "\\ensuremath{\\gamma}"},
      {0x3b4, "\\ensuremath{\\delta}"},
      {0x3b5, "\\ensuremath{\\varepsilon}"},
      {0x3b7, "\\ensuremath{\\eta}"},
      {0x3b8, "\\ensuremath{\\theta}"},
      {0x3ba, "\\ensuremath{\\kappa}"},
      {0x3bb, "\\ensuremath{\\lambda}"},
      {0x3bc, "\\ensuremath{\\mu}"},
      {0x3c0, "\\ensuremath{\\pi}"},
      {0x3c1, "\\ensuremath{\\rho}"},
      {0x3c3, "\\ensuremath{\\sigma}"},
      {0x3c4, "\\ensuremath{\\tau}"},
      {0x3c6, "\\ensuremath{\\varphi}"},
      {0x3c7, "\\ensuremath{\\chi}"},
      {0x3c9, "\\ensuremath{\\omega}"},
      {0x394, "\\ensuremath{\\Delta}"},
      {0x3a3, "\\ensuremath{\\Sigma}"},
      {0x3a9, "\\ensuremath{\\Omega}"},
  };
  return known;
}

/// The letters of Latin-1 and of Latin Extended-A that the encoding T1 has.
bool is_latin_letter(char32_t c) {
  constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0xc0, 0xd6},   {0xd8, 0xf6},   {0xf8, 0xff},   {0x102, 0x107}, {0x10c, 0x111}, {0x118, 0x11b},
      {0x11e, 0x11f}, {0x130, 0x131}, {0x139, 0x13a}, {0x13d, 0x13e}, {0x141, 0x144}, {0x147, 0x148},
      {0x150, 0x155}, {0x158, 0x15b}, {0x15e, 0x165}, {0x16e, 0x171}, {0x178, 0x17e}};
  return std::ranges::any_of(ranges, [&](const auto& range) { return range.first <= c && c <= range.second; });
}

struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

/// The next character of valid UTF-8.
Character taken(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  Character c{lead, text.substr(0, length)};
  if (length > 1) {
    c.code = lead & (0xffu >> (length + 1));
    for (const char byte : c.bytes.substr(1)) c.code = (c.code << 6) | (static_cast<unsigned char>(byte) & 0x3fu);
  }
  text.remove_prefix(c.bytes.size());
  return c;
}

std::string word_of(const Character& c) {
  if (c.code < 0x80) {
    const std::string_view word = ascii_word(c.code);
    return std::string(word.empty() ? c.bytes : word);
  }
  const auto known = known_characters().find(c.code);
  if (known != known_characters().end()) return std::string(known->second);
  if (is_latin_letter(c.code)) return std::string(c.bytes);
  return fmt::format("{{[}}U+{:04X}{{]}}", static_cast<std::uint32_t>(c.code));
}

/// Characters that make a ligature with themselves.
constexpr std::string_view joining = "-',<>";

template <typename Between>
std::string escaped(std::string_view bytes, Between between) {
  const std::string valid = clean(bytes).text;
  std::string out;
  char32_t before = 0;
  for (std::string_view rest = valid; !rest.empty();) {
    Character c = taken(rest);
    if (c.code < 0x20 || c.code == 0x7f) c = {' ', " "};
    if (c.code == before && c.code < 0x80 && joining.find(static_cast<char>(c.code)) != joining.npos) out += "{}";
    out += word_of(c);
    out += between(c.code);
    before = c.code;
  }
  return out;
}

std::string literal(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text ? text : "";
}

/// Writes the nodes of a document.
class Writer {
 public:
  std::string children(cmark_node* of) {
    std::string out;
    for (cmark_node* node = cmark_node_first_child(of); node; node = cmark_node_next(node)) out += written(node);
    return out;
  }

 private:
  std::string written(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT) return in_latex(literal(node));
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) return "\n";
    if (type == CMARK_NODE_CODE) return in_latex_code(literal(node));
    if (type == CMARK_NODE_EMPH) return "\\emph{" + children(node) + "}";
    if (type == CMARK_NODE_STRONG) return "\\textbf{" + children(node) + "}";
    if (type == CMARK_NODE_PARAGRAPH) return children(node) + "\n\n";
    if (type == CMARK_NODE_HEADING)
      return fmt::format("\\{}{{{}}}\n\n", cmark_node_get_heading_level(node) <= 2 ? "section" : "subsection",
                         children(node));
    if (type == CMARK_NODE_LIST) {
      const char* kind = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST ? "enumerate" : "itemize";
      // LaTeX has no more than four levels of lists.
      if (depth_ >= 4) return children(node);
      ++depth_;
      std::string items = children(node);
      --depth_;
      return fmt::format("\\begin{{{0}}}\n{1}\\end{{{0}}}\n\n", kind, items);
    }
    if (type == CMARK_NODE_ITEM) return (depth_ > 4 ? "" : "\\item{} ") + children(node);
    if (type == CMARK_NODE_CODE_BLOCK) return code_block(node);
    if (type == CMARK_NODE_BLOCK_QUOTE) return "\\begin{quote}\n" + children(node) + "\\end{quote}\n\n";
    if (type == CMARK_NODE_THEMATIC_BREAK || type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE) return "";
    if (std::string_view(cmark_node_get_type_string(node)) == "table") return table(node);
    return children(node);  // Links and pictures: their text.
  }

  static std::string code_block(cmark_node* node) {
    std::string out = "\\begin{flushleft}\n";
    const std::string text = literal(node);
    std::string_view rest = text;
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    for (std::string_view line : lines_of(rest)) out += in_latex_code(line) + "\\par\n";
    return out + "\\end{flushleft}\n\n";
  }

  /// Its columns share the line by the lengths of their texts.
  std::string table(cmark_node* node) {
    std::vector<std::vector<std::string>> rows;
    std::vector<double> lengths;
    for (cmark_node* row = cmark_node_first_child(node); row; row = cmark_node_next(row)) {
      std::vector<std::string>& cells = rows.emplace_back();
      for (cmark_node* cell = cmark_node_first_child(row); cell; cell = cmark_node_next(cell)) {
        cells.push_back(children(cell));
        if (lengths.size() < cells.size()) lengths.push_back(6);
        lengths[cells.size() - 1] =
            std::clamp(static_cast<double>(cells.back().size()), lengths[cells.size() - 1], 40.0);
      }
    }
    if (rows.empty() || lengths.empty()) return "";
    double all = 0;
    for (const double length : lengths) all += length;
    std::string out = "{\\footnotesize\n\\begin{longtable}{@{}";
    for (const double length : lengths)
      out += fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.4f}\\linewidth}}",
                         length / all * (1 - 0.025 * static_cast<double>(lengths.size())));
    out += "@{}}\n\\hline\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].resize(lengths.size());
      for (std::size_t j = 0; j < rows[i].size(); ++j) out += (j == 0 ? "" : " & ") + rows[i][j];
      out += i == 0 ? " \\tabularnewline\n\\hline\n\\endhead\n" : " \\tabularnewline\n";
    }
    return out + "\\hline\n\\end{longtable}}\n\n";
  }

  int depth_ = 0;
};

}  // namespace

std::string latex_preamble() {
  return std::string(embedded::templates("paper_preamble.tex"));
}

std::string in_latex(std::string_view text) {
  std::size_t unbroken = 0;
  return escaped(text, [&](char32_t c) {
    unbroken = c == ' ' || c == '/' ? 0 : unbroken + 1;
    return c == '/' || (unbroken > 0 && unbroken % longest_word == 0) ? "\\allowbreak{}" : "";
  });
}

std::string in_latex_code(std::string_view text) {
  std::size_t unbroken = 0;
  return "\\texttt{" +
         escaped(text,
                 [&](char32_t c) {
                   const bool stop = c < 0x80 && !is_alnum(static_cast<char>(c));
                   unbroken = stop ? 0 : unbroken + 1;
                   const bool breaks = stop ? c != ' ' : unbroken % longest_unbroken == 0;
                   return breaks ? "\\allowbreak{}" : "";
                 }) +
         "}";
}

std::string in_bibtex_name(std::string_view name) {
  std::string out = in_latex(name);
  // BibTeX counts braces, escaped ones too.
  for (const auto& [from, to] :
       {std::pair<std::string_view, std::string_view>{"\\{", "\\textbraceleft{}"}, {"\\}", "\\textbraceright{}"}})
    for (std::size_t at = out.find(from); at != out.npos; at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
  return out;
}

std::string in_bibtex(std::string_view text) {
  return "{" + in_bibtex_name(text) + "}";
}

std::string latex_of_markdown(std::string_view markdown) {
  return Writer().children(parsed_markdown(markdown).document.get());
}

}  // namespace artifacts
