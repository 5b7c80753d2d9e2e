import { type AhpClient, RpcError } from '@agenthost/client';
import { type CheckHostResult, ErrorCodes, ROOT_URI } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import { bytes } from '../render/session-line.ts';
import { type AgentFacts, checkAgents } from './agents.ts';
import { checkClock } from './clock.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Advice about a host whose database server does not answer. */
export const SERVER_HINT =
  'check that the database server runs, and that the host reaches it; the log of the host has its address and the error';

/** Checks the data and the agents of a running host. `isOwn`: the host runs on this machine. */
export async function checkRunningHost(client: AhpClient, isOwn: boolean): Promise<Finding[]> {
  const checked = await hostFacts(client);
  if (!('now' in checked)) return [checked];
  const { now, lastTime, clockMovedMs } = checked;
  const here = isOwn ? { hostNow: now, movedMs: clockMovedMs } : {};
  const clock = checkClock({ now: isOwn ? Date.now() : now, newestTime: lastTime, ...here });
  return [...refusalOf(checked), databaseOf(checked), clock, ...checkAgents(await agentsOf(client))];
}

async function hostFacts(client: AhpClient): Promise<CheckHostResult | Finding> {
  try {
    return await client.request('x-checkHost', { channel: ROOT_URI });
  } catch (error) {
    if (!(error instanceof RpcError) || error.code === ErrorCodes.InternalError) throw error;
    const hint = "use the owner's token, and the same version of agenthost as the host";
    return warning('database', `the host refused the check: ${errorText(error)}`, hint);
  }
}

function refusalOf({ refusesChanges }: CheckHostResult): Finding[] {
  if (refusesChanges === undefined) return [];
  return [
    fault(
      'changes',
      `the host cannot save changes, and refuses them: ${oneLine(refusesChanges)}`,
      'the host tries again every second; its log, agenthost.log in its data folder, has the error',
    ),
  ];
}

function databaseOf({ database, unchecked = '', databaseServer }: CheckHostResult): Finding {
  if (databaseServer !== undefined) return serverOf(databaseServer);
  if (database === undefined)
    return warning(
      'database',
      `not checked: ${unchecked}`,
      'free disk space, or stop the host and try again',
    );
  if (database.fault === undefined) return ok('database', `sound, ${bytes(database.bytes)}`);
  return fault(
    'database',
    `damaged: ${database.fault}`,
    `restart the host, which sets the file aside, or restore a backup with \`${commandLine('backup restore')}\``,
  );
}

function serverOf({
  name,
  fault: problem,
  cell,
  tablesVersion,
}: NonNullable<CheckHostResult['databaseServer']>): Finding {
  if (problem !== undefined)
    return fault('database', problem, cell === undefined ? SERVER_HINT : 'start the host again');
  if (cell === undefined) return ok('database', `not checked: the sessions are in ${oneLine(name)}`);
  const held = `the host holds cell ${oneLine(cell)}`;
  return ok('database', `${oneLine(name)} answers, its tables have version ${tablesVersion}, and ${held}`);
}

async function agentsOf(client: AhpClient): Promise<readonly AgentFacts[]> {
  try {
    const all = await client.agentHealth({ refresh: true });
    return all.map(({ provider, state, isDefault, problem, installCommand }) => ({
      id: provider,
      isReady: state === 'ready',
      isFailed: state === 'failed',
      isDefault,
      problem,
      install: installCommand,
    }));
  } catch (error) {
    if (error instanceof RpcError && error.code === ErrorCodes.MethodNotFound) return [];
    throw error;
  }
}
