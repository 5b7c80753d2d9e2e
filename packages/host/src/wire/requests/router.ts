import {
  CLIENT_REQUEST_METHODS,
  type ClientRequestMethod,
  type ClientToHostRequests,
  databaseUnreachable,
  findParamsFault,
  internalError,
  invalidParam,
  invalidParams,
  isWithinScope,
  methodNotFound,
  permissionDenied,
  ROOT_URI,
  type ScopeRefusal,
  scopeOfRequest,
  sizeProblem,
  type WireError,
} from '@agenthost/protocol';
import { validateParams } from '@agenthost/protocol/validate';
import { Answer } from '../../handler-port/answer.ts';
import type { Command, Commands } from '../../handler-port/commands.ts';
import { JournalError } from '../../journal/journal.ts';
import { JournalUnavailable } from '../../sync/commit-path.ts';
import { readTrouble } from '../../sync/journal-trouble.ts';
import type { Sync } from '../../sync/sync.ts';
import { withClientFiles } from '../client-files/attachments.ts';
import type { Connection } from '../connection/connection.ts';
import { isObject } from '../json.ts';
import { beyondSentence, callerOf, scopeRefusal, scopeSentence } from './caller.ts';
import { firstChoice } from './choices.ts';
import type { SessionRights } from './session-rights.ts';

type Params<M extends ClientRequestMethod> = ClientToHostRequests[M]['params'];

/** Commands that only read or wait. Later messages of the connection do not wait for them [WIRE-6]. */
const CONCURRENT: ReadonlySet<ClientRequestMethod> = new Set([
  'listSessions',
  'x-searchSessions',
  'x-listApprovals',
  // Waits for a push service.
  'x-testPush',
  'fetchTurns',
  'x-diskUse',
  'x-hostDiskUse',
  // Waits for turns.
  'x-drainHost',
  // These copy the database.
  'x-backup',
  'x-checkHost',
  'x-listAgents',
  'completions',
  'resolveSessionConfig',
  'sessionConfigCompletions',
  'resourceRead',
  'resourceList',
  'resourceResolve',
  'resourceRequest',
  // Waits for a scan of the folder.
  'createResourceWatch',
  // Waits for hooks, for the network and for other operations; the state shows its progress.
  'invokeChangesetOperation',
  // Reads a file of the project.
  'x-listMcpServers',
  // These wait for an authorization server.
  'x-startMcpSignIn',
  'x-finishMcpSignIn',
  'x-beginSignIn',
  'x-finishSignIn',
  // These wait for a scan of processes.
  'x-listPorts',
  'x-openPreview',
  // These wait for git.
  'x-listWorktrees',
  'x-createWorktree',
  'x-mergeWorktree',
  'x-openWorktree',
  'x-removeWorktree',
]);

/** Concurrent commands that wait for a person, or for turns. They take no place among the running requests of the connection. */
const UNGATED: ReadonlySet<ClientRequestMethod> = new Set([
  'resourceRequest',
  'x-finishSignIn',
  'x-drainHost',
]);

const MEBIBYTE = 1024 * 1024;

/**
 * Concurrent commands with large answers, and the bytes that an answer counts for while it is made. They take turns with handshakes and
 * subscriptions in the admission queue. Commands of `admin` tokens do not, so that clients of an admin that do not read cannot block the admin.
 * Commands that wait for an agent are not listed: they would block handshakes.
 */
const LARGE: ReadonlyMap<ClientRequestMethod, number> = new Map([
  ['listSessions', 8 * MEBIBYTE],
  ['fetchTurns', 8 * MEBIBYTE],
  // A page of 100 with long snippets.
  ['x-searchSessions', 4 * MEBIBYTE],
  ['x-listApprovals', 2 * MEBIBYTE],
  // A version of a changed file has 4 Mi characters, of up to three bytes.
  ['resourceRead', 16 * MEBIBYTE],
  ['resourceList', 8 * MEBIBYTE],
]);

