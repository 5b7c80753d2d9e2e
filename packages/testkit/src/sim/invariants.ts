import type { Mirror } from '@agenthost/client';
import type { ActionEnvelope, ChannelKind, ChannelState, ChatState } from '@agenthost/protocol';
import { isMergeOf } from './envelopes.ts';
import { checkForeigners } from './foreign-check.ts';
import { checkImports } from './imports.ts';
import { checkOutcomes } from './outcomes.ts';
import { checkOwners } from './owners.ts';
import { checkSearch } from './searches.ts';
import { shownBy } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { mustEqual, Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * What must hold when nothing is under way: every client shows what the host has, cut to its window; what it shows is
 * confirmed; every dispatch had an outcome, and took effect at most once. Throws when it does not.
 */
export async function checkInvariants(world: World): Promise<void> {
  world.faults.check();
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
    checkQuestions(auditor);
    checkCommands(auditor);
    // The auditor's arrival may have set something off; everybody is compared at the same moment.
    for (const client of world.clients) compareClient(world, client, auditor);
    checkForeigners(world.foreigners, auditor);
    checkOwners(world);
    await checkImports(world, auditor);
    await checkSearch(world, auditor);
  } finally {
    auditor.client.close();
    world.clients.pop();
  }
  checkOutcomes(world);
  checkJournal(world);
  world.faults.check();
}

function compareClient(world: World, client: SimClient, auditor: SimClient): void {
  for (const mirror of client.mirrors()) {
    const truth = auditor.mirrors().find(({ uri }) => uri === mirror.uri);
    const where = `${client.name} on ${mirror.uri}`;
    // Whoever does not look at the session is not told that a chat of it has gone.
    if (truth === undefined && mayGo(world, mirror)) continue;
    if (mirror.isLost) throw new Violation('convergence', `${where} is lost`);
    if (truth === undefined) throw new Violation('convergence', `the host does not know ${mirror.uri}`);
    if (mirror.state !== mirror.confirmed)
      throw new Violation('convergence', `${where} shows what is not confirmed`);
    mustEqual('convergence', where, shownBy(mirror.confirmed), shownBy(cutTo(mirror, truth.confirmed)));
  }
}

/** The session shows the requests that its chats have open, as they stand there, and no others [SESS-7]. */
function checkQuestions(auditor: SimClient): void {
  const sessions = auditor
    .mirrors()
    .flatMap(({ confirmed }) => ('activeClients' in confirmed ? [confirmed] : []));
  // Both have to be looked at: a session that was copied may be nobody's.
  const listed = new Set(sessions.flatMap((session) => session.chats.map(({ resource }) => resource)));
  const chats = auditor
    .mirrors()
    .flatMap(({ uri, confirmed }) => (isChat(confirmed) && listed.has(uri) ? [{ uri, ...confirmed }] : []));
  const asked = chats.flatMap(({ uri, inputRequests = [] }) =>
    inputRequests.map((request) => ({ chat: uri, request })),
  );
  const held = new Set(chats.map(({ uri }) => uri));
  const needed = sessions.flatMap(({ inputNeeded = [] }) => inputNeeded);
  const shown = needed.flatMap((entry) =>
    entry.kind === 'chatInput' && held.has(entry.chat) ? [{ chat: entry.chat, request: entry.request }] : [],
  );
  const inOrder = (list: typeof asked): typeof asked =>
    list.toSorted((a, b) => (a.chat + a.request.id < b.chat + b.request.id ? -1 : 1));
  mustEqual('questions', 'what sessions show of their chats', inOrder(shown), inOrder(asked));
}

/** Of a shell's commands only the last may run, and none where the shell has gone. Throws a `Violation`. */
function checkCommands(auditor: SimClient): void {
  for (const { uri, confirmed } of auditor.mirrors()) {
    if (!('claim' in confirmed)) continue;
    const commands = confirmed.content.flatMap((part) => (part.type === 'command' ? [part] : []));
    const running = confirmed.exitCode === undefined ? commands.slice(0, -1) : commands;
    const open = running.find(({ isComplete }) => !isComplete);
    if (open !== undefined)
      throw new Violation('owner', `${uri}: command ${open.commandId} runs, and nothing will end it`);
  }
}

/** Channels that somebody may have disposed of; those of a copied session go with it. */
const mayGo = ({ permanent }: World, { uri }: { uri: string }): boolean => !permanent.has(uri);

/** The host's state as a client with this window has it. */
function cutTo(mirror: Mirror<ChannelKind>, truth: ChannelState[ChannelKind]): ChannelState[ChannelKind] {
  const { confirmed } = mirror;
  if (!isChat(confirmed) || !isChat(truth)) return truth;
  const { turnsNextCursor: _, ...rest } = truth;
  const turns = confirmed.turns.length === 0 ? [] : truth.turns.slice(-confirmed.turns.length);
  const isCut = turns.length < truth.turns.length;
  if ((confirmed.turnsNextCursor !== undefined) !== isCut)
    throw new Violation('convergence', `${mirror.uri}: a cursor exactly when older turns exist`);
  return { ...rest, turns, ...(isCut ? { turnsNextCursor: confirmed.turnsNextCursor } : {}) };
}

const isChat = (state: object): state is ChatState => 'turns' in state;

/** Whatever a client was sent is in the journal while its window holds it. */
function checkJournal({ disk, ledger, report }: World): void {
  const rows = new Map(disk.envelopes.map((row) => [row.seq, row]));
  for (const seen of ledger.publicAbove(disk.trimmedSeq)) {
    const row = rows.get(seen.serverSeq);
    if (row === undefined)
      throw new Violation('durability', `seen by a client and not journaled: ${JSON.stringify(seen)}`);
    const journaled: ActionEnvelope = JSON.parse(row.json);
    if (isMergeOf(seen, journaled)) continue;
    mustEqual('durability', `number ${seen.serverSeq} in the journal`, seen, journaled);
    report.count('envelopesFoundJournaled');
  }
}
