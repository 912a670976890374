// What a program printed, as pieces that have a look: colours from its escape sequences (ECMA-48), the places of words
// that are sought, and the line of its error. Pure functions of text; nothing here knows the page.

/// One of the palette of the page, which is readable in light and dark.
export type Hue = "red" | "yellow" | "green" | "cyan" | "blue" | "magenta" | "grey" | "plain";

export interface Ink {
  front: Hue | null;
  back: Hue | null;
  bold: boolean;
  italic: boolean;
  underlined: boolean;
}

/// `text` without escape sequences. From position `from` of it to the next one's, letters have the ink.
export interface Inked {
  text: string;
  inks: { from: number; ink: Ink }[];
}

export interface Span {
  from: number;
  to: number;
}

export interface Piece {
  text: string;
  /// Classes of the style sheet; "" for none.
  look: string;
}

/// Pieces that a mark encloses together, or that none encloses.
export interface Stretch {
  marked: boolean;
  pieces: Piece[];
  /// Of the stretch's turn; 0 without turns.
  turn: number;
}

/// Lines of one stream that follow one another, in a text of both.
export interface Turn extends Span {
  is_err: boolean;
}

const no_ink: Ink = { front: null, back: null, bold: false, italic: false, underlined: false };

// The eight colours of a terminal in their order; "plain" is the colour of the text, in place of black and white.
const eight: Hue[] = ["plain", "red", "green", "yellow", "blue", "magenta", "cyan", "plain"];
const cube = [0, 95, 135, 175, 215, 255]; // The steps of red, green and blue in the palette of 256 colours.

/// The hue of the palette that is the nearest to a true colour; each part is 0 to 255.
function hue_of(red: number, green: number, blue: number): Hue {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < 0.2 * most || most < 40) return most < 60 || most > 200 ? "plain" : "grey";
  const sixth = most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  const angle = (sixth * 60 + 360) % 360;
  const ends: [number, Hue][] = [[20, "red"], [70, "yellow"], [165, "green"], [200, "cyan"], [260, "blue"], [335, "magenta"], [360, "red"]];
  return ends.find(([end]) => angle <= end)![1];
}

/// A colour of the palette of 256.
function indexed(index: number): Hue | null {
  if (index < 8) return eight[index] ?? null;
  if (index < 16) return index === 8 ? "grey" : eight[index - 8]!;
  if (index < 232) return hue_of(cube[Math.floor((index - 16) / 36)]!, cube[Math.floor((index - 16) / 6) % 6]!, cube[(index - 16) % 6]!);
  return index < 256 ? "grey" : null;
}

/// The colour that follows 38 or 48 at `at`, and how many numbers it takes.
function extended(numbers: number[], at: number): [Hue | null, number] {
  if (numbers[at] === 5) return [indexed(numbers[at + 1] ?? 256), 2];
  if (numbers[at] !== 2) return [null, 1];
  const [red, green, blue] = numbers.slice(at + 1, at + 4);
  return [blue === undefined ? null : hue_of(red!, green!, blue), 4];
}

/// The ink after the numbers of a sequence that selects colours (SGR).
function inked(before: Ink, words: string): Ink {
  let ink = { ...before };
  // Colons separate the parts of one colour, of which the second may be the name of its space, or a kind of underlining.
  const flat = words.replace(/(\b[345]8:2):[^:;]*:(\d+:\d+:\d+)/g, "$1:$2").replace(/(^|;)4:(\d)/g, (_, before: string, kind: string) => before + (kind === "0" ? "24" : "4"));
  const numbers = flat.split(/[;:]/).map(Number);
  for (let i = 0; i < numbers.length; ++i) {
    const n = numbers[i]!;
    if (n === 0) ink = { ...no_ink };
    else if (n === 1) ink.bold = true;
    else if (n === 3) ink.italic = true;
    else if (n === 4) ink.underlined = true;
    else if (n === 7) [ink.front, ink.back] = [ink.back ?? "plain", ink.front ?? "grey"];
    else if (n === 22) ink.bold = false;
    else if (n === 23) ink.italic = false;
    else if (n === 24) ink.underlined = false;
    else if (n === 27 || n === 39) ink.front = null;
    else if (n >= 30 && n <= 37) ink.front = eight[n - 30]!;
    else if (n >= 40 && n <= 47) ink.back = eight[n - 40]!;
    else if (n >= 90 && n <= 97) ink.front = indexed(n - 82);
    else if (n >= 100 && n <= 107) ink.back = indexed(n - 92);
    if (n === 27 || n === 49) ink.back = null;
    if (n !== 38 && n !== 48 && n !== 58) continue;
    const [hue, taken] = extended(numbers, i + 1);
    if (n === 38) ink.front = hue;
    if (n === 48) ink.back = hue;
    i += taken;
  }
  return ink;
}

