// An agent that replays a recorded connection: `node acp-replay-agent.ts <capture>`. It sends the recorded
// lines of the agent (`<`) and waits at each line of the client (`>`) for a matching one. Ids are mapped, and
// `/workspace` becomes the client's folder. Requests that the recording does not have at that place are
// answered: `session/resume` as unknown, `session/new` with an id, others with `{}`. It reports its progress
// on stderr (`played session/prompt`, and at the end `played all`).
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Message {
  id?: number | string;
  method?: string;
  params?: { cwd?: string };
  result?: unknown;
  error?: unknown;
}

const recorded = readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ fromAgent: line.startsWith('<'), message: JSON.parse(line.slice(2)) as Message }));

/** The client's request ids by those in the recording. */
const ids = new Map<number | string, number | string>();
let workspace = '/workspace';
let next = 0;

function send(message: Message): void {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  process.stdout.write(`${text.replaceAll('/workspace', workspace)}\n`);
}

function play(): void {
  for (let step = recorded[next]; step?.fromAgent; step = recorded[next]) {
    const { message } = step;
    const id = message.method === undefined && message.id !== undefined ? ids.get(message.id) : message.id;
    send(id === undefined ? message : { ...message, id });
    next += 1;
  }
  if (next === recorded.length) process.stderr.write('played all\n');
}

function isLike(expected: Message | undefined, got: Message): boolean {
  if (expected === undefined) return false;
  return expected.method === undefined
    ? got.method === undefined && got.id === expected.id
    : got.method === expected.method;
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  const expected = recorded[next]?.message;
  if (isLike(expected, message)) {
    if (message.method === undefined && JSON.stringify(message.result) !== JSON.stringify(expected?.result)) {
      process.stderr.write(`expected ${JSON.stringify(expected)}, got ${line}\n`);
      if (expected?.result !== undefined) process.exit(3);
    }
    if (expected?.id !== undefined && message.id !== undefined) ids.set(expected.id, message.id);
    workspace = message.params?.cwd ?? workspace;
    next += 1;
    process.stderr.write(`played ${message.method ?? 'answer'}\n`);
    play();
  } else if (message.method !== undefined && message.id !== undefined) {
    const isResume = message.method === 'session/resume';
    const made = message.method === 'session/new' ? { sessionId: 'unrecorded' } : {};
    send({
      id: message.id,
      ...(isResume ? { error: { code: -32601, message: 'not recorded' } } : { result: made }),
    });
  }
});
play();
