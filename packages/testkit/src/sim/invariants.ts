import type { Mirror } from '@agenthost/client';
import {
  type ActionEnvelope,
  type ChannelKind,
  type ChannelState,
  type ChatState,
  hasExited,
  openRequests,
} from '@agenthost/protocol';
import { checkContents } from './contents.ts';
import { isMergeOf } from './envelopes.ts';
import { checkForeigners } from './foreign-check.ts';
import { checkImports } from './imports.ts';
import { checkOutcomes } from './outcomes.ts';
import { checkOwners } from './owners.ts';
import { historyTerminals } from './places.ts';
import { checkSearch } from './searches.ts';
import { shownBy } from './shown.ts';
import type { SimClient } from './sim-client.ts';
import { checkOutput } from './terminal-output.ts';
import { mustEqual, Violation } from './violation.ts';
import { checkWindows } from './windows.ts';
import type { World } from './world.ts';

/**
 * Checks an idle world: every client shows the host's state within its window and without pending actions;
 * every dispatch has an outcome and took effect at most once. Throws otherwise.
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
    // Including terminals without a subscriber for a long time.
    for (const { resource } of world.life?.host.core.sync.root.state.terminals ?? []) uris.add(resource);
    for (const uri of uris) await holdAtLast(world, auditor, uri);
    countShown(world, auditor);
    checkQuestions(auditor);
    checkActivities(auditor);
    checkCommands(auditor);
    checkOutput(world, auditor);
    // The auditor's connection may have triggered changes, so all clients are compared at the same moment.
    for (const client of world.clients) compareClient(world, client, auditor);
    checkWindows(world);
    checkForeigners(world.foreigners, auditor);
    checkOwners(world);
    checkContents(world, auditor);
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

/** Subscribes the auditor. Tries up to three times, because the host may cut a slow connection. */
async function holdAtLast(world: World, auditor: SimClient, uri: string): Promise<void> {
  for (let triesLeft = 3; triesLeft > 0; triesLeft -= 1) {
    const holding = auditor.hold(uri);
    await world.quiesce();
    await holding;
    if (auditor.mirrors().some((mirror) => mirror.uri === uri)) return;
  }
}

function compareClient(world: World, client: SimClient, auditor: SimClient): void {
  for (const mirror of client.mirrors()) {
    const truth = auditor.mirrors().find(({ uri }) => uri === mirror.uri);
    const where = `${client.name} on ${mirror.uri}`;
    // A client without a subscription to the session is not told that a chat was disposed.
    if (truth === undefined && mayGo(world, mirror)) continue;
    if (mirror.isLost) throw new Violation('convergence', `${where} is lost`);
    if (truth === undefined) throw new Violation('convergence', `the host does not know ${mirror.uri}`);
    if (mirror.state !== mirror.confirmed)
      throw new Violation('convergence', `${where} shows what is not confirmed`);
    mustEqual('convergence', where, shownBy(mirror.confirmed), shownBy(cutTo(mirror, truth.confirmed)));
  }
}

/** Counts what clients of this world can see, because it must not be missing in all worlds. */
function countShown(world: World, auditor: SimClient): void {
  const { report } = world;
  const history = new Set(historyTerminals(world));
  for (const { uri, confirmed } of auditor.mirrors()) {
    if ('claim' in confirmed && hasExited(confirmed))
      report.count(history.has(uri) ? 'historyTerminals' : 'endedTerminals');
    if (!isChat(confirmed)) continue;
    for (const { responseParts } of [...confirmed.turns, ...[confirmed.activeTurn ?? []].flat()])
      for (const part of responseParts)
        if (
          part.kind === 'toolCall' &&
          'toolInput' in part.toolCall &&
          typeof part.toolCall.toolInput === 'object'
        )
          report.count('referencedInputs');
  }
}

/** Checks that a session shows exactly the open requests of its chats [SESS-7]. */
function checkQuestions(auditor: SimClient): void {
  const sessions = auditor
    .mirrors()
    .flatMap(({ confirmed }) => ('activeClients' in confirmed ? [confirmed] : []));
  // Compares only chats whose session is held too, because a copied session may have no subscriber.
  const listed = new Set(sessions.flatMap((session) => session.chats.map(({ resource }) => resource)));
  const chats = auditor
    .mirrors()
    .flatMap(({ uri, confirmed }) => (isChat(confirmed) && listed.has(uri) ? [{ uri, ...confirmed }] : []));
  const asked = chats.flatMap((chat) => openRequests(chat).map((request) => ({ chat: chat.uri, request })));
  const held = new Set(chats.map(({ uri }) => uri));
  const needed = sessions.flatMap(({ inputNeeded = [] }) => inputNeeded);
  const shown = needed.flatMap((entry) =>
    entry.kind === 'chatInput' && held.has(entry.chat) ? [{ chat: entry.chat, request: entry.request }] : [],
  );
  const inOrder = (list: typeof asked): typeof asked =>
    list.toSorted((a, b) => (a.chat + a.request.id < b.chat + b.request.id ? -1 : 1));
  mustEqual('questions', 'what sessions show of their chats', inOrder(shown), inOrder(asked));
}

/**
 * Checks that no activity is shown without a running turn: in the chat, in its session's entry, or in the
 * session. Throws a `Violation`.
 */
function checkActivities(auditor: SimClient): void {
  const states = auditor.mirrors().map(({ uri, confirmed }) => ({ uri, confirmed }));
  const idle = new Set<string>();
  for (const { uri, confirmed } of states) {
    if (!isChat(confirmed) || confirmed.activeTurn !== undefined) continue;
    idle.add(uri);
    if (confirmed.activity !== undefined)
      throw new Violation('owner', `${uri} is idle, and tells of "${confirmed.activity}"`);
  }
  for (const { uri, confirmed } of states) {
    if (!('activeClients' in confirmed)) continue;
    const { chats, activity } = confirmed;
    const stale = chats.find((chat) => idle.has(chat.resource) && chat.activity !== undefined);
    if (stale !== undefined)
      throw new Violation('owner', `${uri}: its entry of ${stale.resource} tells of "${stale.activity}"`);
    if (activity !== undefined && !chats.some((chat) => chat.activity === activity))
      throw new Violation('owner', `${uri} tells of "${activity}", and no chat of it does`);
  }
}

/** Checks that only the last command of a shell runs, and none after the shell's exit. Throws a `Violation`. */
function checkCommands(auditor: SimClient): void {
  for (const { uri, confirmed } of auditor.mirrors()) {
    if (!('claim' in confirmed)) continue;
    const commands = confirmed.content.flatMap((part) => (part.type === 'command' ? [part] : []));
    const running = !hasExited(confirmed) ? commands.slice(0, -1) : commands;
    const open = running.find(({ isComplete }) => !isComplete);
    if (open !== undefined)
      throw new Violation('owner', `${uri}: command ${open.commandId} runs, and nothing will end it`);
  }
}

/** Whether a client may have disposed the channel. */
const mayGo = ({ permanent }: World, { uri }: { uri: string }): boolean => !permanent.has(uri);

/** The host's state, limited to the window of the mirror. */
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

/** Checks that the journal has every public envelope that was sent, above the trimmed ones. */
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
