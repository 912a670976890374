// Tags, by which people find studies, and the archive.

import { useState } from "preact/hooks";

import { get, type Send } from "../client";
import { useAsked } from "../hooks";
import type { AnyStudy, Study } from "../shapes";
import { Refused } from "./bits";
import { useSending } from "./control";

export interface UsedTag {
  tag: string;
  studies: number;
}

export function useTags(): { tags: UsedTag[]; again: () => void } {
  const asked = useAsked("tags", async () => (await get("/tags")).items);
  return { tags: asked.value ?? [], again: asked.again };
}

/// Links to the studies with each tag.
export function TagLinks({ tags }: { tags: readonly string[] }) {
  return <>{tags.map((tag) => <a key={tag} class="tag" href={`#/studies?${new URLSearchParams({ tag })}`} title={`Studies with the tag ${tag}`}>{tag}</a>)}</>;
}

/// Archives the study, or lists it again. In a table of many studies, the button names its own for those who do not see the row.
export function ArchiveButton({ study, send, busy, named }: { study: AnyStudy; send: Send; busy: boolean; named?: boolean }) {
  const word = study.archived ? "Unarchive" : "Archive";
  return <button disabled={busy} {...(named ? { "aria-label": `${word} ${study.id}` } : {})} onClick={() => void send("/studies/{id}/archive", { id: study.id }, { archived: !study.archived })}>{word}</button>;
}

/// The tags of a study with the means to change them, also after its end.
export function Tags({ study, read_only, done }: { study: Study; read_only: boolean; done: () => void }) {
  const used = useTags();
  const [send, refusal, busy] = useSending(() => { used.again(); done(); });
  const [text, set_text] = useState("");
  const tags = study.tags ?? [];
  if (read_only) return tags.length > 0 || study.archived ? <p class="tagging"><TagLinks tags={tags} />{study.archived && <span class="muted">archived</span>}</p> : null;
  const change = (body: { add?: string[]; remove?: string[] }): Promise<boolean> => send("/studies/{id}/tags", { id: study.id }, body);
  const add = (e: Event): void => {
    e.preventDefault();
    void change({ add: text.split(/[\s,]+/).filter(Boolean) }).then((ok) => ok && set_text(""));
  };
  return (
    <div class="tagging">
      {tags.map((tag) => (
        <span key={tag} class="tag-and-button"><TagLinks tags={[tag]} /><button disabled={busy} aria-label={`Remove the tag ${tag}`} onClick={() => void change({ remove: [tag] })}>×</button></span>
      ))}
      <form onSubmit={add}>
        <label>Tag <input type="text" list="tags-in-use" size={12} value={text} onInput={(e) => set_text(e.currentTarget.value)} /></label>
        <datalist id="tags-in-use">{used.tags.map(({ tag }) => <option key={tag} value={tag} />)}</datalist>
        <button disabled={busy || !text.trim()}>Add</button>
      </form>
      {study.archived && <span class="muted" role="status">archived: lists leave it out</span>}
      <ArchiveButton study={study} send={send} busy={busy} />
      <Refused refusal={refusal} />
    </div>
  );
}
