import { isAscii } from 'node:buffer';
import { foldInto, maskOf } from './fold.ts';
import type { Slices } from './slices.ts';

/** Limit of entries of one index. */
const MAX_ENTRIES = 300_000;
/** Longest length that sorting distinguishes. */
const MAX_LENGTH = 4_095;
const SLASH = 47;
/** Steps between two looks at the clock. */
const STEPS = 1_024;

/** The paths below a folder as flat arrays, the shortest first, so that hundreds of thousands can be scored quickly. Immutable. */
export interface PathIndex {
  /** The listing: each path with a NUL behind it. */
  readonly source: string;
  /** All entries, composed (NFC), the shortest first. `starts`, `bases` and `ends` are places in it. */
  readonly text: string;
  /** `text` in lower case. */
  readonly folded: Uint16Array;
  /** For each entry the start of the path, the start of its last segment, and its end. The path of a folder includes its slash. */
  readonly starts: Uint32Array;
  readonly bases: Uint32Array;
  readonly ends: Uint32Array;
  /** Characters of the path and of its last segment (see `maskOf`). */
  readonly masks: Int32Array;
  readonly baseMasks: Int32Array;
  /** Number of folders above the entry, at most 255. */
  readonly depths: Uint8Array;
  /** Paths on disk of the entries whose path is not composed. */
  readonly otherNames: ReadonlyMap<number, string>;
  /** Approximate size in memory. */
  readonly byteLength: number;
}

/** An entry's relative path on disk. The path of a folder ends with a slash. */
export const pathAt = (index: PathIndex, entry: number): string =>
  index.otherNames.get(entry) ?? index.text.slice(index.starts[entry], index.ends[entry]);

/** Builds an index of paths, each with a NUL behind it. Their folders become entries too. */
export async function buildIndex(source: string, slices: Slices): Promise<PathIndex> {
  const builder = new Builder(source, await composed(source, slices));
  while (builder.step()) if (slices.isOver) await slices.next();
  return builder.finish(slices);
}

/** Composes each path by itself, since composing all at once could block the event loop. */
async function composed(source: string, slices: Slices): Promise<string> {
  if (isAscii(Buffer.from(source))) return source;
  const paths = source.split('\0');
  for (let at = 0; at < paths.length; at += 1) {
    paths[at] = paths[at]?.normalize('NFC') ?? '';
    if (at % STEPS === 0 && slices.isOver) await slices.next();
  }
  return paths.join('\0');
}

class Builder {
  readonly #source: string;
  readonly #text: string;
  readonly #starts: number[] = [];
  readonly #bases: number[] = [];
  readonly #ends: number[] = [];
  readonly #otherNames = new Map<number, string>();
  readonly #folders = new Set<string>();
  /** The folder of the previous path, which the next path often shares. */
  #folder = '';
  #at = 0;
  #sourceAt = 0;

  constructor(source: string, text: string) {
    this.#source = source;
    this.#text = text;
  }

