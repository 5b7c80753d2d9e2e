import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { describe, expect, test, vi } from 'vitest';
import { withoutChanges } from '../agree.ts';
import type { HostProcess } from '../kill/host-process.ts';
import { callsOf, quickly, seen, shows } from '../terminals/stage.ts';
import { clientOf, hostOn, logOf, temporaryFolder } from './stage.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const preload = fileURLToPath(new URL('clock-preload.ts', import.meta.url));

/** More wrong tokens than a client may send in a row. After them the host checks one per interval, in ms. */
const GUESSES = 25;
const GUESS_EACH_MS = 2_000;

/** Sends wrong tokens. Resolves with the number that the host checked. */
async function guess(host: HostProcess, count: number): Promise<number> {
  const statuses = [];
  for (let each = 0; each < count; each += 1)
    statuses.push((await fetch(new URL(`/?token=wrong-${each}`, host.address.url))).status);
  expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 401).length;
}

/** A chat without the counts of its changes, which no action of the chat carries [CHAT-44]. */
const actedOn = ({ chat }: SessionHandle): object => withoutChanges(chat.mirror.confirmed);

describe('the clock of a host', () => {
  test.each([
    { way: 'ahead', jumpMs: DAY_MS },
    { way: 'back', jumpMs: -DAY_MS },
  ])(
    '[CONN-4] [CONN-5] is set a day $way: nothing ends, nothing is lost, and times stay in order',
    async ({ jumpMs }) => {
      const folder = await temporaryFolder();
      const offset = join(folder, 'offset');
      await writeFile(offset, '0');
      const dataDir = join(folder, 'data');
      const host = hostOn(
        dataDir,
        folder,
        [],
        ['env', `CLOCK_OFFSET_FILE=${offset}`, `NODE_OPTIONS=--import=${pathToFileURL(preload).href}`],
      );
      await host.start();
      const [asking, watching] = [await clientOf(host, 'asking'), await clientOf(host, 'watching')];
      const workingDirectory = pathToFileURL(folder).href;
      const [running, waiting] = [
        await asking.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] }),
        await asking.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] }),
      ];
      await running.prompt(quickly('say before')).result;
      const turn = running.prompt(quickly('stream 1000000 every 5'));
      const asked = waiting.prompt(quickly('write hello.txt hello'));
      const question = await seen(waiting.chat.mirror, ({ activeTurn }) =>
        callsOf(activeTurn).find(({ status }) => status === 'pending-confirmation'),
      );
      const terminal = await asking.createTerminal({ command: ['/bin/cat'] });
      const watched = await watching.sessions.open(running.uri);
      const before = structuredClone(watched.chat.mirror.confirmed.turns);
      const changedAt = async (): Promise<string> => {
        const { items } = await asking.request('listSessions', { channel: 'ahp-root://' });
        return items.find(({ resource }) => resource === running.uri)?.modifiedAt ?? '';
      };
      const changedBefore = await changedAt();
      // A client that guessed tokens and must wait, and a client that left and may return to its terminal.
      await guess(host, GUESSES);
      const guessedAt = performance.now();
      const leaving = await clientOf(host, 'leaving');
      const left = await leaving.createTerminal({ command: ['/bin/cat'] });
      leaving.close();
      const abandoned = await asking.terminal(left.uri);

      await writeFile(offset, String(jumpMs));
      process.kill(host.address.pid, 'SIGUSR2');
      await vi.waitFor(() => expect(host.errors).toContain(`the clock is off by ${jumpMs} ms`), {
        timeout: 30_000,
      });

      // Durations do not follow the wall clock: no wait ends early or starts again.
      const claim = { kind: 'client', clientId: 'asking' } as const;
      expect(await abandoned.mirror.dispatch({ type: 'terminal/claimed', claim })).toMatchObject({
        outcome: 'rejected',
      });
      const allowed = await guess(host, GUESSES);
      expect(allowed).toBeLessThanOrEqual((performance.now() - guessedAt) / GUESS_EACH_MS + 1);
      await expect.poll(() => guess(host, 1), { timeout: 8 * GUESS_EACH_MS, interval: 200 }).toBe(1);
      // The running turn, the waiting call and the held terminal go on.
      const { length } = JSON.stringify(running.chat.mirror.confirmed);
      await seen(running.chat.mirror, (state) => JSON.stringify(state).length > length || undefined);
      expect(running.chat.mirror.confirmed.activeTurn?.id).toBe(turn.turnId);
      await terminal.input('typed\n');
      await shows(terminal, /typed\s+typed/);
      // A disconnected client returns by a replay, and a new client sees the same.
      const reconnected = await clientOf(host, 'watching');
      const reopened = await reconnected.sessions.open(running.uri);
      const late = await clientOf(host, 'late');
      const lateWaiting = await late.sessions.open(waiting.uri);
      expect(callsOf(lateWaiting.chat.mirror.confirmed.activeTurn)).toMatchObject([
        { toolCallId: question.toolCallId, status: 'pending-confirmation' },
      ]);
      await lateWaiting.approve(question.toolCallId);
      expect((await asked.result).state).toBe('complete');
      await turn.cancel();
      expect((await turn.result).state).toBe('cancelled');
      await running.prompt(quickly('say after')).result;
      expect(Date.parse(await changedAt())).toBeGreaterThanOrEqual(Date.parse(changedBefore));
      await Promise.all([asking.ping(), reconnected.ping(), late.ping()]);
      expect(actedOn(reopened)).toEqual(actedOn(running));
      expect(running.chat.mirror.confirmed.turns.slice(0, 1)).toEqual(before.slice(0, 1));

      // Restarts once with the new clock and once with the old: all data stays, and sequence numbers continue.
      const lastSeen = running.mirror.reflectedSeq;
      const shown = actedOn(running);
      await host.kill();
      await host.start();
      await asking.whenOnline();
      await writeFile(offset, '0');
      await host.kill();
      await host.start();
      await asking.whenOnline();
      await asking.ping();
      expect(actedOn(running)).toEqual(shown);
      expect(await running.rename('at last')).toMatchObject({ outcome: 'accepted' });
      expect(running.mirror.reflectedSeq).toBeGreaterThan(lastSeen);
      const again = await clientOf(host, 'again');
      expect(actedOn(await again.sessions.open(running.uri))).toEqual(shown);
      const { items } = await again.request('listSessions', { channel: 'ahp-root://' });
      expect(items.map(({ resource }) => resource).toSorted()).toEqual([running.uri, waiting.uri].toSorted());
      for (const { createdAt, modifiedAt } of items)
        expect(Date.parse(modifiedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
      expect((await logOf(dataDir)).filter(({ level }) => level === 'error')).toEqual([]);
    },
    60_000,
  );
});
