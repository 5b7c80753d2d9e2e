import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorOf } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Step } from '../../packages/agents/test/acp-scripted-agent.ts';
import { HostProcess } from '../kill/host-process.ts';
import { isAlive, until } from '../kill/processes.ts';
import { Witness } from '../kill/witness.ts';

const agent = join(import.meta.dirname, '../../packages/agents/test/acp-scripted-agent.ts');
const OTHER = 'ahp-session:/other';
/** Limit for the growth of the host's memory in MiB, for any agent: the longest line, parts of it twice. */
const MOST_MORE_MIB = 350;

let folder = '';
let host: HostProcess;
let witness: Witness;
let other: Witness;
const url = (): string => `${host.address.wsUrl}?token=${host.address.token}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-rude-'));
  const config = join(folder, 'config.json');
  const args = [agent, JSON.stringify({ ignoresTerm: true })];
  await writeFile(
    config,
    JSON.stringify({ agents: { rude: { displayName: 'Rude', command: process.execPath, args } } }),
  );
  host = new HostProcess(join(folder, 'data'), folder, ['--config', config]);
  await host.start();
  [witness, other] = [new Witness('witness', url), new Witness('other', url)];
  for (const { client } of [witness, other]) await client.connect();
  await other.client.request('createSession', { channel: OTHER, provider: 'demo' });
  await other.watch(OTHER);
}, 60_000);

afterAll(async () => {
  for (const { client } of [witness, other]) client.close();
  await host.stop();
  await rm(folder, { recursive: true });
}, 60_000);

const hostMib = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${host.address.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Runs a turn of these steps to its end while another session is used. Resolves with the turn and the delays in the other session. */
async function play(name: string, ...steps: Step[]) {
  await witness.client.request('createSession', { channel: `ahp-session:/${name}`, provider: 'rude' });
  await witness.watch(`ahp-session:/${name}`);
  const { chat } = witness;
  await witness.until(() => witness.session?.confirmed.lifecycle === 'ready');
  const before = await hostMib();
  await chat?.dispatch(turnStarted(name, JSON.stringify(steps)));
  let most = before;
  const echoes: number[] = [];
  for (let index = 0; chat?.confirmed.activeTurn !== undefined; index += 1) {
    const sent = performance.now();
    const { outcome } = await other.client.dispatch(OTHER, {
      type: 'session/titleChanged',
      title: `${index}`,
    });
    expect(outcome).toBe('accepted');
    echoes.push(performance.now() - sent);
    most = Math.max(most, await hostMib());
  }
  echoes.sort((one, two) => one - two);
  const figures = {
    name,
    moreMib: Math.round(most - before),
    echoes: echoes.length,
    medianMs: Math.round(echoes[Math.floor(echoes.length / 2)] ?? 0),
    slowestMs: Math.round(echoes.at(-1) ?? 0),
  };
  process.stdout.write(`rude agent: ${JSON.stringify(figures)}\n`);
  expect(figures.moreMib).toBeLessThan(MOST_MORE_MIB);
  return { turn: chat?.confirmed.turns.at(-1), figures };
}

describe('an agent in a shared host', () => {
  test('floods stderr with 100 MB: its turn continues, and neither memory nor the log grows with the flood', async () => {
    const flood = { text: `${'x'.repeat(64 * 1024 - 1)}\n`, count: 1_600, to: 'stderr' as const };
    const { turn, figures } = await play('stderr', { write: flood }, { say: 'fine' });
    expect(turn).toMatchObject({ state: 'complete', responseParts: [{ content: 'fine' }] });
    expect(figures.echoes).toBeGreaterThan(10);
    const log = await readFile(join(folder, 'data/agenthost.log'), 'utf8');
    expect(log.length).toBeLessThan(1024 * 1024);
  });

  test('[CHAT-5] sends a line of 50 MB: its turn ends with a reason, and the next turn runs', async () => {
    const line = { text: 'x'.repeat(512 * 1024), count: 100 };
    const { turn } = await play('line', { write: line }, { waitForCancel: 'never' });
    expect(turn).toMatchObject({
      state: 'error',
      responseParts: [{ kind: 'error', error: { errorType: 'agentExited' } }],
    });
    expect(turn && errorOf(turn)?.message).toMatch(
      /^Rude was stopped: the agent sent a line of more than \d+ bytes/,
    );
    await witness.chat?.dispatch(turnStarted('again', 'hi'));
    await witness.until(() => witness.chat?.confirmed.turns.at(-1)?.id === 'again');
    expect(witness.chat?.confirmed.turns.at(-1)).toMatchObject({ state: 'complete' });
  });

  test('sends 100,000 updates at full speed: all arrive, and other sessions go on', async () => {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } };
    const { turn, figures } = await play('updates', { flood: { update, count: 100_000 } });
    expect(turn).toMatchObject({ state: 'complete', responseParts: [{ content: 'x'.repeat(100_000) }] });
    expect(figures.echoes).toBeGreaterThan(10);
  });

  test('rewrites files of 12 MB: the host bounds the stored data of each and its memory, and other sessions go on', async () => {
    const { turn, figures } = await play('rewrites', { rewrite: { lines: 600_000, count: 4 } });
    expect(turn?.state).toBe('complete');
    expect(turn?.responseParts.length).toBe(4);
    expect(figures.echoes).toBeGreaterThan(10);
  });

  test('[CONN-8] ignores TERM and the end of its input, and so outlives its killed host: the next start ends it', async () => {
    const { channel, steps } = {
      channel: 'ahp-session:/left',
      steps: [{ saySession: true }, { waitForCancel: 'never' }],
    };
    await witness.client.request('createSession', { channel, provider: 'rude' });
    await witness.watch(channel);
    await witness.chat?.dispatch(turnStarted('left', JSON.stringify(steps)));
    const said = (): string => JSON.stringify(witness.chat?.confirmed.activeTurn?.responseParts ?? []);
    await witness.until(() => /\d+ \d+-/.test(said()));
    const pid = Number(/(\d+) \d+-/.exec(said())?.[1]);
    expect(isAlive(pid)).toBe(true);
    await host.kill();
    expect(isAlive(pid)).toBe(true);
    await host.start();
    await until('the agent has ended', () => !isAlive(pid));
    await witness.back();
    expect(witness.chat?.confirmed.turns.at(-1)?.responseParts.at(-1)).toMatchObject({
      kind: 'error',
      error: { errorType: 'hostRestarted' },
    });
  });
});