// One alternative each: a control sequence with its parameters and its last letter, which may be missing at the end of the
// text; a string for the terminal (its title, a link) with its end; any other escape; an end of a line or a return of the
// carriage; other control characters.
const controls = /(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~]|$)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\n\x80-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]?|\r\n?|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/// Without control characters but tabs and ends of lines. A carriage return begins a new line, so that no text is lost.
export function inks_of(printed: string, ink_before: Ink = no_ink): Inked {
  const inks: Inked["inks"] = [{ from: 0, ink: ink_before }];
  let text = "";
  let last = 0;
  for (const found of printed.matchAll(controls)) {
    text += printed.slice(last, found.index);
    last = found.index + found[0].length;
    if (found[0].startsWith("\r")) text += "\n";
    if (found[2] !== "m" || !/^[\d;:]*$/.test(found[1]!)) continue;
    const ink = inked(inks.at(-1)!.ink, found[1]!);
    if (look_of(ink) === look_of(inks.at(-1)!.ink)) continue;
    if (inks.at(-1)!.from === text.length) inks.pop();
    inks.push({ from: text.length, ink });
  }
  return { text: text + printed.slice(last), inks };
}

const prefix_size = "err: ".length;
const most_turns = 10_000; // Each is an element of the page.

interface Group {
  is_err: boolean;
  lines: string[];
}

/// The lines of a merged text by turns, without their prefixes. Of very many the first ones are one group and keep them.
function groups_of(merged: string): Group[] {
  const groups: Group[] = [];
  for (const line of merged.split("\n").slice(0, -1)) {
    const is_err = line.startsWith("err");
    if (groups.at(-1)?.is_err !== is_err) groups.push({ is_err, lines: [] });
    groups.at(-1)!.lines.push(line);
  }
  const early = groups.slice(0, -most_turns).flatMap(({ lines }) => lines);
  const late = groups.slice(-most_turns).map(({ is_err, lines }) => ({ is_err, lines: lines.map((line) => line.slice(prefix_size)) }));
  return early.length > 0 ? [{ is_err: false, lines: early }, ...late] : late;
}

/// Both streams of a run as the server merges them: each line begins with the name of its stream. A colour that a stream
/// begins goes on in its next lines only.
export function merged_inks(merged: string): { inked: Inked; turns: Turn[] } {
  const inked: Inked = { text: "", inks: [] };
  const turns: Turn[] = [];
  const last = [no_ink, no_ink];
  const texts: string[] = [];
  let length = 0;
  for (const { is_err, lines } of groups_of(merged)) {
    const { text, inks } = inks_of(lines.join("\n") + "\n", last[Number(is_err)]);
    for (const { from, ink } of inks) inked.inks.push({ from: length + from, ink });
    last[Number(is_err)] = inks.at(-1)!.ink;
    turns.push({ is_err, from: length, to: length + text.length });
    texts.push(text);
    length += text.length;
  }
  inked.text = texts.join("");
  if (inked.inks.length === 0) inked.inks.push({ from: 0, ink: no_ink });
  return { inked, turns };
}

export function look_of(ink: Ink): string {
  const words = [ink.front && `ink-${ink.front}`, ink.back && `tinted on-${ink.back}`, ink.bold && "bold", ink.italic && "italic", ink.underlined && "underlined"];
  return words.filter(Boolean).join(" ");
}

