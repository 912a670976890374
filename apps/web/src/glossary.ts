// The terms of docs/glossary.md, which the build embeds as text.

import text from "../../../docs/glossary.md?raw";

export interface Term {
  /// As "control, treatment": the names that share a row.
  names: string[];
  meaning: string;
}

/// Links become their text, and marks of code are left out.
function without_markdown(words: string): string {
  return words.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "").trim();
}

/// The rows of its tables: the first cell has the names, the last one says what they mean.
function terms_of(markdown: string): Term[] {
  const rows = markdown.split("\n").filter((line) => line.startsWith("| ")).map((line) => line.split("|").slice(1, -1).map(without_markdown));
  return rows.filter(([name]) => name !== "term" && name !== "word").map((cells) => ({ names: cells[0]!.split(",").map((name) => name.trim()), meaning: cells.at(-1)! }));
}

export const terms = terms_of(text);

/// The rows with a name that is the words; without one, the rows that have every word in their names or meaning, those
/// with a name that begins with the words first.
export function terms_for(words: string): Term[] {
  const wanted = words.trim().toLowerCase();
  const named = terms.filter((term) => term.names.some((name) => name.toLowerCase() === wanted));
  if (named.length > 0) return named;
  const parts = wanted.split(/\s+/).filter(Boolean);
  const first = (term: Term): number => Number(!term.names.some((name) => name.toLowerCase().startsWith(wanted)));
  return terms.filter((term) => parts.every((part) => `${term.names.join(" ")} ${term.meaning}`.toLowerCase().includes(part))).sort((a, b) => first(a) - first(b));
}
