// Requests to the kernel by the templates of its description (api_types.ts): what may be asked, and what is answered, is
// checked when the page is compiled.

import type { paths } from "./api_types";
import { ask, json_of, visible } from "./api";

type Method = "get" | "post";
/// The templates of paths that have an operation of this method.
type Template<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Operation<P extends keyof paths, M extends Method> = NonNullable<paths[P][M]>;

type Given<T> = { [name in keyof T]: T[name] | readonly T[name][] | null | undefined };
type InPath<O> = O extends { parameters: { path: infer Words } } ? Words : unknown;
type InQuery<O> = O extends { parameters: { query?: infer Words } } ? ([NonNullable<Words>] extends [never] ? unknown : Given<NonNullable<Words>>) : unknown;
/// The words that fill the template, and those of the query that are given.
export type Words<P extends Template<M>, M extends Method = "get"> = InPath<Operation<P, M>> & InQuery<Operation<P, M>>;
/// No words need be said if the template has none.
type Said<P extends Template<M>, M extends Method> = InPath<Operation<P, M>> extends Record<string, string> ? [words: Words<P, M>] : [words?: Words<P, M>];

type Content<O> = O extends { responses: { 200: { content: infer C } } } ? C : O extends { responses: { 201: { content: infer C } } } ? C : never;
/// The JSON of an answer.
export type Answer<P extends Template<M>, M extends Method = "get"> = Content<Operation<P, M>> extends { "application/json": infer A } ? A : never;
export type Body<P extends Template<"post">> = Operation<P, "post"> extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;

/// The words that fill the template of a POST.
type PathWords<P extends Template<"post">> = InPath<Operation<P, "post">>;
/// Sends a POST; false if it was refused.
export type Send = <P extends Template<"post">>(template: P, words: PathWords<P>, body: Body<P>) => Promise<boolean>;

/// The address below /api/v1. Words of the query that are empty are left out.
export function address<P extends Template<"get">>(template: P, ...[words]: Said<P, "get">): string {
  return filled(template, words);
}

function filled(template: string, words: unknown): string {
  const rest: Record<string, unknown> = { ...(words as object | undefined) };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const word = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return word;
  });
  const given = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = given.flatMap(([name, value]) => [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}`)).join("&");
  return query ? `${path}?${query}` : path;
}

/// `signal`: gives the answer up.
export async function post<P extends Template<"post">>(template: P, words: PathWords<P>, body: Body<P>, signal?: AbortSignal): Promise<Answer<P, "post">> {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: signal ?? null };
  return json_of<Answer<P, "post">>(filled(template, words), options);
}

/// A list that is sent whole if no page of it is asked for.
export async function list<P extends Template<"get">>(template: P, ...said: Said<P, "get">): Promise<Extract<Answer<P>, readonly unknown[]>> {
  return (await get(template, ...said)) as Extract<Answer<P>, readonly unknown[]>;
}

type ItemOf<A> = A extends { items: (infer Item)[] } ? Item : never;

/// The items of all pages.
export async function all<P extends Template<"get">>(template: P, words: Words<P>): Promise<ItemOf<Answer<P>>[]> {
  const items: ItemOf<Answer<P>>[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: { items: ItemOf<Answer<P>>[]; cursor: string | null } = await json_of(filled(template, { ...(words as object), limit: 1000, cursor }), {});
    items.push(...page.items);
    cursor = page.cursor;
  }
  return items;
}

/// `at`: what `address` returned.
export async function text(at: string): Promise<string> {
  return visible(await (await ask(at, {})).text());
}

export async function get<P extends Template<"get">>(template: P, ...[words]: Said<P, "get">): Promise<Answer<P>> {
  return json_of<Answer<P>>(filled(template, words), {});
}
