import { type AhpClient, ChannelLost, ConnectionLost, Replaced } from '@agenthost/client';
import { RpcError } from '@agenthost/rpc';
import { PASSING_SESSION, SESSION } from '../deeds/act.ts';
import { mustBeCopy, readSession, type UnheardImport } from './exported.ts';
import type { SimClient } from './sim-client.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Lets a client export a session and import it as a copy. Sometimes the client aborts the import. */
export function importCopy(world: World, client: SimClient): void {
  const { random } = client;
  if (!client.isOnline || world.passing.size > 6) return;
  const source = random.pick([SESSION, ...world.passing]);
  const channel = `${PASSING_SESSION}${random.hex(6)}`;
  const breaksOff = random.chance(0.2);
  world.trace.note(client.name, `imports ${source} as ${channel}`);
  bringOver(world, client.client, { source, channel, breaksOff }).catch((error: unknown) => {
    if (!isExpected(error)) world.faults.note('fault', `${client.name}: import: ${String(error)}`);
  });
}

async function bringOver(
  world: World,
  client: AhpClient,
  { source, channel, breaksOff }: { source: string; channel: string; breaksOff: boolean },
): Promise<void> {
  const exported = await readSession(client, source);
  // The session was disposed during the export, its chats first. The host refuses a copy without a writable
  // chat.
  if (exported.chats.length === 0) return;
  const unheard: UnheardImport = { channel, chats: exported.chats };
  world.imports.add(unheard);
  const turns = exported.chats.flatMap(({ head: { resource: chat }, turns: ended, openTurn }) => [
    ...ended.map((turn) => ({ chat, turn })),
    ...(openTurn === undefined ? [] : [{ chat, openTurn }]),
  ]);
  const told = function* (): Generator<(typeof turns)[number]> {
    yield* breaksOff ? turns.slice(0, turns.length / 2) : turns;
    if (breaksOff) throw new BrokenOff();
  };
  const chats = exported.chats.map(({ head }) => head);
  const copy = await client.sessions.import(
    { session: exported.session, chats, turns: told() },
    { uri: channel },
  );
  copy.dispose();
  if (client.host?.['x-scope'] === 'observe')
    world.faults.note('access', `${channel} was imported by one who may only look`);
  world.imports.delete(unheard);
  world.report.count('imports');
  try {
    mustBeCopy((await readSession(client, channel)).chats, unheard);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    world.faults.note(error.rule, error.message);
  }
  world.passing.add(channel);
}

/** Checks that an import with an unknown outcome is complete or does not exist. Throws a `Violation`. */
export async function checkImports(world: World, { client }: SimClient): Promise<void> {
  for (const unheard of world.imports) {
    const reading = Promise.allSettled([readSession(client, unheard.channel)]);
    await world.quiesce();
    const [read] = await reading;
    if (read.status === 'rejected') {
      if (!isExpected(read.reason)) throw read.reason;
    } else if (read.value.chats.length > 0) mustBeCopy(read.value.chats, unheard);
    else if (read.value.session.lifecycle === 'ready')
      throw new Violation('import', `${unheard.channel} is ready, and has no chats`);
  }
}

/** The client aborts the import. */
class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
}

/** Errors caused by the schedule: drops, disposed sessions, a full disk. A refused import is not expected. */
function isExpected(error: unknown): boolean {
  if (error instanceof RpcError) return error.code !== -32602;
  if (error instanceof ConnectionLost || error instanceof ChannelLost || error instanceof Replaced)
    return true;
  if (!(error instanceof Error)) return false;
  return (
    ['BrokenOff', 'ClientClosed'].includes(error.name) ||
    error.message.includes('was cut while it was exported')
  );
}
