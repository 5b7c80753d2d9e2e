import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { callsOf, quickly, seen, shows } from '../terminals/stage.ts';
import { clientOf, hostOn, logOf, temporaryFolder } from './stage.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const preload = fileURLToPath(new URL('clock-preload.ts', import.meta.url));

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
        await asking.sessions.create({ provider: 'demo', workingDirectory }),
        await asking.sessions.create({ provider: 'demo', workingDirectory }),
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

      await writeFile(offset, String(jumpMs));
      process.kill(host.address.pid, 'SIGUSR2');
      await vi.waitFor(() => expect(host.errors).toContain(`the clock is off by ${jumpMs} ms`));

      // What ran, waited and was held goes on.
      const { length } = JSON.stringify(running.chat.mirror.confirmed);
      await seen(running.chat.mirror, (state) => JSON.stringify(state).length > length || undefined);
      expect(running.chat.mirror.confirmed.activeTurn?.id).toBe(turn.turnId);
      await terminal.input('typed\n');
      await shows(terminal, /typed\s+typed/);
      // A client that is cut off comes back by a replay, and one that comes now sees the same.
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
      await Promise.all([asking.ping(), reconnected.ping(), late.ping()]);
      expect(reopened.chat.mirror.confirmed).toEqual(running.chat.mirror.confirmed);
      expect(running.chat.mirror.confirmed.turns.slice(0, 1)).toEqual(before.slice(0, 1));

      // A restart by the new clock, and one by the old: it all stays, and numbers go on.
      const lastSeen = running.mirror.reflectedSeq;
      const shown = running.chat.mirror.confirmed;
      await host.kill();
      await host.start();
      await asking.whenOnline();
      await writeFile(offset, '0');
      await host.kill();
      await host.start();
      await asking.whenOnline();
      await asking.ping();
      expect(running.chat.mirror.confirmed).toEqual(shown);
      expect(await running.rename('at last')).toMatchObject({ outcome: 'accepted' });
      expect(running.mirror.reflectedSeq).toBeGreaterThan(lastSeen);
      const again = await clientOf(host, 'again');
      expect((await again.sessions.open(running.uri)).chat.mirror.confirmed).toEqual(shown);
      const { items } = await again.request('listSessions', { channel: 'ahp-root://' });
      expect(items.map(({ resource }) => resource).toSorted()).toEqual([running.uri, waiting.uri].toSorted());
      for (const { createdAt, modifiedAt } of items)
        expect(Date.parse(modifiedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
      expect((await logOf(dataDir)).filter(({ level }) => level === 'error')).toEqual([]);
    },
    60_000,
  );
});
