import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SessionActiveClient } from '@agenthost/protocol';
import type { ClientTool } from '../agents/tool-call.ts';

/** Names for models end here. */
const MAX_NAME = 128;

/**
 * The tools that active clients offer, each under a name of its own. Of several clients that offer the same name, the one
 * that was there first has it as it is; the others' end in a mark of their client, which stays the same whoever comes and goes.
 */
export function offeredTools(activeClients: readonly SessionActiveClient[]): ClientTool[] {
  const taken = new Set<string>();
  return activeClients.flatMap(({ clientId, tools }) =>
    tools.map((definition) => {
      const name = taken.has(definition.name) ? markedName(definition.name, clientId) : definition.name;
      taken.add(name);
      return { clientId, name, definition };
    }),
  );
}

/** The name of a tool where another client's has it already. */
function markedName(name: string, clientId: string): string {
  const mark = `_${createHash('sha256').update(clientId).digest('hex').slice(0, 6)}`;
  return `${name.slice(0, MAX_NAME - mark.length)}${mark}`;
}

/** Whether agents would see another list. */
export const isSameOffer = (
  before: readonly SessionActiveClient[],
  after: readonly SessionActiveClient[],
): boolean => {
  if (before === after) return true;
  return before.length === after.length && before.every((client, at) => isSameClient(client, after[at]));
};

/** Of many clients one has changed: only that one's tools are compared. */
function isSameClient(before: SessionActiveClient, after: SessionActiveClient | undefined): boolean {
  if (before === after) return true;
  return before.clientId === after?.clientId && isDeepStrictEqual(before.tools, after.tools);
}
