import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket, type Server as SocketServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClientTool } from '@agenthost/host/agent';
import { defined } from '@agenthost/protocol/values';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AcpLog, AcpTimers } from '../runtime.ts';
import { TOOL_SERVER } from './client-tool-forms.ts';
import { failedResult } from './results.ts';
import { makeSocketFolder, removeLeftSockets } from './socket-folder.ts';

/** Whoever does not say in so many ms who it is has to go. */
const SECRET_LIMIT_MS = 10_000;
const SECRET_BYTES = 32;

/** What an agent's session offers through a server, and who runs it. */
export interface ServedTools {
  list(): readonly ClientTool[];
  /** The agent is told the list. */
  listed(): void;
  call(
    tool: ClientTool,
    input: Readonly<Record<string, unknown>>,
    withdrawn: AbortSignal,
  ): Promise<CallToolResult>;
}

/** How an agent starts its end of a server: an entry of `mcpServers`. */
export interface ToolServerEntry {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly env: { name: string; value: string }[];
}

/** Tools of one session, served. */
export interface ServedSession {
  readonly entry: ToolServerEntry;
  /** Tells the agent that the list is another one. */
  changed(): void;
  /** Ends it; the agent's end of it ends too. */
  close(): void;
}

interface Listening {
  readonly server: SocketServer;
  readonly folder: string;
  readonly path: string;
}

interface Session {
  readonly tools: ServedTools;
  readonly connections: Map<Socket, ReadonlySet<Server>>;
}

/**
 * Serves tools to agents over the Model Context Protocol: a socket that this user alone may open, on which each session has a
 * secret of its own. Agents reach it by a small program, since every one of them can start a server by its command line.
 */
export class ToolServer {
  readonly #log: AcpLog;
  readonly #timers: AcpTimers;
  readonly #sessions = new Map<string, Session>();
  #listening: Promise<Listening> | undefined;

  constructor(parts: { log: AcpLog; timers: AcpTimers }) {
    this.#log = parts.log;
    this.#timers = parts.timers;
  }

  /** Serves a session's tools. Rejects when no socket can be made. */
  async serve(tools: ServedTools): Promise<ServedSession> {
    const { path } = await this.#listen();
    const secret = randomBytes(SECRET_BYTES).toString('hex');
    const session: Session = { tools, connections: new Map() };
    this.#sessions.set(secret, session);
    return {
      entry: {
        name: TOOL_SERVER,
        command: process.execPath,
        args: [pipeProgram()],
        env: [
          { name: 'AGENTHOST_TOOLS_SOCKET', value: path },
          { name: 'AGENTHOST_TOOLS_SECRET', value: secret },
        ],
      },
      changed: () => {
        for (const servers of session.connections.values()) for (const each of servers) this.#tell(each);
      },
      close: () => {
        this.#sessions.delete(secret);
        for (const socket of session.connections.keys()) socket.destroy();
      },
    };
  }

  /** Ends all sessions and the socket. Idempotent. */
  async dispose(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    for (const { connections } of this.#sessions.values())
      for (const socket of connections.keys()) socket.destroy();
    this.#sessions.clear();
    if (listening === undefined) return;
    try {
      const { server, folder } = await listening;
      server.close();
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      this.#log('warn', 'the socket of the tools was not cleared away', { error: String(error) });
    }
  }

  /** One that fails is tried again by the next session. */
  #listen(): Promise<Listening> {
    if (this.#listening !== undefined) return this.#listening;
    const listening = this.#begin();
    this.#listening = listening;
    listening.catch(() => {
      if (this.#listening === listening) this.#listening = undefined;
    });
    return listening;
  }

  async #begin(): Promise<Listening> {
    await removeLeftSockets((error) =>
      this.#log('info', 'a socket that a host left was not removed', { error: String(error) }),
    );
    const { folder, path } = makeSocketFolder();
    const server = createServer((socket) => this.#accept(socket));
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
      chmodSync(path, 0o600);
    } catch (error) {
      server.close();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
    // Agents keep the host running, not what serves them.
    server.unref();
    return { server, folder, path };
  }

  #accept(socket: Socket): void {
    socket.on('error', (error) => this.#log('debug', 'a tool connection failed', { error: String(error) }));
    const stopLimit = this.#timers.after(SECRET_LIMIT_MS, () => socket.destroy());
    socket.on('close', stopLimit);
    let head = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\n');
      if (end < 0 && head.length <= SECRET_BYTES * 2) return;
      socket.off('data', read);
      stopLimit();
      const session = this.#sessions.get(head.subarray(0, Math.max(end, 0)).toString('utf8'));
      if (session === undefined) {
        socket.destroy();
        return;
      }
      // Keeps what comes until it is read.
      const input = new PassThrough();
      input.write(head.subarray(end + 1));
      socket.pipe(input);
      this.#speak(socket, input, session);
    };
    socket.on('data', read);
  }

  #speak(socket: Socket, input: PassThrough, session: Session): void {
    const servers = new Set<Server>();
    const handle = serveStdio(
      () => {
        const server = makeServer(session.tools);
        servers.add(server);
        return server;
      },
      {
        transport: new StdioServerTransport(input, socket),
        onerror: (error) => this.#log('debug', 'a tool connection failed', { error: String(error) }),
      },
    );
    session.connections.set(socket, servers);
    socket.on('close', () => {
      session.connections.delete(socket);
      handle
        .close()
        .catch((error: unknown) =>
          this.#log('debug', 'a tool connection did not close', { error: String(error) }),
        );
    });
  }

  #tell(server: Server): void {
    server
      .sendToolListChanged()
      .catch((error: unknown) =>
        this.#log('debug', 'an agent was not told of changed tools', { error: String(error) }),
      );
  }
}

function makeServer(tools: ServedTools): Server {
  const server = new Server(
    { name: TOOL_SERVER, title: 'Tools of connected clients', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', () => {
    tools.listed();
    return { tools: tools.list().map(listed) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.list().find(({ name }) => name === params.name);
    if (tool === undefined) return failedResult(`No client offers a tool ${params.name} any more`);
    return tools.call(tool, params.arguments ?? {}, context.mcpReq.signal);
  });
  return server;
}

/** Without the output's schema: a client that breaks it would fail the call inside the agent, where nobody sees why. */
function listed({ name, definition: { title, description, inputSchema, annotations } }: ClientTool): Tool {
  return {
    name,
    // It came as JSON; the library wants to see it in the type.
    inputSchema: { ...JSON.parse(JSON.stringify(inputSchema ?? {})), type: 'object' },
    ...defined({ title, description, annotations }),
  };
}

/** Beside this file, as source or built. */
const pipeProgram = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './pipe.ts' : './pipe.js', import.meta.url));
