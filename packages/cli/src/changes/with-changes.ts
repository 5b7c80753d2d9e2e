import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AhpClient,
  type ChangesetChoice,
  type ChangesetHandle,
  NoSuchChangeset,
  type SessionHandle,
} from '@agenthost/client';
import { ErrorCodes, type SessionSummary, type URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { wireCodeOf } from '../host-link/host-errors.ts';
import { findChat, findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import { chooseTurn } from './choose-turn.ts';
import type { PathPlace } from './file-names.ts';

/** Options that choose a changeset, as parsed. */
export interface ChangesetOptions extends HostOptions {
  readonly json?: boolean;
  readonly turn?: string;
  readonly chat?: string;
  readonly branch?: boolean;
  readonly uncommitted?: boolean;
}

/** A changeset that a command works on. */
export interface OpenChanges {
  readonly changes: ChangesetHandle;
  readonly session: SessionHandle;
  readonly place: PathPlace;
  /** The value of `--turn` that chooses the changeset now and later: with ids instead of `last`. Absent: it shows no turn. */
  readonly turn?: string;
}

/** Turns that are loaded first, to find one by the beginning of its id. */
const LOADED_TURNS = 50;

/**
 * Opens the changeset that the options choose, waits until its files are known, and closes it. `given`: the session; without it, the newest one
 * that works in the current folder. Rejects with a `CliError`.
 */
export function withChanges(
  context: Context,
  screen: Screen,
  { session: given, ...options }: ChangesetOptions & { readonly session: string | undefined },
  use: (open: OpenChanges) => Promise<void>,
): Promise<ExitCode> {
  checkChoice(options);
  return withHost(context, screen, options, async ({ client, target }) => {
    const found =
      given === undefined ? await sessionIn(client, context.cwd) : await findSession(client, given);
    const turns = options.turn === undefined ? 0 : LOADED_TURNS;
    const session = await client.sessions.open(found.resource, { turns });
    try {
      screen.status('reading the changes');
      const choice = await choiceOf(session, options, turns);
      const changes = await open(session, choice);
      try {
        await changes.settled();
        screen.status(undefined);
        const folders = session.mirror.state.workingDirectories ?? found.workingDirectories ?? [];
        const place = { cwd: context.cwd, isOwn: target.isOwn, folders };
        await use({ changes, session, place, ...defined({ turn: turnOption(choice) }) });
      } finally {
        changes.dispose();
      }
    } finally {
      screen.status(undefined);
      session.dispose();
    }
    return EXIT.done;
  });
}

function checkChoice({ turn, chat, branch, uncommitted }: ChangesetOptions): void {
  const kinds = [branch === true, uncommitted === true, turn !== undefined || chat !== undefined];
  if (kinds.filter(Boolean).length > 1)
    throw usageError('expected one of --turn or --chat, --branch, and --uncommitted');
}

function turnOption(choice: ChangesetChoice): string | undefined {
  if (typeof choice === 'string') return undefined;
  if ('originalTurnId' in choice) return `${choice.originalTurnId}..${choice.modifiedTurnId}`;
  return 'turnId' in choice ? choice.turnId : undefined;
}

async function open(session: SessionHandle, choice: ChangesetChoice): Promise<ChangesetHandle> {
  try {
    return await (await session.changes()).open(choice);
  } catch (cause) {
    if (cause instanceof NoSuchChangeset) throw new CliError(EXIT.error, unavailable(cause), { cause });
    if (wireCodeOf(cause) !== ErrorCodes.NotFound) throw cause;
    const message = 'the files of this turn were not recorded, or its record was removed';
    throw new CliError(EXIT.error, message, { cause });
  }
}

function unavailable({ kind }: NoSuchChangeset): string {
  return kind === 'uncommitted' || kind === 'branch'
    ? 'the folder of the session is not in a git repository, or the session has had no turn yet'
    : 'the session has had no turn yet';
}

async function choiceOf(
  session: SessionHandle,
  { turn, chat: given, branch, uncommitted }: ChangesetOptions,
  turns: number,
): Promise<ChangesetChoice> {
  if (branch === true) return 'branch';
  if (uncommitted === true) return 'uncommitted';
  const chat = given === undefined ? undefined : findChat(session.mirror.state, given, session.uri).resource;
  if (turn === undefined) return chat === undefined ? 'session' : { chat };
  const handle = chat === undefined ? session.chat : await session.openChat(chat, { turns });
  try {
    const [first = '', second, ...rest] = turn.split('..');
    if (rest.length > 0 || (second !== undefined && chat !== undefined))
      throw usageError(`${oneLine(turn)}: expected a turn, or without --chat two turns as first..second`);
    const turnId = await chooseTurn(handle, first);
    if (second !== undefined)
      return { originalTurnId: turnId, modifiedTurnId: await chooseTurn(handle, second) };
    return chat === undefined ? { turnId } : { chat, turnId };
  } finally {
    if (handle !== session.chat) handle.dispose();
  }
}

/** The newest session that works in a folder, or above it. */
async function sessionIn(client: AhpClient, cwd: string): Promise<SessionSummary> {
  for await (const session of client.sessions.list())
    if (session.workingDirectories?.some((folder) => isWithin(cwd, folder)) === true) return session;
  throw new CliError(EXIT.error, 'no session works in this folder; name the session');
}

function isWithin(path: string, folder: URI): boolean {
  try {
    const inside = relative(fileURLToPath(folder), path);
    return inside === '' || (inside !== '..' && !inside.startsWith('../'));
  } catch {
    // No folder of this machine.
    return false;
  }
}
