// A small ACP agent that runs the steps of a prompt: the text of a prompt is a JSON list of steps (see `Step`).
// Its offer is one JSON argument (see `Offer`).
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { McpClient, type ServerEntry } from './scripted-mcp.ts';

/** The behaviour of the agent in a test. */
export interface Offer {
  /** Merged into the answer to `initialize`. */
  init?: object;
  /** Merged into the answers to `session/new`, `session/load` and `session/resume`. */
  session?: object;
  /** Errors by method. */
  errors?: Record<string, { code: number; message: string; data?: unknown }>;
  /** Results of methods that the agent does not implement. */
  results?: Record<string, object>;
  /** Updates sent before the answer to a method. */
  before?: Record<string, readonly object[]>;
  /** Updates sent after the answer to a method, one every few milliseconds. */
  after?: Record<string, readonly object[]>;
  /** Methods that are never answered. */
  silent?: readonly string[];
  /** Lists the tools of its server some time after it has opened a session. */
  listsTools?: boolean;
  /** Ignores SIGTERM. */
  ignoresTerm?: boolean;
}

/** One step of a turn. */
export type Step =
  /** Sends a session update. */
  | { update: object }
  /** Sends a request to the client and waits for its answer. */
  | { ask: { method: string; params: object } }
  /** Sends a request and continues; `awaitAnswer` waits for the answer to the last one. */
  | { request: { method: string; params: object } }
  | { awaitAnswer: true }
  /**
   * Sends text: words, the last answer, the environment, the params of a method's call, or the prompt's
   * blocks.
   */
  | { say: string }
  | { sayAnswer: true }
  | { sayEnv: true }
  | { sayCalls: string }
  | { sayPrompt: true }
  | { saySession: true }
  /** Starts the first server of `mcpServers` if necessary, sends it a request and waits for the answer. */
  | { mcp: { method: string; params?: object } }
  /** Sends that server a request and cancels the request, without waiting. */
  | { mcpCancelled: { method: string; params?: object } }
  /** Reports whether the agent has listed the tools by itself; see `listsTools`. */
  | { sayListed: true }
  /** Reports which notifications that server has sent, once there is one. */
  | { sayMcpNotes: true }
  /** Waits until the agent has received `count` calls of a method. */
  | { awaitCall: string; count?: number }
  /** Sends a message unchanged. */
  | { send: object }
  /** Writes the text `count` times to stdout or stderr. */
  | { write: { text: string; count?: number; to?: 'stdout' | 'stderr' } }
  | { exit: number }
  /** Runs a shell command whose children inherit the agent's pipes. */
  | { holdPipes: string }
  /** Closes one of its pipes and continues. */
  | { closeFd: 0 | 1 }
  /** Sends an update `count` times, a text with its number. */
  | { flood: { update: object; count: number } }
  /** Completes `count` calls that each change every line of a file with `lines` lines of 20 characters. */
  | { rewrite: { lines: number; count: number } }
  /** Sends a request `count` times without waiting for answers. */
  | { requests: { method: string; params: object; count: number } }
  /** Starts a program and reports its pid. */
  | { spawn: [string, ...string[]] }
  /** Ends the turn with this result once it is cancelled, or never. */
  | { waitForCancel: object | 'never' }
  /** Ends the turn with this result and continues. Without it a turn ends with `end_turn`. */
  | { result: object };

interface Message {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown> & { sessionId?: string; prompt?: { text?: string }[] };
  result?: unknown;
  error?: unknown;
}

const offer = JSON.parse(process.argv[2] ?? '{}') as Offer;
const answers = new Map<number | string, (answer: Message) => void>();
const cancels = new Map<string, () => void>();
const calls: Message[] = [];
/** Waiters for the next call. */
const called = new Set<() => void>();
let requestCount = 0;
let sessionCount = 0;
let lastAnswer: Message = {};
/** By session. */
const servers = new Map<string, ServerEntry[]>();
const mcpClients = new Map<string, McpClient>();

function mcpOf(sessionId: string): McpClient {
  const [entry] = servers.get(sessionId) ?? [];
  if (entry === undefined) throw new Error(`no server was given to ${sessionId}`);
  const client = mcpClients.get(sessionId) ?? new McpClient(entry);
  mcpClients.set(sessionId, client);
  return client;
}
/** Sessions in which the agent has listed the tools by itself. */
const listed = new Set<string>();

async function listLater(sessionId: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  await mcpOf(sessionId).request('tools/list', {});
  listed.add(sessionId);
}

let pending: Promise<Message> = Promise.resolve({});

if (offer.ignoresTerm) process.on('SIGTERM', () => {});

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function update(sessionId: string, body: object): void {
  send({ method: 'session/update', params: { sessionId, update: body } });
}

function say(sessionId: string, text: string): void {
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
}

