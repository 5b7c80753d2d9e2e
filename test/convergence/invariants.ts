import type { Mirror } from '@agenthost/client';
import type { ActionEnvelope, ChannelKind, ChannelState, ChatState } from '@agenthost/protocol';
import { expect } from 'vitest';
import { isMergeOf } from './ledger.ts';
import type { SimClient } from './sim-client.ts';
import { PASSING_CHAT } from './workload.ts';
import type { World } from './world.ts';

/**
 * What must hold when nothing is under way: every client shows what the host has, cut to its window; what it shows is
 * confirmed; every dispatch had an outcome, and took effect at most once. Throws when it does not.
 */
export async function checkInvariants(world: World): Promise<void> {
  expect([...world.faults, ...world.ledger.faults, ...world.clients.flatMap(({ faults }) => faults)]).toEqual(
    [],
  );
  const auditor = world.makeClient(`auditor-${world.report.of('audits')}`);
  world.report.count('audits');
  world.clients.push(auditor);
  try {
    const isReady = auditor.client.connect();
    await world.quiesce();
    await isReady;
    const uris = new Set(world.clients.flatMap((client) => client.mirrors().map(({ uri }) => uri)));
    for (const uri of uris) {
      const holding = auditor.hold(uri);
      await world.quiesce();
      await holding;
    }
    // The auditor's arrival may have set something off; everybody is compared at the same moment.
    for (const client of world.clients) compareClient(client, auditor);
  } finally {
    auditor.client.close();
    world.clients.pop();
  }
  checkOutcomes(world);
  checkJournal(world);
}

function compareClient(client: SimClient, auditor: SimClient): void {
  for (const mirror of client.mirrors()) {
    const truth = auditor.mirrors().find(({ uri }) => uri === mirror.uri);
    const where = `${client.name} on ${mirror.uri}`;
    // Whoever does not look at the session is not told that a chat of it has gone.
    if (truth === undefined && mirror.uri.startsWith(PASSING_CHAT)) continue;
    expect(mirror.isLost, `${where} is not lost`).toBe(false);
    if (truth === undefined) throw new Error(`the host does not know ${mirror.uri}`);
    expect(mirror.state, `${where}: all that is shown is confirmed`).toBe(mirror.confirmed);
    expect(mirror.confirmed, where).toEqual(cutTo(mirror, truth.confirmed));
  }
}

/** The host's state as a client with this window has it. */
function cutTo(mirror: Mirror<ChannelKind>, truth: ChannelState[ChannelKind]): ChannelState[ChannelKind] {
  const { confirmed } = mirror;
  if (!isChat(confirmed) || !isChat(truth)) return truth;
  const { turnsNextCursor: _, ...rest } = truth;
  const turns = confirmed.turns.length === 0 ? [] : truth.turns.slice(-confirmed.turns.length);
  const isCut = turns.length < truth.turns.length;
  expect(
    confirmed.turnsNextCursor !== undefined,
    `${mirror.uri}: a cursor exactly when older turns exist`,
  ).toBe(isCut);
  return { ...rest, turns, ...(isCut ? { turnsNextCursor: confirmed.turnsNextCursor } : {}) };
}

const isChat = (state: object): state is ChatState => 'turns' in state;

function checkOutcomes(world: World): void {
  for (const { name, dispatched, resends } of world.clients) {
    const open = dispatched.filter(({ outcome }) => outcome === undefined);
    expect(open, `${name}: every dispatch has an outcome`).toEqual([]);
    // Nothing is ignored on a channel that exists, and nothing dropped by a client that resends.
    const lost = dispatched.filter(
      ({ outcome, channel }) =>
        (outcome === 'ignored' && !channel.startsWith(PASSING_CHAT)) || (outcome === 'dropped' && resends),
    );
    expect(lost, `${name}: no dispatch is lost`).toEqual([]);
  }
}

/** Whatever a client was sent is in the journal while its window holds it, and no dispatch is there twice. */
function checkJournal({ disk, ledger, report }: World): void {
  const rows = new Map(disk.envelopes.map((row) => [row.seq, row]));
  for (const seen of ledger.publicAbove(disk.trimmedSeq)) {
    const row = rows.get(seen.serverSeq);
    if (row === undefined) throw new Error(`seen by a client and not journaled: ${JSON.stringify(seen)}`);
    const journaled: ActionEnvelope = JSON.parse(row.json);
    if (isMergeOf(seen, journaled)) continue;
    expect(seen, `number ${seen.serverSeq} in the journal`).toEqual(journaled);
    report.count('envelopesFoundJournaled');
  }
  const dispatches = disk.envelopes.flatMap(({ origin }) =>
    origin === undefined ? [] : [JSON.stringify(origin)],
  );
  expect(dispatches.length, 'a dispatch was applied twice').toBe(new Set(dispatches).size);
}
