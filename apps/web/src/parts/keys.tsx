// Keys for the whole page, and the list of terms under one of them. In a field for text keys only write.

import { useEffect, useRef, useState } from "preact/hooks";

import { terms, terms_for } from "../glossary";
import { shared } from "../shared";
import { counted } from "../words";
import { opens_term } from "./term";

const places: Record<string, [string, string]> = shared ? {} : { s: ["#/", "studies"], m: ["#/memory", "memory"], a: ["#/artifacts", "artifacts"], c: ["#/machine", "machine"] };

const help: [string, string][] = [
  ["/", "find: to the field for words of the view"],
  ["j, k", "to the next or previous row; Enter opens it"],
  ...Object.entries(places).map(([key, [, name]]): [string, string] => [`g ${key}`, `to ${name}`]),
  ["?", "this list, and what the terms mean"],
  ["← → + − Home", "in a chart: move, zoom, show all"],
];

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/// Moves the focus by so many of the links that rows have.
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  if (rows.length === 0) return;
  const row = document.activeElement?.closest("tr")?.querySelector("[data-row]") ?? document.activeElement;
  const at = rows.findIndex((one) => one === row);
  rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]!.focus();
}

function Terms({ words, set_words }: { words: string; set_words: (words: string) => void }) {
  const found = words.trim() ? terms_for(words) : terms;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <h2>Terms</h2>
      <div class="tools">
        <label>Find a term <input type="search" ref={field} value={words} onInput={(e) => set_words(e.currentTarget.value)} /></label>
        <span class="muted" role="status">{found.length === 0 ? "No term matches." : counted(found.length, "term")}</span>
      </div>
      <div class="terms" role="region" aria-label="Terms" tabIndex={0}>
        <dl class="facts">{found.map(({ names, meaning }) => <><dt key={meaning}>{names.join(", ")}</dt><dd>{meaning}</dd></>)}</dl>
      </div>
    </>
  );
}

/// `words`: null while the dialog is closed.
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, set_words] = useState<string | null>(null);
  const open = (term: string): void => {
    set_words(term);
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  useEffect(() => {
    let going = false;
    const pressed = (e: KeyboardEvent): void => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
      if (typing(e.target)) {
        if (e.key !== "Escape") return;
        e.preventDefault(); // A field for words would be emptied.
        const field = e.target as HTMLElement;
        if (dialog.current?.contains(field)) dialog.current.close();
        else field.blur();
        return;
      }
      const place = going ? places[e.key] : undefined;
      going = e.key === "g";
      if (place) location.hash = place[0];
      else if (e.key === "/") {
        const field = document.querySelector<HTMLInputElement>("main input[type=search], main input[type=text]:not(.tagging input)");
        if (!field) return;
        e.preventDefault();
        field.focus();
        field.select();
      } else if (e.key === "j") step(1);
      else if (e.key === "k") step(-1);
      else if (e.key === "?") open("");
    };
    const asked = (e: Event): void => open((e as CustomEvent<string>).detail);
    addEventListener("keydown", pressed);
    addEventListener(opens_term, asked);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener(opens_term, asked);
    };
  }, []);
  return (
    <dialog ref={dialog} aria-label="Keys and terms" class="keys" onClose={() => set_words(null)}>
      <h2>Keys</h2>
      <dl class="facts">{help.map(([key, what]) => <><dt key={key}><kbd>{key}</kbd></dt><dd>{what}</dd></>)}</dl>
      {words !== null && <Terms words={words} set_words={set_words} />}
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
