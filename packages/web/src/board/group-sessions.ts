import type { BoardSession } from './board-session.ts';
import { projectId, projectName } from './folder-name.ts';
import { NEEDS, type Need, needOf } from './session-need.ts';

/** How the board orders sessions. */
export type Grouping = 'need' | 'project';

/** Sessions below one heading. */
export interface SessionGroup {
  /** Unique on the board, and the same after a reload. */
  readonly id: string;
  /** Present when the group is a need. */
  readonly need?: Need;
  /** Name of the project; empty for sessions without one. Present when the group is a project. */
  readonly project?: string;
  readonly sessions: readonly BoardSession[];
}

/** A row of the list. */
export type BoardRow =
  | { readonly kind: 'group'; readonly key: string; readonly group: SessionGroup; readonly isOpen: boolean }
  | { readonly kind: 'session'; readonly key: string; readonly session: BoardSession };

/**
 * Groups by need, the most urgent first. The order inside a group stays, except that running sessions are ordered by creation, because they change
 * all the time.
 */
export function groupByNeed(sessions: readonly BoardSession[]): SessionGroup[] {
  const byNeed = new Map<Need, BoardSession[]>(NEEDS.map((need) => [need, []]));
  for (const session of sessions) byNeed.get(needOf(session.summary))?.push(session);
  byNeed.get('running')?.sort(newestFirst);
  return NEEDS.flatMap((need) => {
    const members = byNeed.get(need) ?? [];
    return members.length === 0 ? [] : { id: `need ${need}`, need, sessions: members };
  });
}

/** Groups by project. Projects are ordered by name; sessions without a project come last. */
export function groupByProject(sessions: readonly BoardSession[]): SessionGroup[] {
  const byProject = new Map<string, BoardSession[]>();
  for (const session of sessions) {
    const id = projectId(session.summary);
    const members = byProject.get(id);
    if (members === undefined) byProject.set(id, [session]);
    else members.push(session);
  }
  return Array.from(byProject, ([id, members]) => ({
    id: `project ${id}`,
    project: members[0] === undefined ? '' : projectName(members[0].summary),
    sessions: members,
  })).sort((a, b) => {
    if ((a.project === '') !== (b.project === '')) return a.project === '' ? 1 : -1;
    return a.project.localeCompare(b.project) || (a.id < b.id ? -1 : 1);
  });
}

/** The rows of a list: each group's heading, and its sessions unless the group is closed. */
export function rowsOf(groups: readonly SessionGroup[], closed: ReadonlySet<string>): BoardRow[] {
  const rows: BoardRow[] = [];
  for (const group of groups) {
    const isOpen = !closed.has(group.id);
    rows.push({ kind: 'group', key: group.id, group, isOpen });
    if (isOpen)
      for (const session of group.sessions) rows.push({ kind: 'session', key: session.key, session });
  }
  return rows;
}

const newestFirst = (a: BoardSession, b: BoardSession): number =>
  a.summary.createdAt < b.summary.createdAt ? 1 : -1;
