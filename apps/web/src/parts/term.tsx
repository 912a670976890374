// A word of the glossary: a button that opens the list of terms at it.

import type { ComponentChildren } from "preact";

export const opens_term = "term"; // The event whose detail is the term.

/// `of`: the term's name in the glossary. The click does nothing else, such as opening the summary that the word is in.
export function Term({ of, children }: { of: string; children?: ComponentChildren }) {
  return <button type="button" class="term" aria-haspopup="dialog" title={`What “${of}” means`} onClick={(e) => { e.stopPropagation(); e.preventDefault(); dispatchEvent(new CustomEvent(opens_term, { detail: of })); }}>{children ?? of}</button>;
}
