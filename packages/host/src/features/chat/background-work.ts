import {
  type BackgroundWork,
  SessionStatus,
  type TerminalClaim,
  type TerminalState,
} from '@agenthost/protocol';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Change, Tx } from '../../sync/tx.ts';

/**
 * Lists the running worker chats of a chat, and the commands that a person or an agent has sent to the background [CHAT-46]. Entries of work
 * that an earlier host has left are removed when their chat is loaded [CONN-22].
 */
export function showBackgroundWork(sync: Sync): void {
  sync.observe('chat', (tx, change) => followWorker(tx, sync, change));
  sync.observe('terminal', (tx, change) => followTerminal(tx, sync, change));
  sync.observe('root', (tx, { before, after }) => {
    if (before.terminals === after.terminals) return;
    const left = new Set(after.terminals?.map(({ resource }) => resource));
    for (const { resource, claim } of before.terminals ?? [])
      if (!left.has(resource)) remove(tx, sync, chatOf(claim), resource);
  });
  sync.registry.onLoaded((channel) => {
    if (channel.is('chat')) removeEnded(sync, channel);
  });
}

function followWorker(tx: Tx, sync: Sync, { channel, before, after }: Change<'chat'>): void {
  const { origin, title } = after;
  if (origin?.kind !== 'tool' || (before.activeTurn === undefined) === (after.activeTurn === undefined))
    return;
  if (after.activeTurn === undefined) return remove(tx, sync, origin.chat, channel.uri);
  set(tx, sync, origin.chat, {
    kind: 'subagent',
    id: channel.uri,
    label: title === '' ? 'Worker' : title,
    startedAt: now(sync),
    chat: channel.uri,
  });
}

function followTerminal(tx: Tx, sync: Sync, { channel, before, after }: Change<'terminal'>): void {
  const chat = chatOf(before.claim);
  if (isRunningBehind(after)) {
    // A terminal that was never part of a turn is no work of its chat.
    if (chat === undefined || isRunningBehind(before) || before.claim === after.claim) return;
    set(tx, sync, chat, {
      kind: 'shell',
      id: channel.uri,
      label: after.title,
      startedAt: now(sync),
      command: commandOf(after),
      terminal: channel.uri,
    });
  } else if (isRunningBehind(before)) remove(tx, sync, chat, channel.uri);
}

/** Whether the program of a terminal runs, and a chat holds it outside of turns. */
const isRunningBehind = ({ claim, lifecycle }: Pick<TerminalState, 'claim' | 'lifecycle'>): boolean =>
  lifecycle.status === 'running' &&
  claim.kind === 'session' &&
  claim.turnId === undefined &&
  claim.toolCallId === undefined;

const chatOf = (claim: TerminalClaim): string | undefined =>
  claim.kind === 'session' ? claim.chat : undefined;

/** The last command that the shell has reported, or else the title, which begins as the command. */
function commandOf({ content, title }: TerminalState): string {
  const last = content.findLast((part) => part.type === 'command');
  return last?.type === 'command' ? last.commandLine : title;
}

const now = (sync: Sync): string => new Date(sync.stamp()).toISOString();

function set(tx: Tx, sync: Sync, uri: string, work: BackgroundWork): void {
  const chat = sync.registry.getOf('chat', uri);
  if (chat !== undefined) tx.emit(chat, { type: 'chat/backgroundWorkSet', work });
}

/** A chat that is not in memory loses the entry when it is loaded. */
function remove(tx: Tx, sync: Sync, uri: string | undefined, id: string): void {
  const chat = sync.registry.getOf('chat', uri ?? '');
  if (chat?.state.backgroundWork?.some((work) => work.id === id) === true)
    tx.emit(chat, { type: 'chat/backgroundWorkRemoved', id });
}

function removeEnded(sync: Sync, chat: Channel<'chat'>): void {
  const ended = (chat.state.backgroundWork ?? []).filter((work) => !isGoingOn(sync, chat, work));
  if (ended.length === 0) return;
  sync.transact('host', (tx) => {
    for (const { id } of ended) remove(tx, sync, chat.uri, id);
  });
}

function isGoingOn(sync: Sync, chat: Channel<'chat'>, work: BackgroundWork): boolean {
  if (work.kind === 'subagent') {
    const worker = sync.registry.getOf('chat', work.chat);
    return worker !== undefined && (worker.state.status & SessionStatus.InProgress) !== 0;
  }
  return (sync.root.state.terminals ?? []).some(
    (terminal) =>
      terminal.resource === work.terminal && isRunningBehind(terminal) && chatOf(terminal.claim) === chat.uri,
  );
}
