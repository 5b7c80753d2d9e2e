/** A version of a file in a store. */
export interface Blob {
  /** `100644`, `100755` (executable) or `120000` (symbolic link). */
  readonly mode: string;
  readonly id: string;
}

/** A changed file. Absent `before`: it was created; absent `after`: it was deleted. */
export interface TreeChange {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly before?: Blob;
  readonly after?: Blob;
}

/** A changed file with its counts. */
export interface CountedChange extends TreeChange {
  /** The path before, if the file was renamed. */
  readonly from?: string;
  /** Absent: not text. */
  readonly lines?: { readonly added: number; readonly removed: number };
}

/** Modes of files and links; a store has no other entries, but a tree of the user may. */
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755', '120000', '100664']);

/** Reads the output of `diff-tree -z --raw`, with `--numstat` after it or not. Submodules are left out. */
export function parseDiff(parts: readonly Buffer[]): CountedChange[] {
  const changes = new Map<string, CountedChange>();
  let at = 0;
  const next = (): string => {
    const part = parts[at];
    at += 1;
    return part === undefined ? '' : part.toString('utf8');
  };
  while (at < parts.length) {
    const head = next();
    if (head.startsWith(':')) {
      const [modeBefore = '', modeAfter = '', before = '', after = '', status = ''] = head
        .slice(1)
        .split(' ');
      const isMoved = /^[RC]/.test(status);
      const first = next();
      const path = isMoved ? next() : first;
      const change = {
        path,
        ...(isMoved ? { from: first } : {}),
        ...blobOf('before', modeBefore, before),
        ...blobOf('after', modeAfter, after),
      };
      if (change.before !== undefined || change.after !== undefined) changes.set(path, change);
      continue;
    }
    const [added = '', removed = '', name = ''] = head.split('\t');
    if (name === '') next();
    const path = name === '' ? next() : name;
    const change = changes.get(path);
    if (change !== undefined && added !== '-')
      changes.set(path, { ...change, lines: { added: Number(added), removed: Number(removed) } });
  }
  return [...changes.values()];
}

function blobOf(side: 'before' | 'after', mode: string, id: string): { [S in typeof side]?: Blob } {
  if (!FILE_MODES.has(mode)) return {};
  return { [side]: { mode: mode === '100664' ? '100644' : mode, id } };
}

/** Whether two versions are the same, in content and mode. */
export const isSameBlob = (a: Blob | undefined, b: Blob | undefined): boolean =>
  a?.id === b?.id && a?.mode === b?.mode;

/** The sum of successive changes: of each path its first `before` and its last `after`. Paths that ended as they began are left out. */
export function compose(steps: readonly (readonly TreeChange[])[]): TreeChange[] {
  const sum = new Map<string, TreeChange>();
  for (const step of steps) {
    for (const { path, before, after } of step) {
      const earlier = sum.get(path);
      const first = earlier === undefined ? before : earlier.before;
      sum.set(path, { path, ...(first && { before: first }), ...(after && { after }) });
    }
  }
  return [...sum.values()].filter(({ before, after }) => !isSameBlob(before, after));
}

/** Reads the output of `cat-file --batch`. `undefined`: a missing object. */
export function parseBatch(output: Buffer): (Buffer | undefined)[] {
  const found: (Buffer | undefined)[] = [];
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(10, at);
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(output.toString('latin1', at, lineEnd))?.[1];
    const end = size === undefined ? lineEnd : lineEnd + 1 + Number(size);
    found.push(size === undefined ? undefined : output.subarray(lineEnd + 1, end));
    at = end + 1;
  }
  return found;
}
