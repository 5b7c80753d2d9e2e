import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { errorOf, openRequests, SessionStatus } from '@agenthost/protocol';
import { markdownOf } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Machine, type RunningCli } from '../../packages/cli/test/cli-process.ts';
import { Window } from '../../packages/cli/test/window.ts';
import { callsOf, quickly, seen } from '../terminals/stage.ts';
import { Script } from './script.ts';

const machine = new Machine();
let port = '0';
let host: RunningCli;
let wsUrl = '';
/** A script that uses the library. */
let script: Script;
let session: SessionHandle;
/** A person at a terminal. */
let window: Window;
/** `agenthost watch` with its output in a pipe. */
let pipe: RunningCli;

const id = (): string => session.uri.replace('ahp-session:/', '');
const queue = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await machine.run(['queue', args[0] ?? '', id(), ...args.slice(1)]);
  expect(code, err).toBe(0);
  return out;
};

async function serve(): Promise<void> {
  const served = await machine.serve('--port', port);
  host = served.host;
  port = new URL(served.line.url).port;
  wsUrl = `${served.line.wsUrl}?token=${served.line.token}`;
}

async function openWindow(): Promise<void> {
  window = new Window(['watch', id(), '--turns', '1'], {
    cwd: machine.home,
    env: machine.environment,
    cols: 100,
    rows: 60,
  });
  await window.until('q leaves');
}

async function openPipe(): Promise<void> {
  pipe = machine.start(['watch', id(), '--turns', '1']);
  await pipe.until('q leaves');
}

/** Ends both commands. */
async function leave(): Promise<void> {
  window.type('q\r');
  pipe.type('q\n');
  expect(await window.ended).toBe(0);
  expect(await pipe.ended).toMatchObject({ code: 0 });
  await window.dispose();
}

/** A command that ends when the file exists. */
const until = (gate: string): string => `run while [ ! -e ${gate} ]; do sleep 0.05; done`;
const open = (gate: string): void => writeFileSync(join(machine.home, gate), '');

/** Resolves when both commands have printed the text. */
const shown = (text: string): Promise<unknown> => Promise.all([window.until(text), pipe.until(text)]);

beforeAll(async () => {
  await serve();
  script = new Script('script', () => wsUrl);
  await script.client.connect();
  session = await script.client.sessions.create({
    provider: 'demo',
    workingDirectories: [pathToFileURL(machine.home).href],
    config: { askBeforeWriting: false },
  });
  await Promise.all([openWindow(), openPipe()]);
}, 60_000);

afterAll(async () => {
  script.client.close();
  await window.dispose();
  await machine.dispose();
});

