import { type CompletionItem, invalidParam, isWithinScope } from '@agenthost/protocol';
import { AgentError } from '../../agents/errors.ts';
import type { AgentCommand } from '../../agents/provider.ts';
import type { RememberedAgents } from '../../agents/remembered.ts';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import { openChat } from '../../handler-port/open-chat.ts';
import { inShare } from '../../handler-port/share.ts';
import type { SliceScheduler } from '../../lib/slice-scheduler.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { commandsOf } from '../../turns/agent/agent-commands.ts';
import type { FileFinder } from '../../workspace/completion/file-finder.ts';
import { completionWordAt } from '../../workspace/completion/word.ts';
import { EarlierTurns } from './earlier-turns.ts';
import {
  type CompletionPlace,
  commandItem,
  fileItem,
  type ResourceFound,
  resourceItem,
  turnItem,
} from './items.ts';

/** Maximum number of items of each kind in one answer. Turns contain their text. */
const MAX_FILES = 20;
const MAX_COMMANDS = 100;
const MAX_TURNS = 8;

export interface CompletionParts {
  readonly sync: Sync;
  readonly files: FileFinder;
  readonly slices: SliceScheduler;
  readonly remembered: Pick<RememberedAgents, 'commands'>;
  /** Absent: the host looks for no customizations. */
  readonly customizations?: { commands(session: string): readonly AgentCommand[] } | undefined;
  /** Resources and prompts of the MCP servers of a session. */
  readonly mcp: {
    resources(session: string): Promise<readonly ResourceFound[]>;
    commands(session: string): Promise<readonly AgentCommand[]>;
  };
  /** Absolute path. Rejects with `AgentError` if the folder no longer exists. */
  workingDirectoryOf(session: Channel<'session'>, chat: Channel<'chat'>): Promise<string>;
}

/** `completions` [CHAT-16]. */
export function completionCommands(parts: CompletionParts): Commands {
  const turns = new EarlierTurns(parts.sync);
  return {
    completions: async ({ channel, text, offset }, caller, signal) => {
      if (offset > text.length) {
        throw invalidParam('offset', `expected 0 to ${text.length}, the length of the text, got ${offset}`);
      }
      const chat = await openChat(parts.sync, channel);
      const session = parts.sync.registry.getOf('session', chat.session ?? '');
      const word = completionWordAt(text, offset);
      if (word === undefined || session === undefined) return { items: [] };
      const place = { text, word };
      switch (word.trigger) {
        case '@':
          // A role in the session is enough for neither: messages may not attach them.
          if (!isWithinScope(caller.scope, 'interact')) return { items: [] };
          return {
            items: [
              ...(await fileItems(parts, { session, chat }, place, { caller, signal })),
              ...(await resourceItems(parts, session, place)),
            ],
          };
        case '/':
          return { items: await commandItems(parts, session, place) };
        case '#':
          return { items: await turnItems(parts, { turns, chat }, place, { caller, signal }) };
        default:
          return word.trigger satisfies never;
      }
    },
  };
}

async function fileItems(
  { files, slices, workingDirectoryOf }: CompletionParts,
  { session, chat }: { session: Channel<'session'>; chat: Channel<'chat'> },
  place: CompletionPlace,
  { caller, signal }: { caller: Caller; signal: AbortSignal },
): Promise<CompletionItem[]> {
  try {
    const folder = await workingDirectoryOf(session, chat);
    const { query } = place.word;
    const found = await files.find({ folder, query, limit: MAX_FILES }, signal, (work) =>
      inShare(slices, caller, signal, async (next) => {
        await next();
        return work(next);
      }),
    );
    return found.map((file) => fileItem(place, folder, file));
  } catch (error) {
    // The folder no longer exists, so there are no items. The next turn reports it.
    if (error instanceof AgentError) return [];
    throw error;
  }
}

/** Resources of MCP servers whose names contain the query. */
async function resourceItems(
  { mcp }: CompletionParts,
  session: Channel<'session'>,
  place: CompletionPlace,
): Promise<CompletionItem[]> {
  const wanted = place.word.query.toLowerCase();
  return (await mcp.resources(session.uri))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, MAX_FILES)
    .map((found) => resourceItem(place, found));
}

/** Commands of this session's agent, or else of the last run of the same agent, customizations, and prompts of MCP servers. */
async function commandItems(
  { remembered, customizations, mcp }: CompletionParts,
  session: Channel<'session'>,
  place: CompletionPlace,
): Promise<CompletionItem[]> {
  const { state } = session;
  const own = commandsOf(state) ?? remembered.commands(state.provider) ?? [];
  const taken = new Set(own.map(({ name }) => name));
  const more = customizations?.commands(session.uri).filter(({ name }) => !taken.has(name)) ?? [];
  const commands = [...own, ...more, ...(await mcp.commands(session.uri))];
  const wanted = place.word.query.toLowerCase();
  return commands
    .flatMap((command) => {
      const rank = rankOf(command, wanted);
      return rank === undefined ? [] : [{ command, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MAX_COMMANDS)
    .map(({ command }) => commandItem(place, command));
}

/**
 * 0 for names that start with the query, 1 for names that contain it, 2 for names that contain its characters
 * in order.
 */
function rankOf({ name }: AgentCommand, wanted: string): number | undefined {
  const found = name.toLowerCase().indexOf(wanted);
  if (found >= 0) return found === 0 ? 0 : 1;
  let at = 0;
  for (const character of name.toLowerCase()) if (wanted.startsWith(character, at)) at += character.length;
  return at === wanted.length ? 2 : undefined;
}

async function turnItems(
  { slices }: CompletionParts,
  { turns, chat }: { turns: EarlierTurns; chat: Channel<'chat'> },
  place: CompletionPlace,
  { caller, signal }: { caller: Caller; signal: AbortSignal },
): Promise<CompletionItem[]> {
  const { query } = place.word;
  const found = await inShare(slices, caller, signal, (next) =>
    turns.find(chat, { query, limit: MAX_TURNS }, next),
  );
  const items = await Promise.all(
    found.map(async (turn) => {
      const content = await turns.contentOf(chat, turn);
      return content === undefined ? undefined : turnItem(place, chat.uri, turn, content);
    }),
  );
  return items.filter((item) => item !== undefined);
}
