import type { AhpClient } from '@agenthost/client';
import type { TerminalInfo } from '@agenthost/protocol';
import { idOf } from '../input/session-ids.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

/** All terminals of the host, in its order. */
export async function listedTerminals(client: AhpClient): Promise<readonly TerminalInfo[]> {
  const catalogue = await client.terminals();
  const { items } = catalogue;
  catalogue.dispose();
  return items;
}

/**
 * The terminal that was meant: its URI, its id, its number in the list, or the beginning of an id that no other one has.
 * Rejects with a `CliError`.
 */
export async function findTerminal(client: AhpClient, given: string): Promise<TerminalInfo> {
  return chooseTerminal(await listedTerminals(client), given);
}

/**
 * The same for a terminal that is to be ended: a number in the list is refused, since others move up when one goes, and the same command a second
 * time would end another.
 */
export async function findTerminalById(client: AhpClient, given: string): Promise<TerminalInfo> {
  const terminals = await listedTerminals(client);
  const chosen = chooseTerminal(terminals, given);
  const id = idOf(chosen.resource);
  if (chosen.resource === given || id.startsWith(given)) return chosen;
  const place = `${oneLine(given)} is a place in the list, and others move up when a terminal ends`;
  throw usageError(`${place}: name it by its id, ${oneLine(id.slice(0, 8))}`);
}

/** The same among those listed. A whole id goes before a number, and a number before the beginning of an id. */
export function chooseTerminal(terminals: readonly TerminalInfo[], given: string): TerminalInfo {
  const exact = terminals.find(({ resource }) => resource === given || idOf(resource) === given);
  if (exact !== undefined) return exact;
  const numbered = /^[1-9]\d{0,2}$/.test(given) ? terminals[Number(given) - 1] : undefined;
  if (numbered !== undefined) return numbered;
  const matches = given === '' ? [] : terminals.filter(({ resource }) => idOf(resource).startsWith(given));
  const [match, ...others] = matches;
  if (match === undefined) {
    throw new CliError(
      EXIT.error,
      `no terminal is called ${oneLine(given) || '(nothing)'}; \`${commandLine('term list')}\` lists them`,
    );
  }
  if (others.length > 0) {
    const ids = matches.slice(0, 5).map(({ resource }) => oneLine(idOf(resource)));
    throw usageError(`${matches.length} terminals begin with ${oneLine(given)}: ${ids.join(', ')}`);
  }
  return match;
}