function request(method: string, params: object): Promise<Message> {
  requestCount += 1;
  const id = `a${requestCount}`;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

async function runTurn(id: number | string, sessionId: string, prompt: { text?: string }[]): Promise<void> {
  const text = prompt.at(-1)?.text ?? '';
  const steps = text.startsWith('[') ? (JSON.parse(text) as Step[]) : [{ say: `You said: ${text}` }];
  let isOver = false;
  const end = (result: object): void => {
    if (!isOver) send({ id, result });
    isOver = true;
  };
  for (const step of steps) {
    if ('update' in step) update(sessionId, step.update);
    else if ('ask' in step) lastAnswer = await request(step.ask.method, { sessionId, ...step.ask.params });
    else if ('request' in step) pending = request(step.request.method, { sessionId, ...step.request.params });
    else if ('awaitAnswer' in step) lastAnswer = await pending;
    else if ('mcp' in step) {
      const { method, params = {} } = step.mcp;
      const { result, error } = await mcpOf(sessionId).request(method, params);
      lastAnswer = { result: result ?? error };
    } else if ('mcpCancelled' in step) {
      const { method, params = {} } = step.mcpCancelled;
      await mcpOf(sessionId).requestAndCancel(method, params);
    } else if ('sayListed' in step) say(sessionId, listed.has(sessionId) ? 'listed' : 'not listed');
    else if ('sayMcpNotes' in step) {
      const { notes } = mcpOf(sessionId);
      while (notes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      say(sessionId, JSON.stringify(notes));
    } else if ('say' in step) say(sessionId, step.say);
    else if ('sayAnswer' in step) say(sessionId, JSON.stringify(lastAnswer.result ?? lastAnswer.error));
    else if ('sayEnv' in step) say(sessionId, JSON.stringify({ env: process.env, cwd: process.cwd() }));
    else if ('sayCalls' in step) {
      const made = calls.filter(({ method }) => method === step.sayCalls);
      say(sessionId, JSON.stringify(made.map(({ params }) => params)));
    } else if ('sayPrompt' in step) say(sessionId, JSON.stringify(prompt.slice(0, -1)));
    else if ('saySession' in step) say(sessionId, `${process.pid} ${sessionId}`);
    else if ('awaitCall' in step) {
      const { awaitCall, count = 1 } = step;
      while (calls.filter(({ method }) => method === awaitCall).length < count)
        await new Promise<void>((resolve) => called.add(resolve));
    } else if ('send' in step) send(step.send);
    else if ('write' in step) {
      const { text: written, count = 1, to = 'stdout' } = step.write;
      for (let index = 0; index < count; index += 1) process[to].write(written);
    } else if ('exit' in step) process.exit(step.exit);
    else if ('holdPipes' in step) {
      const shell = spawn('sh', ['-c', step.holdPipes], { stdio: ['ignore', 'inherit', 'inherit'] });
      await new Promise((resolve) => shell.once('exit', resolve));
    } else if ('closeFd' in step) closeSync(step.closeFd);
    else if ('flood' in step)
      for (let index = 0; index < step.flood.count; index += 1) update(sessionId, step.flood.update);
    else if ('rewrite' in step) rewrite(sessionId, step.rewrite);
    else if ('requests' in step)
      for (let index = 0; index < step.requests.count; index += 1)
        void request(step.requests.method, { sessionId, ...step.requests.params });
    else if ('spawn' in step) {
      const [file, ...args] = step.spawn;
      say(sessionId, String(spawn(file, args, { stdio: 'ignore' }).pid));
    } else if ('waitForCancel' in step) {
      await new Promise<void>((resolve) => cancels.set(sessionId, resolve));
      if (step.waitForCancel === 'never') return;
      end(step.waitForCancel);
    } else end(step.result);
  }
  end({ stopReason: 'end_turn' });
}

async function sendLater(sessionId: string, updates: readonly object[]): Promise<void> {
  for (const body of updates) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    update(sessionId, body);
  }
}

function answer({ id, method, params = {} }: Message & { id: number | string }): void {
  if (method === undefined || offer.silent?.includes(method)) return;
  const error = offer.errors?.[method];
  let sessionId = params.sessionId ?? '';
  if (method === 'session/new') {
    sessionCount += 1;
    sessionId = `${process.pid}-${sessionCount}`;
  }
  if (Array.isArray(params['mcpServers'])) servers.set(sessionId, params['mcpServers'] as ServerEntry[]);
  for (const body of offer.before?.[method] ?? []) update(sessionId, body);
  if (error !== undefined) send({ id, error });
  else if (method === 'initialize') send({ id, result: { protocolVersion: 1, ...offer.init } });
  else if (method === 'session/new') send({ id, result: { sessionId, ...offer.session } });
  else if (method === 'session/prompt') void runTurn(id, sessionId, params.prompt ?? []);
  else if (method === 'session/load' || method === 'session/resume')
    send({ id, result: offer.session ?? {} });
  else send({ id, result: offer.results?.[method] ?? {} });
  void sendLater(sessionId, offer.after?.[method] ?? []);
  const hasServers = Array.isArray(params['mcpServers']) && params['mcpServers'].length > 0;
  if (offer.listsTools === true && hasServers) void listLater(sessionId);
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line) as Message;
    calls.push(message);
    for (const resolve of called) resolve();
    called.clear();
    if (message.method === undefined) answers.get(message.id ?? '')?.(message);
    else if (message.id !== undefined) answer({ ...message, id: message.id });
    else if (message.method === 'session/cancel') cancels.get(message.params?.sessionId ?? '')?.();
  })
  .on('close', () => {
    if (!offer.ignoresTerm) process.exit(0);
  });
if (offer.ignoresTerm) setInterval(() => {}, 60_000);

function rewrite(sessionId: string, { lines, count }: { lines: number; count: number }): void {
  const text = (word: string): string =>
    Array.from({ length: lines }, (_, index) => `${word} ${String(index).padStart(14, '0')}\n`).join('');
  for (let index = 0; index < count; index += 1)
    update(sessionId, {
      sessionUpdate: 'tool_call',
      toolCallId: `rewrite-${index}`,
      title: 'Rewrite',
      kind: 'edit',
      status: 'completed',
      content: [{ type: 'diff', path: `/file-${index}`, oldText: text('old'), newText: text('new') }],
    });
}
