// A text area with line numbers to its left. It is the browser's own, so that undo, spelling, search and assistive
// programs work as everywhere.

import { useId, useLayoutEffect, useRef } from "preact/hooks";

/// `wrong`: the line with an error, counted from 1.
export function Editor({ label, value, rows, wrong, change }: { label: string; value: string; rows: number; wrong: number | null; change: (text: string) => void }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLDivElement>(null);
  const follow = (): void => {
    if (area.current && numbers.current) numbers.current.scrollTop = area.current.scrollTop;
  };
  useLayoutEffect(follow);
  const id = useId();
  const count = value.split("\n").length;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="editor">
        <div class="line-numbers" ref={numbers} aria-hidden="true">
          {Array.from({ length: count }, (_, i) => <span key={i} class={i + 1 === wrong ? "wrong" : ""}>{i + 1}{"\n"}</span>)}
        </div>
        <textarea id={id} ref={area} rows={rows} wrap="off" spellcheck={false} autocapitalize="off" value={value} aria-invalid={wrong !== null} onScroll={follow} onInput={(e) => change(e.currentTarget.value)} />
      </div>
    </div>
  );
}
