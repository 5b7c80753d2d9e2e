import { defined, errorText } from '@agenthost/protocol/values';
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client';
import { UnreadableResource } from '../../agents/errors.ts';
import type { AgentCommand } from '../../agents/provider.ts';
import type { TurnInput } from '../../agents/turn.ts';
import type { Timers } from '../../lib/clock.ts';
import type { McpServer } from './server.ts';
import { toolNames } from './tool-names.ts';

/** Longest wait for a list of a server while a person types, in milliseconds. */
const LIST_LIMIT_MS = 2_000;
/** Longest wait for a resource or a prompt, in milliseconds. */
const READ_LIMIT_MS = 30_000;
const SCHEME = 'x-mcp-resource:';
/** Longest text of a prompt for agents. */
const MAX_PROMPT_LENGTH = 128 * 1024;

/** A server with its id in the session. */
export interface LibraryServer {
  readonly id: string;
  readonly prefix: string;
  readonly server: McpServer;
}

/** A resource that a message can attach. */
export interface McpResourceItem {
  /** By which the host reads it. */
  readonly uri: string;
  /** Server and name. */
  readonly name: string;
  readonly contentType?: string;
}

interface NamedPrompt {
  readonly name: string;
  readonly server: McpServer;
  readonly prompt: Prompt;
}

/** The resources and prompts of the ready servers of sessions. */
export class McpLibrary {
  readonly #timers: Timers;
  readonly #serversOf: (session: string) => readonly LibraryServer[];

  constructor(timers: Timers, serversOf: (session: string) => readonly LibraryServer[]) {
    this.#timers = timers;
    this.#serversOf = serversOf;
  }

  /** A server that does not answer in time has none. */
  async resources(session: string): Promise<readonly McpResourceItem[]> {
    const all = await Promise.all(
      this.#serversOf(session).map(async ({ id, prefix, server }) => {
        const list = await this.#inTime(server.lists?.resources());
        return (list ?? []).map(({ uri, name, title, mimeType }) => ({
          uri: `${SCHEME}/?${new URLSearchParams({ session, server: id, uri }).toString()}`,
          name: `${prefix}:${title ?? name}`,
          ...defined({ contentType: mimeType }),
        }));
      }),
    );
    return all.flat();
  }

  /** The prompts as slash commands. */
  async commands(session: string): Promise<readonly AgentCommand[]> {
    return (await this.#prompts(session)).map(({ name, prompt }) => {
      const hint = (prompt.arguments ?? [])
        .map((each) => (each.required === true ? `<${each.name}>` : `[${each.name}]`))
        .join(' ');
      return {
        name,
        description: prompt.description ?? prompt.title ?? prompt.name,
        ...defined({ hint: hint === '' ? undefined : hint }),
      };
    });
  }

  /** The text of the prompt that a message invokes, for the agent. `undefined`: it invokes none. Rejects with the reason for people. */
  async promptText(session: string, message: string): Promise<string | undefined> {
    const [, command, rest = ''] = /^\/([\w-]+)(?:\s+([^]*))?$/.exec(message.trim()) ?? [];
    if (command === undefined) return undefined;
    const found = (await this.#prompts(session)).find(({ name }) => name === command);
    const client = found?.server.connection?.client;
    if (found === undefined || client === undefined) return undefined;
    const { prompt, server } = found;
    const result = await client.getPrompt(
      { name: prompt.name, arguments: argumentsOf(prompt, rest.trim()) },
      { timeout: READ_LIMIT_MS },
    );
    const text = textOf(result).slice(0, MAX_PROMPT_LENGTH);
    return `The message invokes the prompt ${prompt.name} of the MCP server ${server.entry.name}:\n\n${text}`;
  }

  /** Reads a resource by the URI of its item; `undefined` for other URIs. Rejects with `UnreadableResource`. */
  read(uri: string, maxBytes: number): ReturnType<TurnInput['readResource']> | undefined {
    if (!uri.startsWith(SCHEME)) return undefined;
    const wanted = URL.parse(uri)?.searchParams;
    const [session = '', id, resource = ''] = ['session', 'server', 'uri'].map(
      (key) => wanted?.get(key) ?? '',
    );
    const server = this.#serversOf(session).find((each) => each.id === id)?.server;
    return readResource(server, resource, maxBytes);
  }

  async #prompts(session: string): Promise<readonly NamedPrompt[]> {
    const all = await Promise.all(
      this.#serversOf(session).map(async ({ prefix, server }) =>
        ((await this.#inTime(server.lists?.prompts())) ?? []).map((prompt) => ({ prefix, server, prompt })),
      ),
    );
    const prompts = all.flat();
    const names = toolNames(prompts.map(({ prefix, prompt }) => ({ server: prefix, tool: prompt.name })));
    return prompts.map(({ server, prompt }, index) => ({
      name: names[index] ?? prompt.name,
      server,
      prompt,
    }));
  }

  async #inTime<T>(list: Promise<T> | undefined): Promise<T | undefined> {
    if (list === undefined) return undefined;
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const cancel = this.#timers.after(LIST_LIMIT_MS, () => resolve(undefined));
    // A list that cannot be read is empty while a person types.
    return Promise.race([list.catch(() => undefined), late]).finally(cancel);
  }
}

async function readResource(
  server: McpServer | undefined,
  uri: string,
  maxBytes: number,
): ReturnType<TurnInput['readResource']> {
  const client = server?.connection?.client;
  const name = JSON.stringify(uri);
  if (client === undefined)
    throw new UnreadableResource('missing', `The MCP server of ${name} is not running`);
  try {
    const { contents } = await client.readResource({ uri }, { timeout: READ_LIMIT_MS });
    const data = Buffer.concat(
      contents.map((each) => ('text' in each ? Buffer.from(each.text) : Buffer.from(each.blob, 'base64'))),
    );
    if (data.byteLength > maxBytes)
      throw new UnreadableResource('tooLarge', `${name} has ${data.byteLength} bytes`);
    return { data, ...defined({ contentType: contents[0]?.mimeType }) };
  } catch (error) {
    if (error instanceof UnreadableResource) throw error;
    throw new UnreadableResource('unreadable', `${name}: ${errorText(error)}`, { cause: error });
  }
}

/** The words after a command, in the order of the arguments; the last one takes the rest. Throws an error that names a missing one. */
function argumentsOf({ name, arguments: all = [] }: Prompt, rest: string): Record<string, string> {
  const words = rest === '' ? [] : rest.split(/\s+/);
  const given = all.flatMap(({ name: key, required }, index) => {
    const value = index === all.length - 1 ? words.slice(index).join(' ') : (words[index] ?? '');
    if (value === '' && required === true) throw new Error(`/${name} needs the argument ${key}`);
    return value === '' ? [] : [[key, value] as const];
  });
  return Object.fromEntries(given);
}

const textOf = ({ messages }: GetPromptResult): string =>
  messages
    .map(({ role, content }) => {
      const text =
        content.type === 'text'
          ? content.text
          : content.type === 'resource' && 'text' in content.resource
            ? content.resource.text
            : `(${content.type})`;
      return role === 'user' ? text : `[${role}] ${text}`;
    })
    .join('\n\n');
