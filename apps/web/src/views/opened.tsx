// Any artifact, of this home or another: what it claims, on what evidence, how its authors got there, and what `check` and
// `audit` find.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { Refusal } from "../api";
import { address as address_of, get, post } from "../client";
import type { Explored } from "../graph/folded";
import { Graph } from "../graph/graph";
import { useAsked } from "../hooks";
import { Panel, Pill, Refused } from "../parts/bits";
import { can_be_shown, is_picture, Preview } from "../parts/file_preview";
import { Reproduce } from "../parts/reproduce";
import type { Contents, GraphNode, StatedEntry } from "../shapes";
import { bytes, counted, number } from "../words";
import { Question } from "./artifact";

const at_once = 200;
const most_pictures = 12;
const no_study: Explored = { id: "", kind: "test" };

export const address_of_artifact = (name: string): string => `#/artifacts/${encodeURIComponent(name)}`;

/// A field for a folder, and the imported artifacts.
export function ArtifactsView() {
  const imports = useAsked("imports", () => get("/artifacts"));
  const [path, set_path] = useState("");
  return (
    <>
      <div class="head"><h1>Artifacts</h1></div>
      <form class="tools" onSubmit={(e) => { e.preventDefault(); location.hash = address_of_artifact(path.trim()); }}>
        <label class="wide">Folder <input type="text" required pattern="/.*|ara:.+|s[0-9]+" title="An absolute path on the kernel's machine" value={path} placeholder="/home/you/study-ara" onInput={(e) => set_path(e.currentTarget.value)} /></label>
        <button class="primary">Open</button>
      </form>
      <Panel title="Imported">
        <Refused refusal={imports.refusal} />
        {imports.value?.items.length === 0 && <p class="empty">No artifact was imported yet. Open one and press Import; then Memory finds its claims.</p>}
        {(imports.value?.items.length ?? 0) > 0 && (
          <div class="scroll" role="region" aria-label="Imported artifacts" tabIndex={0}>
            <table>
              <thead><tr><th scope="col">Artifact</th><th scope="col">From</th><th scope="col">Check</th></tr></thead>
              <tbody>
                {imports.value?.items.map((one) => (
                  <tr key={one.id}>
                    <th scope="row"><a data-row href={address_of_artifact(one.id)}>{one.title || one.id}</a><div class="muted">{one.id}</div></th>
                    <td><code>{one.source}</code></td>
                    <td>{one.errors > 0 ? `${counted(one.errors, "error")}, ` : ""}{counted(one.warnings, "warning")}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </>
  );
}

/// Ids of entries and paths of files in a text become buttons that lead there.
function Linked({ text, known, lead }: { text: string; known: ReadonlySet<string>; lead: (to: string) => void }) {
  const parts: ComponentChildren[] = [];
  let done = 0;
  for (const found of text.matchAll(/[\w.-]+(?:\/[\w.-]+)*/g)) {
    if (!known.has(found[0])) continue;
    parts.push(text.slice(done, found.index), <button type="button" class="link" onClick={() => lead(found[0])}>{found[0]}</button>);
    done = found.index + found[0].length;
  }
  return <>{parts}{text.slice(done)}</>;
}

const status_of = (entry: StatedEntry): string | undefined => entry.fields.find((field) => field.name.toLowerCase() === "status")?.text.trim().toLowerCase();

/// `opened`: the entry that was led to.
function Entries({ entries, known, lead, opened }: { entries: StatedEntry[]; known: ReadonlySet<string>; lead: (to: string) => void; opened: string | null }) {
  return (
    <ul class="bare">
      {entries.map((entry) => {
        const status = status_of(entry);
        return (
          <li class="claim" key={`${entry.id} ${entry.line}`}>
            <details id={`entry-${entry.id}`} open={entry.id === opened}>
              <summary><strong>{entry.id}</strong> {status && <Pill word={status.replaceAll(" ", "_")} />} {entry.title}</summary>
              <dl class="facts stated">
                {entry.fields.map((field, i) => <><dt key={i}>{field.name || "–"}</dt><dd><Linked text={field.text} known={known} lead={lead} /></dd></>)}
              </dl>
            </details>
          </li>
        );
      })}
    </ul>
  );
}

function Files({ contents, address, open, set_open }: { contents: Contents; address: (path: string) => string; open: string | null; set_open: (path: string | null) => void }) {
  const [wanted, set_wanted] = useState("");
  const [shown, set_shown] = useState(at_once);
  const found = contents.files.filter((file) => file.path.toLowerCase().includes(wanted.toLowerCase()));
  const opened = contents.files.find((file) => file.path === open);
  return (
    <Panel title="Files" id="files">
      {opened && (
        <div class="opened-file">
          <div class="card-head"><h3>{opened.path}</h3><button class="link" aria-label="Close" onClick={() => set_open(null)}>✕</button></div>
          {can_be_shown(opened.path, opened.bytes) ? <Preview key={opened.path} address={address(opened.path)} path={opened.path} /> : <p class="muted">This file is too large to show, or it is neither text nor a picture.</p>}
        </div>
      )}
      <div class="tools">
        <label>Find <input type="search" value={wanted} onInput={(e) => set_wanted(e.currentTarget.value)} /></label>
        <span class="muted" role="status">{number(found.length)} of {counted(contents.files.length, "file")}{!contents.whole && "; there are more"}</span>
      </div>
      <div class="scroll" role="region" aria-label="Files" tabIndex={0}>
        <table>
          <thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col"><span class="hidden">Save</span></th></tr></thead>
          <tbody>
            {found.slice(0, shown).map((file) => (
              <tr key={file.path}>
                <th scope="row"><button class="link" data-row aria-expanded={open === file.path} onClick={() => set_open(open === file.path ? null : file.path)}>{file.path}</button></th>
                <td class="number">{bytes(file.bytes)}</td>
                <td><a href={`/api/v1${address(file.path)}`} download={file.path.split("/").at(-1)}>Download</a></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > shown && <button onClick={() => set_shown(shown + at_once)}>Show {Math.min(at_once, found.length - shown)} more</button>}
    </Panel>
  );
}

/// Of one picture in several formats, one.
function pictures_of(contents: Contents): string[] {
  const by_stem = new Map<string, string>();
  for (const { path } of contents.files) if (is_picture(path)) by_stem.set(path.replace(/\.\w+$/, ""), path);
  return [...by_stem.values()];
}

function Import({ path }: { path: string }) {
  const [done, set_done] = useState<string | null>(null);
  const [refusal, set_refusal] = useState<Refusal | null>(null);
  const [busy, set_busy] = useState(false);
  const take_in = async (): Promise<void> => {
    set_busy(true);
    set_refusal(null);
    try {
      const { id, already } = await post("/artifacts/import", {}, { path });
      set_done(already ? `It was imported before, as ${id}.` : `Imported as ${id}.`);
    } catch (error) {
      if (error instanceof Refusal) set_refusal(error);
    } finally {
      set_busy(false);
    }
  };
  return (
    <>
      <button disabled={busy || done !== null} onClick={() => void take_in()}>{busy ? "Importing…" : "Import"}</button>
      {done ? <span role="status">{done}</span> : <span class="muted">Copies the artifact into this home, so that Memory finds its claims.</span>}
      <Refused refusal={refusal} />
    </>
  );
}

/// `name`: an absolute path, a study's id, or the id of an imported artifact.
export function OpenedView({ name, read_only }: { name: string; read_only: boolean }) {
  const answer = useAsked(`artifact ${name}`, () => get("/artifacts/contents", { artifact: name }));
  const [file, set_file] = useState<string | null>(null);
  const [entry, set_entry] = useState<string | null>(null);
  const contents = answer.value;
  const crumbs = <p class="crumbs"><a href="#/artifacts">Artifacts</a> / {name}</p>;
  if (!contents) return <>{crumbs}{answer.refusal ? <Refused refusal={answer.refusal} /> : <p class="muted" role="status">…</p>}</>;
  const address = (path: string): string => address_of("/artifacts/file", { artifact: name, path });
  const entries = [...contents.claims, ...contents.experiments];
  const known = new Set([...entries.map((one) => one.id), ...contents.files.map((one) => one.path)]);
  const lead = (to: string): void => {
    const is_file = contents.files.some((one) => one.path === to);
    if (is_file) set_file(to);
    else set_entry(to);
    requestAnimationFrame(() => document.getElementById(is_file ? "files" : `entry-${to}`)?.scrollIntoView({ block: "start" }));
  };
  const nodes = contents.nodes.map((node): GraphNode => ({ ...node, alternatives: [], experiment: null, hypothesis: null }));
  const pictures = pictures_of(contents);
  const path = name.startsWith("/") ? name : contents.source;
  return (
    <>
      {crumbs}
      <div class="head"><h1>{contents.title || "Untitled artifact"}</h1></div>
      <p class="question">{[contents.authors.join(", "), contents.year].filter(Boolean).join(", ")} <code>{contents.source}</code></p>
      {contents.abstract && <p class="stated">{contents.abstract}</p>}
      <Panel title="Is it sound?">
        <Question what="check" path={name.startsWith("ara:") ? name : path} at_once />
        <Question what="audit" path={name.startsWith("ara:") ? name : path} />
        {!read_only && (
          <div class="tools">
            {contents.recorded && !name.startsWith("ara:") && <Reproduce path={path} />}
            {name.startsWith("/") && <Import path={path} />}
          </div>
        )}
      </Panel>
      <Panel title="Claims">
        {contents.claims.length > 0 ? <Entries entries={contents.claims} known={known} lead={lead} opened={entry} /> : <p class="empty">No claim can be read from logic/claims.md.</p>}
      </Panel>
      {contents.experiments.length > 0 && <Panel title="Experiments"><Entries entries={contents.experiments} known={known} lead={lead} opened={entry} /></Panel>}
      {contents.evidence.length > 0 && (
        <Panel title="Evidence">
          <ul class="plain">{contents.evidence.map((row, i) => <li key={i}><Linked text={[row.path, `evidence/${row.path}`].find((one) => known.has(one)) ?? row.path} known={known} lead={lead} /> <span class="muted"><Linked text={row.text} known={known} lead={lead} /></span></li>)}</ul>
        </Panel>
      )}
      {pictures.length > 0 && (
        <Panel title="Pictures">
          <div class="pictures">
            {pictures.slice(0, most_pictures).map((one) => <figure key={one}><img class="preview" loading="lazy" src={`/api/v1${address(one)}`} alt={one} /><figcaption>{one}</figcaption></figure>)}
          </div>
          {pictures.length > most_pictures && <p class="muted">The first {most_pictures} of {number(pictures.length)}; the others are among the files.</p>}
        </Panel>
      )}
      {nodes.length > 0 && <Panel title="Exploration"><Graph study={no_study} nodes={nodes} first={null} /></Panel>}
      <Files contents={contents} address={address} open={file} set_open={set_file} />
    </>
  );
}
