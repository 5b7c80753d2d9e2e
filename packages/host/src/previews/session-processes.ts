import type { ProcessRoot, ScanInput } from './port-scanner.ts';
import type { ProcessEntry } from './process-table.ts';

/** A process of sessions. */
interface Member {
  readonly entry: ProcessEntry;
  readonly root: ProcessRoot;
}

/**
 * The processes that belong to sessions: the descendants of their terminals and agents, the processes in the sessions of their terminals, and
 * those with the marks of their agents. A process that was found once stays, also when its parent ends before it.
 */
export class SessionProcesses {
  #members = new Map<number, Member>();

  /**
   * Finds the processes among all processes of the machine. `marks`: the marks of processes, by pid. Returns the processes without the own
   * ones of agents.
   */
  find(
    table: readonly ProcessEntry[],
    roots: readonly ProcessRoot[],
    marks: ReadonlyMap<number, string> = new Map(),
  ): readonly Member[] {
    const byPid = new Map(table.map((entry) => [entry.pid, entry]));
    const children = groupBy(table, ({ parent }) => parent);
    const inSession = groupBy(table, ({ session }) => session);
    const marked = groupBy(table, ({ pid }) => marks.get(pid) ?? '');
    const members = new Map<number, Member>();
    const add = (first: readonly ProcessEntry[], root: ProcessRoot): void => {
      const waiting = [...first];
      for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
        if (members.has(entry.pid)) continue;
        members.set(entry.pid, { entry, root });
        waiting.push(...(children.get(entry.pid) ?? []));
      }
    };
    for (const root of roots) {
      const leader = byPid.get(root.pid);
      add([...(leader === undefined ? [] : [leader]), ...(inSession.get(root.pid) ?? [])], root);
    }
    for (const root of roots) {
      const mark = root.kind === 'agent' ? (marks.get(root.pid) ?? '') : '';
      if (mark !== '') add(marked.get(mark) ?? [], root);
    }
    for (const { entry, root } of this.#members.values()) {
      const present = byPid.get(entry.pid);
      const renewed = roots.find((each) => each.pid === root.pid && each.kind === root.kind);
      if (present?.start === entry.start) add([present], renewed ?? root);
    }
    this.#members = members;
    return [...members.values()].filter(({ entry, root }) => root.kind !== 'agent' || entry.pid !== root.pid);
  }
}

/**
 * The sessions of a process that runs in `folder`: of the sessions of its root those with the innermost folder around it, or all if there is
 * none.
 */
export function sessionsIn(
  folder: string | undefined,
  root: ProcessRoot,
  foldersOf: ScanInput['foldersOf'],
): readonly string[] {
  if (root.sessions.length < 2 && root.isByFolder !== true) return root.sessions;
  let best = 0;
  let found: string[] = [];
  for (const session of root.sessions) {
    const depth = Math.max(
      0,
      ...foldersOf(session).map((path) => (isInside(folder, path) ? path.length : 0)),
    );
    if (depth === 0 || depth < best) continue;
    if (depth > best) found = [];
    best = depth;
    found.push(session);
  }
  return found.length === 0 && root.isByFolder !== true ? root.sessions : found;
}

function groupBy<K>(
  table: readonly ProcessEntry[],
  keyOf: (entry: ProcessEntry) => K,
): ReadonlyMap<K, readonly ProcessEntry[]> {
  const groups = new Map<K, ProcessEntry[]>();
  for (const entry of table) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return groups;
}

const isInside = (path: string | undefined, folder: string): boolean =>
  path !== undefined && (path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
