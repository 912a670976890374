import { useState } from "preact/hooks";

import { get, text } from "../api";
import { useAsked } from "../hooks";
import type { OutputFile, Page, Run } from "../shapes";
import { bytes, number } from "../words";
import { Panel, Refused } from "./bits";

const largest_preview = 200_000;
const pictures = /\.(png|jpe?g)$/i;
const texts = /\.(txt|log|jsonl?|csv|tsv|md|ya?ml|toml|py|patch|diff)$/i;

function address(run: string, path: string): string {
  return `/runs/${run}/file?path=${encodeURIComponent(path)}`;
}

function Preview({ run, file }: { run: string; file: OutputFile }) {
  const said = useAsked(`${run} ${file.path}`, async () => (pictures.test(file.path) ? "" : text(address(run, file.path))));
  if (pictures.test(file.path)) return <img class="preview" src={`/api/v1${address(run, file.path)}`} alt={file.path} />;
  if (said.value === null) return <Refused refusal={said.refusal} />;
  return <pre class="log" tabIndex={0} role="region" aria-label={file.path}>{said.value || "(empty)"}</pre>;
}

/// The outputs that are kept of a run.
export function RunFiles({ run }: { run: Run }) {
  const wanted = run.ended !== null && !run.withheld;
  const files = useAsked(`files ${run.id} ${wanted}`, async () => (wanted ? (await get<Page<OutputFile>>(`/runs/${run.id}/files`)).items : []));
  const [open, set_open] = useState<string | null>(null);
  const found = files.value ?? [];
  if (!files.refusal && found.length === 0 && run.kept.length === 0 && run.outputs_left_out.count === 0) return null;
  return (
    <Panel title="Output files">
      <Refused refusal={files.refusal} />
      {found.length > 0 && (
        <div class="scroll" role="region" aria-label="Output files" tabIndex={0}>
          <table>
            <thead><tr><th scope="col">File</th><th scope="col">Size</th><th scope="col"><span class="hidden">What to do</span></th></tr></thead>
            <tbody>
              {found.map((file) => (
                <tr key={file.path}>
                  <th scope="row">{file.path}</th>
                  <td class="number">{bytes(file.bytes)}</td>
                  <td><div class="tools">
                    {(pictures.test(file.path) || texts.test(file.path)) && file.bytes <= largest_preview * (pictures.test(file.path) ? 50 : 1) && <button aria-expanded={open === file.path} onClick={() => set_open(open === file.path ? null : file.path)}>Preview</button>}
                    <a href={`/api/v1${address(run.id, file.path)}`} download={file.path.split("/").at(-1)}>Download</a>
                  </div></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found.filter((file) => file.path === open).map((file) => <Preview key={file.path} run={run.id} file={file} />)}
      {run.kept.length > 0 && <p class="muted">In the home, not copied: {run.kept.map((kept) => `${kept.path} (${bytes(kept.bytes)})`).join(", ")}.</p>}
      {run.outputs_left_out.count > 0 && <p class="muted">{number(run.outputs_left_out.count)} files were not kept.</p>}
    </Panel>
  );
}
