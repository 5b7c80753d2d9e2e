import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SessionActiveClient } from '@agenthost/protocol';
import type { ClientTool } from '../agents/tool-call.ts';

/** Maximum length of tool names for models. */
const MAX_NAME = 128;

/**
 * The tools that active clients offer, each with a unique name. If several clients offer the same name, the
 * first client's tool keeps it, and the other names get a suffix that depends only on their client. Names that are `reserved` get it too.
 */
export function offeredTools(
  activeClients: readonly SessionActiveClient[],
  reserved: readonly string[] = [],
): ClientTool[] {
  const taken = new Set(reserved);
  return activeClients.flatMap(({ clientId, tools }) =>
    tools.map((definition) => {
      const name = taken.has(definition.name) ? markedName(definition.name, clientId) : definition.name;
      taken.add(name);
      return { clientId, name, definition };
    }),
  );
}

/** The name of a tool whose own name another client already uses. */
function markedName(name: string, clientId: string): string {
  const mark = `_${createHash('sha256').update(clientId).digest('hex').slice(0, 6)}`;
  return `${name.slice(0, MAX_NAME - mark.length)}${mark}`;
}

/** Whether agents would get the same list. */
export const isSameOffer = (
  before: readonly SessionActiveClient[],
  after: readonly SessionActiveClient[],
): boolean => {
  if (before === after) return true;
  return before.length === after.length && before.every((client, at) => isSameClient(client, after[at]));
};

/** Compares the tools of a client only if its object has changed. */
function isSameClient(before: SessionActiveClient, after: SessionActiveClient | undefined): boolean {
  if (before === after) return true;
  return before.clientId === after?.clientId && isDeepStrictEqual(before.tools, after.tools);
}
