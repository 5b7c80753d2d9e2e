import { defined } from '@agenthost/protocol/values';
import { readEntries } from '../../config/mcp-servers.ts';
import { beginningOf } from '../../lib/beginning-of.ts';
import {
  HOOK_EVENTS,
  type HookCommand,
  type HookEvent,
  idOf,
  type ParsedChild,
  type ParsedFile,
} from './child.ts';
import type { ParseFault } from './front-matter.ts';
import { isMatcher } from './hooks/matcher.ts';
import { type JsonFile, parseJsonFile } from './json-file.ts';

/** Time limit of a hook that gives none, and the longest one, in seconds. */
const DEFAULT_LIMIT_S = 60;
const MAX_LIMIT_S = 600;
const MAX_COMMANDS = 50;
const MAX_COMMAND_LENGTH = 8 * 1024;
const MAX_SERVERS = 50;
const MAX_NAME = 200;
const MAX_MATCHER_LENGTH = 500;

const isEvent = (text: string): text is HookEvent => HOOK_EVENTS.some((event) => event === text);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a manifest of hooks: `{"hooks": {"<event>": [{"hooks": [{"type": "command", "command": "…", "timeout": 60}]}]}}`. `timeout` is in
 * seconds. One file is one customization. An event at which this host runs nothing is a fault. `folder`: URI of the plugin's folder.
 */
export async function hookChild(
  text: string,
  { uri, name, folder }: { uri: string; name: string; folder?: string },
): Promise<ParsedFile> {
  const file = await parseJsonFile(text);
  if (!('value' in file)) return { children: [], faults: [file] };
  const { hooks } = file.value;
  if (!isObject(hooks))
    return { children: [], faults: [file.faultAt(['hooks'], 'hooks: expected an object')] };
  const faults: ParseFault[] = [];
  const commands = Object.entries(hooks).flatMap(([event, groups]) =>
    commandsOf(file, event, groups, faults),
  );
  const child: ParsedChild['child'] = { type: 'hook', id: idOf('hook', uri), uri, name };
  const more = folder === undefined ? {} : { folder };
  return { children: [{ child, body: '', ...more, commands: commands.slice(0, MAX_COMMANDS) }], faults };
}

function commandsOf(file: JsonFile, event: string, groups: unknown, faults: ParseFault[]): HookCommand[] {
  const wrong = (keys: readonly (string | number)[], message: string): HookCommand[] => {
    faults.push(file.faultAt(keys, message));
    return [];
  };
  if (!isEvent(event))
    return wrong(
      ['hooks', event],
      `${beginningOf(event, MAX_NAME)}: this host runs hooks of ${HOOK_EVENTS.join(', ')}`,
    );
  if (!Array.isArray(groups)) return wrong(['hooks', event], `${event}: expected a list`);
  return groups.flatMap((group: unknown, index) => {
    const at = ['hooks', event, index];
    if (!isObject(group) || !Array.isArray(group['hooks']))
      return wrong(at, `${event}: expected an object with a list \`hooks\``);
    const { matcher = '' } = group;
    if (typeof matcher !== 'string' || matcher.length > MAX_MATCHER_LENGTH || !isMatcher(matcher))
      return wrong(
        [...at, 'matcher'],
        `${event}: matcher: expected names of tools such as "Edit|Write" or "mcp__.*", at most ${MAX_MATCHER_LENGTH} characters`,
      );
    const isForAll = matcher === '' || matcher === '*';
    return group['hooks'].flatMap((hook: unknown, place): HookCommand[] => {
      const here = [...at, 'hooks', place];
      if (!isObject(hook) || hook['type'] !== 'command')
        return wrong(here, `${event}: expected a hook of type "command"`);
      const { command, timeout = DEFAULT_LIMIT_S } = hook;
      if (typeof command !== 'string' || command.trim() === '' || command.length > MAX_COMMAND_LENGTH)
        return wrong(
          [...here, 'command'],
          `${event}: command: expected a text of 1 to ${MAX_COMMAND_LENGTH} characters`,
        );
      if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_LIMIT_S))
        return wrong(
          [...here, 'timeout'],
          `${event}: timeout: expected more than 0 and at most ${MAX_LIMIT_S} seconds`,
        );
      return [{ event, command, limitMs: timeout * 1_000, ...(isForAll ? {} : { matcher }) }];
    });
  });
}

/** Reads the MCP servers of `.mcp.json` or of a manifest: `{"mcpServers": {"<name>": {…}}}`. They are listed as stopped. */
export async function mcpChildren(text: string, { uri }: { uri: string }): Promise<ParsedFile> {
  const file = await parseJsonFile(text);
  if (!('value' in file)) return { children: [], faults: [file] };
  const { mcpServers } = file.value;
  if (mcpServers === undefined) return { children: [], faults: [] };
  if (!isObject(mcpServers))
    return { children: [], faults: [file.faultAt(['mcpServers'], 'mcpServers: expected an object')] };
  const faults: ParseFault[] = [];
  const children = Object.entries(mcpServers)
    .slice(0, MAX_SERVERS)
    .flatMap(([name, server]): ParsedChild[] => {
      const keys = ['mcpServers', name];
      if (!isObject(server) || (typeof server['command'] !== 'string' && typeof server['url'] !== 'string')) {
        faults.push(
          file.faultAt(keys, `${beginningOf(name, MAX_NAME)}: expected an object with command or url`),
        );
        return [];
      }
      const { entries, faults: problems } = readEntries({ [name]: server });
      for (const { problem } of problems)
        faults.push(file.faultAt(keys, `${beginningOf(name, MAX_NAME)}.${problem}`));
      const range = file.rangeOf(keys);
      return [
        {
          child: {
            type: 'mcpServer',
            id: idOf('mcpServer', uri, name),
            uri,
            name: beginningOf(name, MAX_NAME),
            state: { kind: 'stopped' },
            ...(range === undefined ? {} : { range }),
          },
          body: '',
          ...defined({ server: entries[0] }),
        },
      ];
    });
  return { children, faults };
}