/** Methods that concern the whole connection: their channel must be the root channel [WIRE-2]. */
const CONNECTION_LEVEL: ReadonlySet<ClientRequestMethod> = new Set([
  'initialize',
  'ping',
  'reconnect',
  'authenticate',
  'listSessions',
  'x-searchSessions',
  'x-listApprovals',
  'x-listAgents',
  'x-setAgentKey',
  'x-beginSignIn',
  'x-finishSignIn',
  'x-hostDiskUse',
  'x-drainHost',
  'x-backup',
  'x-checkHost',
  'x-listPorts',
  'x-revokeApproval',
  'x-listGrants',
  'x-answerGrant',
  'x-revokeGrant',
  'x-listWorktrees',
  'x-mergeWorktree',
  'x-openWorktree',
  'x-removeWorktree',
  'x-createToken',
  'x-listTokens',
  'x-revokeToken',
  'x-setSessionRole',
  'x-listSessionRoles',
  'x-setPresence',
  'x-pushKey',
  'x-subscribePush',
  'x-listPush',
  'x-updatePush',
  'x-revokePush',
  'x-testPush',
  'resolveSessionConfig',
  'sessionConfigCompletions',
  'listAutomationTriggerDefinitions',
]);

/** Requests that change the connection itself. They may hold its outbox. */
export type WireRequests = {
  readonly [M in 'initialize' | 'reconnect' | 'subscribe']: (
    connection: Connection,
    params: Params<M>,
  ) => Promise<Answer>;
};

/** Runs a request in its turn of the admission queue. `mostBytes`: upper bound of its answer. */
type InTurn = <T>(connection: Connection, work: () => Promise<T>, mostBytes: number) => Promise<T>;

/**
 * Longest time that a ping waits for requests before it. Clients close a connection without an answer to a ping after ten seconds. A ping never
 * overtakes a dispatch: its answer tells the client that earlier dispatches are settled [WIRE-4].
 */
const PING_PATIENCE_MS = 3_000;

/** Routes the requests of a connection to their commands. */
export function routeRequests(
  connection: Connection,
  {
    commands,
    wire,
    sync,
    rights,
    inTurn,
  }: { commands: Commands; wire: WireRequests; sync: Sync; rights: SessionRights; inTurn: InTurn },
): void {
  const { peer } = connection;
  const serve = <M extends keyof WireRequests>(method: M, run: WireRequests[M]): void =>
    peer.handle(method, async (params) => {
      if (method === 'subscribe') connection.online satisfies object;
      try {
        if (method !== 'subscribe' && !connection.isOnline) connection.meet(params);
        const waiting = paramsIn(connection, method, params);
        const given = waiting instanceof Promise ? await waiting : waiting;
        const checked = checkCall(connection, rights, method, given);
        const allowed = checked instanceof Promise ? await checked : checked;
        return await guarded(connection, method, () => run(connection, allowed));
      } catch (error) {
        // The error is not what the outbox is held for.
        connection.outbox.release();
        throw error;
      }
    });
  serve('initialize', wire.initialize);
  serve('reconnect', wire.reconnect);
  serve('subscribe', wire.subscribe);
  peer.handle(
    'ping',
    (params) => {
      checkParams('ping', params);
      return Answer.anyway(null);
    },
    { patienceMs: PING_PATIENCE_MS },
  );
  for (const method of CLIENT_REQUEST_METHODS) {
    if (method === 'ping' || method in wire) continue;
    routeCommand(connection, { commands, sync, rights, inTurn }, method);
  }
}

