import { useState } from "preact/hooks";

import { address, get } from "../client";
import { useAsked } from "../hooks";
import type { Run } from "../shapes";
import { shared } from "../shared";
import { bytes, number } from "../words";
import { Panel, Refused } from "./bits";
import { can_be_shown, Preview } from "./file_preview";

const address_of = (run: Run, path: string): string => address("/runs/{id}/file", { id: run.id, path });

/// The outputs that are kept of a run.
export function RunFiles({ run }: { run: Run }) {
  const wanted = run.ended !== null && !run.withheld;
  const files = useAsked(`files ${run.id} ${wanted}`, async () => (wanted ? (await get("/runs/{id}/files", { id: run.id })).items : []));
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
                  <td>{!shared && <div class="tools">
                    {can_be_shown(file.path, file.bytes) && <button aria-expanded={open === file.path} onClick={() => set_open(open === file.path ? null : file.path)}>Preview</button>}
                    <a href={`/api/v1${address_of(run, file.path)}`} download={file.path.split("/").at(-1)}>Download</a>
                  </div>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shared && found.length > 0 && <p class="muted">Their content is not in this copy.</p>}
      {found.filter((file) => file.path === open).map((file) => <Preview key={file.path} address={address_of(run, file.path)} path={file.path} />)}
      {run.kept.length > 0 && <p class="muted">In the home, not copied: {run.kept.map((kept) => `${kept.path} (${bytes(kept.bytes)})`).join(", ")}.</p>}
      {run.outputs_left_out.count > 0 && <p class="muted">{number(run.outputs_left_out.count)} files were not kept.</p>}
    </Panel>
  );
}
