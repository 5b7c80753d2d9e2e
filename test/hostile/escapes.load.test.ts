// Escape sequences in the names and texts of a session, chats, terminals, tokens and folders, and every command that shows them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Machine } from '../../packages/cli/test/cli-process.ts';
import { Window } from '../../packages/cli/test/window.ts';
import { RudeClient } from './rude-client.ts';

const ESC = '\u001b';
const ROOT = 'ahp-root://';
const MARK = '31337';
/** A terminal would obey the text after each `word`. All of that text contains `31337`, which nothing shown may contain. */
const EVIL = `word${ESC}[${MARK}m${ESC}]0;${MARK}\u0007${ESC}]52;c;${MARK}${ESC}\\${ESC}]8;;http://e/${MARK}\u0007${ESC}P${MARK}${ESC}\\\u009b${MARK}J\u009d${MARK}\u009c${ESC}c${ESC}(0\r\b\u0007\u202e\u2066\u200b\ufeffend`;
/** A hostile id, for fields that refuse control characters below U+0020. */
const EVIL_ID = `i\u009b${MARK}m\u009d${MARK}\u009c\u0085\u202e\u200b`;
/** Hostile characters as character references of Markdown. */
const EVIL_REFERENCES = `&#27;[${MARK}m &#x1b;]0;${MARK}&#7; &#155;${MARK}J &#8238;`;
const FORBIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

const scripted = fileURLToPath(new URL('../../packages/agents/test/acp-scripted-agent.ts', import.meta.url));
const machine = new Machine();
const session = `ahp-session:/${EVIL_ID}-one`;
let client: RudeClient;
let folder = '';
let prompt = '';

async function succeed(method: string, params: object): Promise<Record<string, unknown>> {
  const { result, error } = await client.request(method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return JSON.parse(JSON.stringify(result ?? {}));
}

async function stateOf(channel: string): Promise<Record<string, unknown>> {
  const { snapshot } = await succeed('subscribe', { channel });
  return JSON.parse(JSON.stringify(snapshot)).state;
}

beforeAll(async () => {
  folder = join(machine.home, `work ${EVIL.replaceAll('/', '')}`);
  mkdirSync(folder);
  writeFileSync(join(folder, `file${EVIL.replaceAll('/', '')}.txt`), EVIL);
  const update = (body: object): object => ({ update: body });
  const call = { toolCallId: 't', title: EVIL, kind: 'execute', rawInput: { command: EVIL } };
  prompt = JSON.stringify([
    update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: EVIL } }),
    update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `${EVIL} ${EVIL_REFERENCES}\n` },
    }),
    update({ sessionUpdate: 'plan', entries: [{ content: EVIL, priority: 'high', status: 'pending' }] }),
    update({ sessionUpdate: 'tool_call', ...call, status: 'pending' }),
    {
      ask: {
        method: 'session/request_permission',
        params: {
          toolCall: call,
          options: [{ optionId: 'y', name: EVIL, kind: 'allow_once' }],
        },
      },
    },
    update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      status: 'failed',
      content: [
        { type: 'content', content: { type: 'text', text: EVIL } },
        { type: 'diff', path: join(folder, EVIL.replaceAll('/', '')), oldText: EVIL, newText: 'x' },
      ],
    }),
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'said-all' } }),
  ]);
  const config = join(machine.home, 'agenthost.json');
  const entry = { displayName: EVIL, command: process.execPath, args: [scripted, '{}'] };
  writeFileSync(config, JSON.stringify({ agents: { evil: entry } }));
  const { line } = await machine.serve('--config', config);
  client = await RudeClient.connect(line);
  await client.initialize(EVIL_ID);
  const workingDirectory = pathToFileURL(folder).href;
  await succeed('createSession', {
    channel: session,
    provider: 'evil',
    workingDirectories: [workingDirectory],
  });
  while ((await stateOf(session))['lifecycle'] === 'creating');
  client.dispatch(session, { type: 'session/titleChanged', title: EVIL });
  await succeed('createChat', { channel: session, chat: `ahp-chat:/${EVIL_ID}`, title: EVIL });
  const claim = { kind: 'session', session, chat: `ahp-chat:/${EVIL_ID}` };
  const terminal = `ahp-terminal:/${EVIL_ID}`;
  await succeed('createTerminal', { channel: terminal, claim, name: EVIL, cwd: workingDirectory });
  await succeed('x-createToken', { channel: ROOT, scope: 'observe', name: 'name\u202e\u200b' });
}, 60_000);

