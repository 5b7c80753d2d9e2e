import { CHAT } from './chat.ts';
import type { At, Doc, Table } from './doc.ts';
import {
  ANNOTATIONS,
  AUTOMATION_RUN,
  AUTOMATIONS,
  CANVAS,
  CHANGESET,
  ROOT,
  TERMINAL,
} from './other-channels.ts';
import { SESSION } from './session.ts';

const TABLES: Readonly<Record<string, Table>> = {
  root: ROOT,
  session: SESSION,
  chat: CHAT,
  terminal: TERMINAL,
  changeset: CHANGESET,
  annotations: ANNOTATIONS,
  resourceWatch: {},
  automation: AUTOMATIONS,
  automationRun: AUTOMATION_RUN,
  canvas: CANVAS,
};

/**
 * Reduces an action as a version's reducers do. It is written independently of the product's reducers, for tests of them and of the
 * dialects. States and actions are JSON values of that version; unknown actions change nothing. Returns a new object.
 */
export function reduceAt(at: At, kind: string, state: Doc, action: Doc): Doc {
  const table = Object.hasOwn(TABLES, kind) ? TABLES[kind] : undefined;
  if (table === undefined) throw new Error(`no reducer for channels of the kind ${kind}`);
  const type = String(action['type']);
  const next = structuredClone(state);
  if (Object.hasOwn(table, type)) table[type]?.(next, structuredClone(action), at);
  return next;
}
