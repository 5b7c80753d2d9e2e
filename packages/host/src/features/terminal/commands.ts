import {
  type CreateTerminalParams,
  conflict,
  findChat,
  hasExited,
  invalidParam,
  notFound,
  permissionDenied,
  sessionNotFound,
  type TerminalClaim,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import { checkNewUri } from '../../handler-port/new-uri.ts';
import type { Sync } from '../../sync/sync.ts';
import { fittedSize } from '../../terminals/start/launch.ts';
import type { Terminals } from '../../terminals/terminals.ts';
import { checkHands, checkTitle } from './rules.ts';

const DEFAULT_SIZE = { cols: 80, rows: 24 } as const;

interface Parts {
  readonly sync: Sync;
  readonly terminals: Terminals;
  /** Validates and completes a working directory, in the order of [SESS-1]. Returns an absolute path. */
  resolveDirectory(uri: string | undefined, caller: Caller): Promise<{ path: string }>;
}

/** `createTerminal`, `disposeTerminal`, `x-signalTerminal` [TERM-1]. */
export function terminalCommands({ sync, terminals, resolveDirectory }: Parts): Commands {
  return {
    createTerminal: async (params, caller) => {
      const { channel: uri, claim, name, cols, rows } = params;
      checkNewUri('channel', uri, 'terminal');
      await terminals.checkFree(uri);
      await checkClaim(sync, claim, caller);
      const { path } = await resolveDirectory(params.cwd, caller);
      const fault = name === undefined ? undefined : checkTitle(name);
      if (fault !== undefined) throw invalidParam('name', fault.reason);
      const command = commandOf(params);
      const env = envOf(params);
      await terminals.create({
        uri,
        claim,
        cwd: path,
        ...fittedSize({ cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows }),
        ...defined({ title: name, command, env }),
      });
      return null;
    },
    disposeTerminal: async ({ channel }) => {
      await terminals.dispose(channel);
      return null;
    },
    'x-signalTerminal': async ({ channel, signal }, { clientId }) => {
      const terminal = await sync.registry.openOf('terminal', channel);
      if (terminal === undefined) throw notFound('terminal', channel);
      const denied = checkHands(terminal.state, clientId);
      if (denied !== undefined) throw permissionDenied(denied.reason);
      if (terminals.isAwaited(channel))
        throw conflict('What runs this terminal does not answer now: try again once it does');
      const runner = terminals.runner(channel);
      if (runner === undefined || hasExited(terminal.state))
        throw conflict('What ran in this terminal has ended');
      runner.pty.signal(`SIG${signal}`);
      return null;
    },
  };
}

async function checkClaim(sync: Sync, claim: TerminalClaim, { clientId }: Caller): Promise<void> {
  if (claim.kind === 'client') {
    if (claim.clientId !== clientId) throw invalidParam('claim.clientId', 'expected your own clientId');
    return;
  }
  const session = await sync.registry.openOf('session', claim.session);
  if (session === undefined) throw sessionNotFound(claim.session);
  if (findChat(session.state.chats, claim.chat) === undefined) throw notFound('chat', claim.chat);
}

function commandOf({ 'x-command': command }: CreateTerminalParams): [string, ...string[]] | undefined {
  if (command === undefined) return undefined;
  const [program, ...args] = command;
  if (program === undefined || program === '')
    throw invalidParam('x-command', 'expected a program and its arguments');
  if (command.some((each) => each.includes('\0')))
    throw invalidParam('x-command', 'a NUL character cannot be passed to a program');
  return [program, ...args];
}

function envOf({ 'x-env': env }: CreateTerminalParams): Record<string, string> | undefined {
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw invalidParam('x-env', `${JSON.stringify(name.slice(0, 100))} cannot name a variable`);
    if (value.includes('\0')) throw invalidParam(`x-env.${name}`, 'holds a NUL character');
  }
  return env;
}