describe('three clients on one session', () => {
  test('[CHAT-13] [SESS-7] a form is begun in a terminal, drafted by a script and finished through a pipe', async () => {
    const prompt = session.prompt(quickly('question text integer single required'));
    await shown('Name');
    expect(session.mirror.confirmed.inputNeeded).toMatchObject([{ kind: 'chatInput' }]);
    window.type('a\r');
    await window.until('text >');
    window.type('Sourdough\r');
    await window.until('whole number >');
    const request = await seen(session.chat.mirror, (state) =>
      openRequests(state).find(({ answers }) => answers?.['name'] !== undefined),
    );
    expect(request.answers).toEqual({
      name: { state: 'submitted', value: { kind: 'text', value: 'Sourdough' } },
    });
    // Half an answer: an unconfirmed number.
    await session.chat.inputRequest(request.id).draft('count', 3);
    pipe.type('y\n');
    await pipe.until('[Sourdough] >');
    pipe.type('\n');
    // Another client’s draft shows in the next prompt that is drawn. A text that is no number makes the program draw the prompt again.
    await vi.waitFor(
      () => {
        if (pipe.err.includes('[3] >')) return;
        pipe.type('x\n');
        throw new Error(`no proposal of another client: ${pipe.err}`);
      },
      { timeout: 60_000, interval: 200 },
    );
    pipe.type('\n');
    await pipe.until('[2] >');
    pipe.type('2\n');
    const turn = await prompt.result;
    expect(markdownOf(turn)).toMatch(/- Name: `Sourdough`\n- Count: `3`\n- Size: `\w+`$/);
    await window.until('answered by another client');
    await shown('Sourdough');
    await script.client.ping();
    expect(session.mirror.confirmed.inputNeeded ?? []).toEqual([]);
  }, 60_000);

  test('[CONN-6] [SESS-7] a call that asks while no client is connected is approved by clients that return', async () => {
    const prompt = session.prompt(quickly(`${until('alone')}\nask\nsay approved`));
    await shown('while [ ! -e alone ]');
    await leave();
    await script.offline();
    open('alone');
    await asksInJournal();
    await script.online();
    // The replay brings the missed actions, so the call is there before any later message.
    const [, call] = callsOf(session.chat.mirror.confirmed.activeTurn);
    expect(call).toMatchObject({ status: 'pending-confirmation' });
    await Promise.all([openWindow(), openPipe()]);
    await Promise.all([window.until('y: '), pipe.until('y: ')]);
    window.type('y\r');
    const turn = await prompt.result;
    expect(callsOf(turn)[1]).toMatchObject({ status: 'completed', confirmed: 'user-action' });
    expect(markdownOf(turn)).toContain('approved');
    await shown('approved');
  }, 60_000);

  test('[CHAT-8] [ACT-3] of two simultaneous approvals the second is rejected, and its sender gets the reason', async () => {
    const prompt = session.prompt(quickly(`ask options\n${until('agreed')}\nsay went on`));
    const call = await seen(session.chat.mirror, ({ activeTurn }) =>
      callsOf(activeTurn).find(({ status }) => status === 'pending-confirmation'),
    );
    await shown('Deny and stop');
    // The script does not receive the first answer before it gives its own.
    script.hold();
    pipe.type('1\n');
    await shown('while [ ! -e agreed ]');
    const late = session.chat.approve(call.toolCallId);
    // The sender sees its approval as accepted until the host answers.
    expect(callsOf(session.chat.mirror.state.activeTurn)).toMatchObject([{ status: 'running' }]);
    script.release();
    expect(await late).toEqual({
      outcome: 'rejected',
      code: 'wrongState',
      reason: `Tool call ${call.toolCallId} is completed, not pending-confirmation`,
    });
    expect(callsOf(session.chat.mirror.state.activeTurn)).toMatchObject([{ status: 'completed' }, {}]);
    open('agreed');
    const turn = await prompt.result;
    expect(callsOf(turn)[0]).toMatchObject({ status: 'completed', confirmed: 'user-action' });
    await shown('went on');
  }, 60_000);

  test('[CHAT-11] [CHAT-12] a queue that is reordered while a turn runs starts its messages in the new order', async () => {
    const prompt = session.prompt(quickly(`${until('reordered')}\nsay first of all`));
    await shown('while [ ! -e reordered ]');
    await session.chat.enqueue(quickly('say one'));
    window.type('say say two\r');
    await window.until('queued: say two');
    await queue('add', 'say', 'three');
    const before = await seen(session.chat.mirror, ({ queuedMessages }) =>
      queuedMessages?.length === 3 ? queuedMessages : undefined,
    );
    expect(before.map(({ message }) => message.text)).toEqual(['say one', 'say two', 'say three']);
    const listed = await queue('order', '3', '1');
    expect(listed.split('\n').map((line) => line.slice(17))).toEqual(['say three', 'say one', 'say two', '']);
    const after = await seen(session.chat.mirror, ({ queuedMessages }) =>
      queuedMessages?.[0]?.message.text === 'say three' ? queuedMessages : undefined,
    );
    expect(after.map(({ message }) => message.text)).toEqual(['say three', 'say one', 'say two']);
    open('reordered');
    await prompt.result;
    const turns = await seen(session.chat.mirror, ({ turns, activeTurn }) =>
      activeTurn === undefined && turns.at(-1)?.message.text === 'say two' ? turns : undefined,
    );
    expect(turns.slice(-3).map(({ message, state }) => [message.text, state])).toEqual([
      ['say three', 'complete'],
      ['say one', 'complete'],
      ['say two', 'complete'],
    ]);
    expect(session.chat.mirror.confirmed.queuedMessages).toBeUndefined();
    await shown('you: say two');
    for (const seenBy of [window.text, pipe.err])
      expect(seenBy.match(/you: say (?:one|two|three)/g)?.slice(-3)).toEqual([
        'you: say three',
        'you: say one',
        'you: say two',
      ]);
  }, 60_000);

  test('[CHAT-5] [CHAT-12] [CHAT-13] [CONN-8] a killed host ends the question for all clients, and holds the queue until a client releases it', async () => {
    const prompt = session.prompt(quickly('question text required'));
    const request = await seen(session.chat.mirror, (state) => openRequests(state)[0]);
    await session.chat.inputRequest(request.id).draft('name', 'Half');
    for (const text of ['say after', 'say last']) await session.chat.enqueue(quickly(text));
    await pipe.until('Name');
    host.kill('SIGKILL');
    await host.ended;
    await pipe.until('lost');
    await serve();
    await script.client.whenOnline();
    await script.client.ping();

    const turn = await prompt.result;
    expect(turn.state).toBe('error');
    expect(errorOf(turn)).toMatchObject({ errorType: 'hostRestarted' });
    const { queuedMessages, activeTurn } = session.chat.mirror.confirmed;
    expect(activeTurn).toBeUndefined();
    expect(queuedMessages?.map(({ message }) => message.text)).toEqual(['say after', 'say last']);
    expect(session.mirror.confirmed.inputNeeded ?? []).toEqual([]);
    await shown('2 queued messages');
    expect(await queue('list')).toMatch(/say after\n.*say last\n$/);
    // The queue waits for a release.
    expect(session.chat.mirror.confirmed.turns.at(-1)?.id).toBe(turn.id);

    await queue('go');
    await shown('you: say last');
    const turns = await seen(session.chat.mirror, ({ turns, activeTurn: running }) =>
      running === undefined && turns.at(-1)?.message.text === 'say last' ? turns : undefined,
    );
    expect(turns.slice(-2).map(({ message, state }) => [message.text, state])).toEqual([
      ['say after', 'complete'],
      ['say last', 'complete'],
    ]);
  }, 60_000);
});

/**
 * Resolves when the host has journaled that the session needs input. Reads a copy of the journal file, because the host keeps the file
 * locked. The file is too small for the host to rewrite it between the two halves of a copy.
 */
async function asksInJournal(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'agenthost-journal-'));
  try {
    while (!hasQuestion(copy)) await pause(20);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function hasQuestion(copy: string): boolean {
  for (const name of ['journal.db', 'journal.db-wal'])
    copyFileSync(join(machine.dataFolder, name), join(copy, name));
  const database = new DatabaseSync(join(copy, 'journal.db'));
  try {
    const row = database.prepare('SELECT summary FROM sessions WHERE uri = ?').get(session.uri);
    const { status = 0 }: { status?: number } = JSON.parse(String(row?.['summary']));
    return (status & SessionStatus.InputNeeded) === SessionStatus.InputNeeded;
  } finally {
    database.close();
  }
}