afterAll(async () => {
  await client.close();
  await machine.dispose();
});

/** Exit codes of commands whose argument begins with the key. */
const exitCodes: ReadonlyMap<string, number> = new Map([
  ['nonew', 1],
  ['wrong', 2],
]);

/** Fails when a command's output contains hostile text. Sequences of the program itself are allowed. */
function clean(text: string, where: string): void {
  expect(FORBIDDEN.exec(text)?.[0], `${where}: ${JSON.stringify(text).slice(0, 4_000)}`).toBeUndefined();
}

describe('hostile names and texts', () => {
  test('text, calls and questions of an agent are harmless during its turn', async () => {
    const ran = await machine.run(['run', '--session', session, '--approve', 'all', '--verbose', prompt]);
    clean(ran.out + ran.err, 'run');
    expect(ran.out).toContain('said-all');
    expect(ran.err).toContain('word');
    const json = await machine.run(['run', '--session', session, '--approve', 'all', '--json', prompt]);
    clean(json.out, 'run --json');
    // JSON output keeps the whole text.
    expect(json.out).toContain(JSON.stringify(`${ESC}[${MARK}m`).slice(1, -1));
  }, 60_000);

  test.each<readonly [string, readonly string[]]>([
    ['sessions', []],
    ['sessions', ['--json']],
    ['sessions', ['--search', 'said']],
    ['sessions show', [session]],
    ['sessions chats', [session]],
    ['sessions show', [`none${EVIL}`]],
    ['term list', ['--long']],
    ['term list', ['--json']],
    ['token list', []],
    ['token list', ['--json']],
    ['approvals', []],
    ['agents', []],
    ['queue list', [session]],
    ['queue', [`wrong${EVIL_ID}`]],
    ['config', []],
    ['export', [session, '--format', 'json']],
    ['export', [session, '--format', 'markdown']],
    ['export', [session, '--format', 'html']],
    ['sessions archive', [session]],
  ])(
    '%s',
    async (command, args) => {
      const { out, err, code } = await machine.run([...command.split(' '), ...args]);
      clean(out + err, command);
      expect(out + err).not.toBe('');
      expect(code, out + err).toBe(exitCodes.get(args[0]?.slice(0, 5) ?? '') ?? 0);
    },
    30_000,
  );

  test('watch shows the same', async () => {
    const watching = machine.start(['watch', session]);
    await watching.until('said-all');
    await watching.until('nothing waits for an answer');
    watching.kill('SIGINT');
    const { out, err } = await watching.ended;
    expect(out).toContain('said-all');
    clean(out + err, 'watch');
  });

  test('the window of chat gets only sequences of the program itself', async () => {
    const window = new Window(['chat', session], { cwd: machine.home, env: machine.environment });
    try {
      await window.until('said-all');
      window.type('@f');
      await window.until('file');
      expect(window.raw).not.toContain(`${ESC}[${MARK}`);
      expect(window.raw).not.toMatch(/[\u0080-\u009f\u202e\u2066\u200b\ufeff\u0007]/u);
      // Frames consist of styles, cursor moves and modes. Control strings begin otherwise.
      expect(window.raw.replaceAll(/\u001b\[[0-9;?<>=]*[a-zA-Z]/g, '')).not.toContain(ESC);
    } finally {
      await window.dispose();
    }
  });
});