/// The places of the words, without regard to case: the first `most` of them, and how many there are.
export function places_of(text: string, words: string, most: number): { places: Span[]; count: number } {
  const lower = text.toLowerCase();
  const sought = words.toLowerCase();
  const places: Span[] = [];
  let count = 0;
  // Some letters change their length; then the places would be wrong.
  if (sought && lower.length === text.length)
    for (let at = lower.indexOf(sought); at >= 0; at = lower.indexOf(sought, at + sought.length))
      if (++count <= most) places.push({ from: at, to: at + sought.length });
  return { places, count };
}

// A value that is called an error, as in "error=0.1", is none.
const error_words = /\b\w*(?:error|exception)\b(?!\s*[=:]?\s*[-\d])|\bfatal\b|\bpanic(?:ked)?\b|\bsegmentation fault\b|\bcore dumped\b|\bassertion [^\n]*\bfailed\b/gi;
const traceback_words = /\bTraceback \(most recent call last\):/g;
const lines_after_traceback = 30; // Messages of several lines, and what the starter of the job adds.

/// The line of the last match.
function last_line(text: string, pattern: RegExp): Span | null {
  let at = -1;
  for (const found of text.matchAll(pattern)) at = found.index;
  if (at < 0) return null;
  const to = text.indexOf("\n", at);
  return { from: text.lastIndexOf("\n", at) + 1, to: to < 0 ? text.length : to };
}

/// The first line behind the frames of a traceback: it names the exception.
function end_of_traceback(text: string, after: number): Span | null {
  const found = /\n(?![ \t|+])(.+)/.exec(text.slice(after));
  return found && { from: after + found.index + 1, to: after + found.index + found[0].length };
}

/// What a reader of a failed run looks for.
export interface Failure {
  /// Where the last traceback begins, or the line.
  begins: number;
  /// The line that names the error.
  line: Span;
}

/// Null if the text names no error.
export function failure_of(text: string): Failure | null {
  const named = last_line(text, error_words);
  const traceback = last_line(text, traceback_words);
  if (!traceback) return named && { begins: named.from, line: named };
  const line = end_of_traceback(text, traceback.to) ?? traceback;
  const later = named && named.from > line.to ? text.slice(line.to, named.from).split("\n").length : 0;
  return named && later > lines_after_traceback ? { begins: named.from, line: named } : { begins: traceback.from, line };
}

const most_inks = 20_000; // Each is an element of the page.

/// The text in stretches: `marks` do not overlap and are in order. The line of the failure has the look "error-line", and the
/// piece where it begins "error-begins". Of very many changes of colour the last ones are kept. `turns`: all of the text.
export function stretches({ text, inks }: Inked, marks: Span[], failure: Failure | null, turns: Turn[] = []): Stretch[] {
  const kept = inks.slice(-most_inks);
  const cuts = [0, ...kept.map(({ from }) => from), ...marks.flatMap(({ from, to }) => [from, to]), ...(failure ? [failure.begins, failure.line.from, failure.line.to] : []), ...turns.map(({ from }) => from), text.length];
  const ends = [...new Set(cuts)].sort((a, b) => a - b);
  const all: Stretch[] = [];
  let ink = -1;
  let mark = 0;
  let turn = 0;
  for (let i = 0; i + 1 < ends.length; ++i) {
    const [from, to] = [ends[i]!, ends[i + 1]!];
    while (ink + 1 < kept.length && kept[ink + 1]!.from <= from) ++ink;
    while (mark < marks.length && marks[mark]!.to <= from) ++mark;
    const marked = mark < marks.length && marks[mark]!.from <= from;
    const next = turn + 1 < turns.length && turns[turn + 1]!.from <= from;
    if (next) ++turn;
    const begins = marked ? marks[mark]!.from === from : all.at(-1)?.marked !== false;
    if (begins || next) all.push({ marked, pieces: [], turn });
    const look = [
      ink >= 0 && look_of(kept[ink]!.ink),
      failure && failure.line.from <= from && to <= failure.line.to && "tinted error-line",
      failure?.begins === from && "error-begins",
    ];
    all.at(-1)!.pieces.push({ text: text.slice(from, to), look: look.filter(Boolean).join(" ") });
  }
  return all;
}
