import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsInLog } from './fuzz.ts';
import { Stage } from './stage.ts';

/** Limit for the growth of the host in MiB during the run. Most of it is sessions that the cases create. */
const GROWTH_MIB = 400;

/**
 * Tests of messages that are made from the schema and mutated, by this seed. `AGENTHOST_FUZZ_SEED` sets another seed. A failure names its
 * seed and case number; the same seed plays the same cases.
 */
export function fuzzContract({
  handshakes,
  invalid,
  any,
}: {
  handshakes: number;
  invalid: number;
  any: number;
}): void {
  const seed = Number(process.env['AGENTHOST_FUZZ_SEED'] ?? 1);
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.open();
  }, 60_000);

  afterAll(async () => {
    await stage.close();
  }, 30_000);

  describe(`messages made from the schema, seed ${seed}`, () => {
    test(`[WIRE-3] [WIRE-4] [CONN-3] ${handshakes} handshakes are taken or refused, each on a connection of its own, and change nothing`, async () => {
      const { channels } = stage.world;
      const before = await stage.states(channels);
      const report = await stage.handshakes(seed, handshakes);
      console.log(`handshakes: ${JSON.stringify(report)}`);
      expect(report.accepted + report.refused + report.dropped).toBe(handshakes);
      expect(report.accepted).toBeGreaterThan(handshakes / 10);
      expect(report.refused).toBeGreaterThan(handshakes / 4);
      expect(await stage.states(channels)).toEqual(before);
      expect(stage.host.isRunning, stage.host.errors).toBe(true);
      expect(await faultsInLog(stage.dataDir)).toEqual([]);
    }, 120_000);

    test(`[WIRE-3] [ACT-3] ${invalid} invalid ones are refused, and change nothing`, async () => {
      const { channels } = stage.world;
      const before = await stage.states(channels);
      stage.polite.answers.length = 0;
      const report = await stage.play(seed, invalid, true);
      console.log(
        `${report.played} cases, ${Math.round((report.played / report.elapsedMs) * 1_000)} a second`,
      );
      expect(report.played).toBe(invalid);
      expect(report.refused).toBeGreaterThan(invalid / 4);
      expect(await stage.states(channels)).toEqual(before);
      const news = stage.polite.answers.filter(({ method }) => method !== undefined);
      expect(news, 'subscribers hear of nothing').toEqual([]);
    }, 120_000);

    test(`${any} of any kind are answered or dropped, and the resulting state fits the schema and survives a kill`, async () => {
      const before = await stage.residentMiB();
      const report = await stage.play(seed + 1, any, false);
      console.log(
        `${report.played} cases, ${Math.round((report.played / report.elapsedMs) * 1_000)} a second, ${report.dropped} drops`,
      );
      expect(report.answered).toBeGreaterThan(any / 4);
      expect((await stage.residentMiB()) - before).toBeLessThan(GROWTH_MIB);
      expect(stage.host.isRunning, stage.host.errors).toBe(true);
      expect(stage.host.errors).not.toContain('Unhandled');
      expect(await faultsInLog(stage.dataDir)).toEqual([]);
      await stage.work('afterwards');
      const { sessions, chats } = await stage.everything();
      expect([...stage.misfits('session', sessions), ...stage.misfits('chat', chats)]).toEqual([]);
      await stage.restart();
      const again = await stage.everything();
      expect([...again.sessions.keys()].toSorted()).toEqual([...sessions.keys()].toSorted());
      for (const [uri, { title }] of sessions) expect(again.sessions.get(uri)).toMatchObject({ title });
      for (const [uri, { turns }] of chats) {
        const ended = JSON.parse(JSON.stringify(turns));
        expect(JSON.parse(JSON.stringify(again.chats.get(uri)?.['turns'])).slice(0, ended.length)).toEqual(
          ended,
        );
      }
      await stage.work('after-restart');
    }, 180_000);
  });
}
