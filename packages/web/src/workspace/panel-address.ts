import type { URI } from '@agenthost/protocol';

/** The parts of the workspace of a session. */
export type PanelName = 'changes' | 'files' | 'comments';

/** The changes that the panel shows. `turn` without an id: the last turn of the shown chat. `turns`: what turns after one have changed, up to another. */
export type ChangesKind = 'session' | 'uncommitted' | 'branch' | 'chat' | 'turn' | 'turns';

/** What the workspace beside a chat shows, as part of the address of a session. */
export interface PanelAddress {
  /** Absent: the workspace is closed. */
  readonly panel?: PanelName | undefined;
  readonly changes?: ChangesKind | undefined;
  /** Id of a turn of the shown chat, for `turn`; the last one of a range, for `turns`. */
  readonly of?: string | undefined;
  /** Id of the turn before a range, for `turns`. */
  readonly after?: string | undefined;
  /** URI of the shown file. */
  readonly file?: URI | undefined;
  /** Line of the shown file, from 1. */
  readonly line?: string | undefined;
}

const PANELS: readonly PanelName[] = ['changes', 'files', 'comments'];
const KINDS: readonly ChangesKind[] = ['session', 'uncommitted', 'branch', 'chat', 'turn', 'turns'];

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads the workspace's part of an address; what is unknown is left out. */
export const panelAddress = (search: Record<string, unknown>): PanelAddress => ({
  panel: PANELS.find((name) => name === search['panel']),
  changes: KINDS.find((kind) => kind === search['changes']),
  of: textOf(search['of']),
  after: textOf(search['after']),
  file: textOf(search['file']),
  line: textOf(search['line']),
});

/** A closed workspace. */
export const CLOSED_PANEL: PanelAddress = {
  panel: undefined,
  changes: undefined,
  of: undefined,
  after: undefined,
  file: undefined,
  line: undefined,
};
