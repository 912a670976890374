import type { ModelAnswer, ModelUse } from "../shapes";
import { number } from "../words";
import { Panel } from "./bits";

function from_cache(use: ModelUse): string {
  return use.tokens_cached > 0 ? `${Math.round((100 * use.tokens_cached) / use.tokens_in)} %` : "none reported";
}

function Uses({ models }: { models: ModelUse[] }) {
  return (
    <div class="scroll" role="region" aria-label="Models by role" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Role</th><th scope="col">Model</th><th scope="col">Calls</th><th scope="col">Tokens in</th><th scope="col">From the cache</th><th scope="col">Tokens out</th><th scope="col">US dollars</th></tr></thead>
        <tbody>
          {models.map((use) => (
            <tr key={`${use.role} ${use.model}`}>
              <th scope="row">{use.role}</th>
              <td>{use.model}</td>
              <td class="number">{number(use.calls)}</td>
              <td class="number">{number(use.tokens_in)}</td>
              <td class="number">{from_cache(use)}</td>
              <td class="number">{number(use.tokens_out)}</td>
              <td class="number">{use.usd === null ? "price not known" : number(use.usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Answers({ answers }: { answers: (ModelAnswer & { role: string })[] }) {
  return (
    <div class="scroll" role="region" aria-label="Who answered" tabIndex={0}>
      <table>
        <thead><tr><th scope="col">Role</th><th scope="col">Asked for</th><th scope="col">Effort</th><th scope="col">Answered by</th><th scope="col">Tier</th><th scope="col">Fingerprint</th><th scope="col">Calls</th></tr></thead>
        <tbody>
          {answers.map((one, i) => (
            <tr key={i}>
              <th scope="row">{one.role}</th>
              {[one.asked, one.effort, one.answered_by, one.tier, one.fingerprint].map((text, at) => <td key={at}>{text ?? "–"}</td>)}
              <td class="number">{number(one.calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/// What each model was used for and cost, role by role, and what its replies state of their origin. `notes`: sentences
/// on models that are not the ones asked for, and on counts of tokens that are too small.
export function Models({ models, notes }: { models: ModelUse[]; notes: string[] }) {
  return (
    <Panel title="Models by role">
      <Uses models={models} />
      {notes.map((words) => <p key={words} role="note"><strong>{words}</strong></p>)}
      <Answers answers={models.flatMap((use) => use.answers.map((one) => ({ ...one, role: use.role })))} />
    </Panel>
  );
}