function routeCommand<M extends ClientRequestMethod>(
  connection: Connection,
  {
    commands,
    sync,
    rights,
    inTurn,
  }: { commands: Commands; sync: Sync; rights: SessionRights; inTurn: InTurn },
  method: M,
): void {
  const isConcurrent = CONCURRENT.has(method);
  const isGated = isConcurrent && !UNGATED.has(method);
  connection.peer.handle(
    method,
    (params, context) => {
      // Throws before the handshake [WIRE-4].
      const caller = callerOf(connection);
      const command: Command<M> | undefined = commands[method];
      if (command === undefined) throw methodNotFound(method);
      const { translator } = connection;
      if (!translator.dialect.hasCommand(method)) throw methodNotFound(method);
      const run = async (): Promise<Answer> => {
        const waiting = paramsIn(connection, method, params);
        // A request keeps its place: one whose params need no lookup starts at once.
        const given = waiting instanceof Promise ? await waiting : waiting;
        const checking = checkCall(connection, rights, method, translator.params(method, given));
        const checked = checking instanceof Promise ? await checking : checking;
        const choose = firstChoice(connection, method, given);
        const answer = await command(checked, caller, context.signal);
        if (choose !== undefined) await sync.commit('client', (tx) => choose(tx, sync));
        return answer instanceof Answer ? answer : Answer.behindCommit(translator.result(method, answer));
      };
      const mostBytes = connection.identity.scope === 'admin' ? undefined : LARGE.get(method);
      const runInTurn = mostBytes === undefined ? run : () => inTurn(connection, run, mostBytes);
      return guarded(connection, method, () => (isGated ? connection.gate.run(runInTurn) : run())).catch(
        (error: unknown) => {
          const instead = connection.ways?.insteadOf(method, error);
          if (instead === undefined) throw error;
          return Answer.behindCommit(instead.result);
        },
      );
    },
    { concurrent: isConcurrent },
  );
}

/** Returns params as the protocol has them, with the files that only the client has, or a promise of them. They are not checked yet. */
export function paramsIn(connection: Connection, method: string, params: unknown): unknown {
  if (connection.ways !== undefined) return connection.ways.paramsIn(method, params);
  return method === 'dispatchAction' && isObject(params)
    ? withClientFiles(params, connection.clientFiles)
    : params;
}

/**
 * Returns the checked params of a call, or a promise while the sessions that it concerns are looked up. Throws if they are invalid, or if neither
 * the scope of the token nor a role of its person allows the call [AUTH-1].
 */
function checkCall<M extends ClientRequestMethod>(
  connection: Connection,
  rights: SessionRights,
  method: M,
  params: unknown,
): Params<M> | Promise<Params<M>> {
  if (connection.isEnding) throw permissionDenied('The token of this connection has ended');
  const checked = checkParams(method, params);
  const least = scopeOfRequest(method, checked);
  if (isWithinScope(connection.identity.scope, least)) return checked;
  return rights.ofRequest(connection, method, checked).then((allowed) => {
    if (allowed.isAllowed) return checked;
    const { held, beyond } = allowed;
    if (beyond !== undefined) throw permissionDenied(beyondSentence(method, beyond));
    throw scopeDenied(scopeRefusal(method, checked, { held, needed: least }));
  });
}

function checkParams<M extends ClientRequestMethod>(method: M, params: unknown): Params<M> {
  const checked = validateParams<M>(method, params);
  if (!checked.ok)
    throw checked.problem === undefined ? invalidParams(checked.error) : invalidAt(checked.problem);
  const fault = findParamsFault(method, checked.params);
  if (fault !== undefined) throw invalidAt({ path: fault.field, problem: sizeProblem(fault) });
  const { channel } = checked.params;
  if (CONNECTION_LEVEL.has(method) && channel !== ROOT_URI) {
    throw invalidParam('channel', `${method} expects exactly ${ROOT_URI}`);
  }
  return checked.params;
}

const scopeDenied = (refusal: ScopeRefusal): WireError =>
  permissionDenied(scopeSentence(refusal), { 'x-refusal': refusal });

const invalidAt = ({ path, problem }: { path: string; problem: string }): WireError =>
  invalidParam(path.slice('params'.length).replace(/^\./, ''), problem);

/** Turns errors of the journal into errors for the client. The log of the host gets their causes. */
async function guarded<T>(
  connection: Connection,
  method: ClientRequestMethod,
  run: () => T | Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof JournalUnavailable) {
      throw internalError(error.message, error);
    }
    if (error instanceof JournalError) {
      // Damage was logged when it was found.
      if (error.code !== 'closed' && error.code !== 'damaged') connection.logFailure(error, method);
      const message = readTrouble(error);
      throw error.code === 'unreachable'
        ? databaseUnreachable(message, error)
        : internalError(message, error);
    }
    throw error;
  }
}
