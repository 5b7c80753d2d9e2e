import { type Clock, steadyNow } from '../../lib/clock.ts';
import { keepTerminalList } from '../../terminals/catalogue.ts';
import { followMovedChats, narrowEndedClaims } from '../../terminals/claims.ts';
import type { TerminalParts } from '../../terminals/parts.ts';
import { Terminals } from '../../terminals/terminals.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { ClientIds } from '../../wire/clients/clients.ts';
import type { Feature } from '../feature.ts';
import { terminalCommands } from './commands.ts';
import { terminalModule } from './module.ts';

/** Terminals: shells of users, and commands of agents [TERM-1]. */
export function terminalFeature(
  parts: TerminalParts & {
    readonly clock: Clock;
    readonly presence: Presence;
    readonly clientIds: ClientIds;
  } & Pick<Parameters<typeof terminalCommands>[0], 'resolveDirectory'>,
): Feature & { readonly terminals: Terminals } {
  const { sync, log, clock, presence, clientIds, resolveDirectory } = parts;
  keepTerminalList(sync);
  narrowEndedClaims(sync, (error, uri) => log.error({ error, uri }, 'could not narrow a terminal claim'));
  followMovedChats(sync, (error, uri) => log.error({ error, uri }, 'could not move a terminal claim'));
  const terminals = new Terminals(parts);
  return {
    name: 'terminal',
    terminals,
    commands: terminalCommands({ sync, terminals, resolveDirectory }),
    channel: { terminal: terminalModule({ sync, terminals, presence, clientIds }) },
    sweep: () => terminals.unloadIdle(steadyNow(clock) - parts.unloadAfterMs),
    stop: () => terminals.stop(),
  };
}
