import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket, type Server as SocketServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClientTool, HostTool } from '@agenthost/host/agent';
import { defined } from '@agenthost/protocol/values';
import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { AcpLog, AcpTimers } from '../runtime.ts';
import { TOOL_SERVER } from './client-tool-forms.ts';
import { failedResult } from './results.ts';
import { makeSocketFolder, removeLeftSockets } from './socket-folder.ts';

/** A connection that does not send its secret within this time is closed. Milliseconds. */
const SECRET_LIMIT_MS = 10_000;
const SECRET_BYTES = 32;

/** A tool of a client or of the host. */
export type ServedTool = ClientTool | HostTool;

/** The tools of one agent session, and the code that runs them. */
export interface ServedTools {
  list(): readonly ServedTool[];
  /** The agent was sent the list. */
  listed(): void;
  call(
    tool: ServedTool,
    input: Readonly<Record<string, unknown>>,
    withdrawn: AbortSignal,
  ): Promise<CallToolResult>;
}

/** The command by which an agent starts its end of a server: an entry of `mcpServers`. */
export interface ToolServerEntry {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly env: { name: string; value: string }[];
}

/** The served tools of one session. */
export interface ServedSession {
  readonly entry: ToolServerEntry;
  /** Tells the agent that the list has changed. */
  changed(): void;
  /** Ends the service; the agent's MCP server exits. */
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
 * Serves tools to agents over MCP on a socket that only this user can open. Each session has its own secret.
 * Agents connect through a small program, because every agent can start a server by a command line.
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

  /** Serves the tools of a session. Rejects when the socket cannot be created. */
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

  /** Ends all sessions and closes the socket. Idempotent. */
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
      this.#log('warn', 'the folder of the tool socket could not be removed', { error: String(error) });
    }
  }

  /** After a failure the next session tries again. */
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
      this.#log('info', 'a socket left by another host could not be removed', { error: String(error) }),
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
    // The tool server alone does not keep the host running.
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
      // Buffers what arrives before the server reads.
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
        this.#log('debug', 'an agent could not be notified of changed tools', { error: String(error) }),
      );
  }
}

function makeServer(tools: ServedTools): Server {
  const server = new Server(
    { name: TOOL_SERVER, title: 'Tools of the host and of connected clients', version: '1' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', () => {
    tools.listed();
    return { tools: tools.list().map(listed) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.list().find(({ name }) => name === params.name);
    if (tool === undefined)
      return failedResult(`The host and its clients offer no tool named ${params.name} now`);
    return tools.call(tool, params.arguments ?? {}, context.mcpReq.signal);
  });
  return server;
}

/**
 * Without the output schema: a violation by the client would fail the call inside the agent, where nobody
 * sees the reason.
 */
function listed({ name, definition: { title, description, inputSchema, annotations } }: ServedTool): Tool {
  return {
    name,
    // The schema came as JSON; the library's type is narrower.
    inputSchema: { ...JSON.parse(JSON.stringify(inputSchema ?? {})), type: 'object' },
    ...defined({ title, description, annotations }),
  };
}

/** Next to this file, as source or built. */
const pipeProgram = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './pipe.ts' : './pipe.js', import.meta.url));
