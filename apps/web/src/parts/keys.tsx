// Keys for the whole page. In a field for text they only write.

import { useEffect, useRef } from "preact/hooks";

import { shared } from "../shared";

const places: Record<string, [string, string]> = shared ? {} : { s: ["#/", "studies"], m: ["#/memory", "memory"], a: ["#/artifacts", "artifacts"], c: ["#/machine", "machine"] };

const help: [string, string][] = [
  ["/", "find: to the field for words of the view"],
  ["j, k", "to the next or previous row; Enter opens it"],
  ...Object.entries(places).map(([key, [, name]]): [string, string] => [`g ${key}`, `to ${name}`]),
  ["?", "this list"],
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

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let going = false;
    const pressed = (e: KeyboardEvent): void => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
      if (typing(e.target)) {
        if (e.key !== "Escape") return;
        e.preventDefault(); // A field for words would be emptied.
        (e.target as HTMLElement).blur();
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
      else if (e.key === "?") dialog.current?.showModal();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <dialog ref={dialog} aria-label="Keys">
      <h2>Keys</h2>
      <dl class="facts">{help.map(([key, what]) => <><dt key={key}><kbd>{key}</kbd></dt><dd>{what}</dd></>)}</dl>
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