  /** Reads some paths. Returns false at the end. */
  step(): boolean {
    for (let count = 0; count < STEPS; count += 1) {
      const end = this.#text.indexOf('\0', this.#at);
      if (end < 0 || this.#starts.length >= MAX_ENTRIES) return false;
      const sourceEnd = this.#source.indexOf('\0', this.#sourceAt);
      this.#add(this.#at, end, this.#source.slice(this.#sourceAt, sourceEnd));
      this.#at = end + 1;
      this.#sourceAt = sourceEnd + 1;
    }
    return true;
  }

  async finish(slices: Slices): Promise<PathIndex> {
    const order = this.#byLength();
    const size = order.length;
    const [starts, bases, ends] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
    const otherNames = new Map<number, string>();
    // The text is rewritten in that order, so that searches read memory sequentially.
    const pieces: string[] = [];
    let at = 0;
    for (let entry = 0; entry < size; entry += 1) {
      const from = order[entry] ?? 0;
      const [start, end] = [this.#starts[from] ?? 0, this.#ends[from] ?? 0];
      pieces.push(this.#text.slice(start, end));
      starts[entry] = at;
      bases[entry] = at + (this.#bases[from] ?? 0) - start;
      ends[entry] = at + end - start;
      at += end - start + 1;
      const name = this.#otherNames.get(from);
      if (name !== undefined) otherNames.set(entry, name);
      if (entry % STEPS === 0 && slices.isOver) await slices.next();
    }
    const text = pieces.join('\0');
    const folded = new Uint16Array(text.length);
    for (let done = 0; done < text.length; done += STEPS * 16) {
      foldInto(folded, text, done, Math.min(done + STEPS * 16, text.length));
      if (slices.isOver) await slices.next();
    }
    const [masks, baseMasks, depths] = [new Int32Array(size), new Int32Array(size), new Uint8Array(size)];
    for (let entry = 0; entry < size; entry += 1) {
      const base = bases[entry] ?? 0;
      const baseMask = maskOf(folded, base, ends[entry] ?? 0);
      baseMasks[entry] = baseMask;
      depths[entry] = depthOf(folded, starts[entry] ?? 0, base);
      masks[entry] = baseMask | maskOf(folded, starts[entry] ?? 0, base);
      if (entry % STEPS === 0 && slices.isOver) await slices.next();
    }
    const byteLength = text.length * 5 + size * 21 + this.#folders.size * 100;
    return {
      ...{ source: this.#source, text, folded, starts, bases, ends, masks, baseMasks, depths },
      otherNames,
      byteLength,
    };
  }

  /** The entries, the shortest path first; entries of one length in the order of the listing. */
  #byLength(): Uint32Array {
    const length = (entry: number): number =>
      Math.min((this.#ends[entry] ?? 0) - (this.#starts[entry] ?? 0), MAX_LENGTH);
    const places = new Uint32Array(MAX_LENGTH + 2);
    for (let entry = 0; entry < this.#starts.length; entry += 1) {
      const next = length(entry) + 1;
      places[next] = (places[next] ?? 0) + 1;
    }
    for (let at = 1; at < places.length; at += 1) places[at] = (places[at] ?? 0) + (places[at - 1] ?? 0);
    const order = new Uint32Array(this.#starts.length);
    for (let entry = 0; entry < this.#starts.length; entry += 1) {
      const place = places[length(entry)] ?? 0;
      order[place] = entry;
      places[length(entry)] = place + 1;
    }
    return order;
  }

  #add(start: number, end: number, name: string): void {
    if (end === start) return;
    const isFolder = name.endsWith('/');
    const base = this.#text.lastIndexOf('/', end - (isFolder ? 2 : 1)) + 1;
    const from = Math.max(base, start);
    if (from > start && this.#text.slice(start, from) !== this.#folder) this.#addFolders(start, from, name);
    // The listing may name a folder after a file in it.
    if (isFolder && !this.#isNew(name)) return;
    this.#push(start, from, end, name);
  }

  /** Adds the folders in `text[start, end)` that are not entries yet. */
  #addFolders(start: number, end: number, name: string): void {
    this.#folder = this.#text.slice(start, end);
    for (let slash = this.#folder.indexOf('/'), depth = 1; slash >= 0; depth += 1) {
      const folder = this.#folder.slice(0, slash + 1);
      const onDisk = name.split('/').slice(0, depth).join('/').concat('/');
      if (this.#isNew(onDisk)) {
        this.#push(start, start + folder.lastIndexOf('/', slash - 1) + 1, start + slash + 1, onDisk);
      }
      slash = this.#folder.indexOf('/', slash + 1);
    }
  }

  #isNew(folder: string): boolean {
    const before = this.#folders.size;
    return this.#folders.add(folder).size > before;
  }

  #push(start: number, base: number, end: number, name: string): void {
    const entry = this.#starts.length;
    // git lists a path in conflict once for each side, one after the other.
    const last = entry - 1;
    const length = end - start;
    if (this.#ends[last] === start - 1 && length === start - 1 - (this.#starts[last] ?? 0)) {
      if (this.#text.startsWith(this.#text.slice(start, end), this.#starts[last])) return;
    }
    this.#starts.push(start);
    this.#bases.push(base);
    this.#ends.push(end);
    if (name.length !== length || !this.#text.startsWith(name, start)) this.#otherNames.set(entry, name);
  }
}

function depthOf(folded: Uint16Array, start: number, base: number): number {
  let depth = 0;
  for (let at = start; at < base; at += 1) if (folded[at] === SLASH) depth += 1;
  return Math.min(depth, 255);
}
