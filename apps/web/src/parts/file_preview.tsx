// A file that a job or an artifact holds: a picture, or text as it is.

import { text } from "../client";
import { useAsked } from "../hooks";
import { Refused } from "./bits";

const largest_text = 200_000;
const largest_picture = 10_000_000;
const texts = /\.(txt|log|jsonl?|csv|tsv|md|ya?ml|toml|py|patch|diff)$/i;

export const is_picture = (path: string): boolean => /\.(png|jpe?g|svg)$/i.test(path);

export function can_be_shown(path: string, size: number): boolean {
  return is_picture(path) ? size <= largest_picture : texts.test(path) && size <= largest_text;
}

/// `address`: of the file, below the API.
export function Preview({ address, path }: { address: string; path: string }) {
  const said = useAsked(address, async () => (is_picture(path) ? "" : text(address)));
  if (is_picture(path)) return <img class="preview" src={`/api/v1${address}`} alt={path} />;
  if (said.value === null) return <Refused refusal={said.refusal} />;
  return <pre class="log" tabIndex={0} role="region" aria-label={path}>{said.value || "(empty)"}</pre>;
}
