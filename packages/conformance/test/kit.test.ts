import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, checkHost, type KitOptions, sentenceOf } from '@agenthost/conformance';
import { VERSION_LINES } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS, planted } from './faults.ts';
import { type OwnHost, startOwnHost } from './own-host.ts';

/** Published schemas of older versions; the workspace may lack them. */
const published = join(import.meta.dirname, '../../../../shared/protocol');
const schemas = existsSync(published) ? published : undefined;

let host: OwnHost;
beforeAll(async () => {
  host = await startOwnHost();
});
afterAll(() => host.stop());

const play = (more: Partial<KitOptions>) =>
  checkHost({ open: host.open, folder: host.folder, signal: new AbortController().signal, ...more });

const failures = (results: readonly CheckResult[]) =>
  results
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ rules, title, reason }) => ({ rules, title, reason }));

describe('the kit', () => {
  test.each(VERSION_LINES)('finds no fault in our own host at version %s', async (version) => {
    const { host: name, versions, results } = await play({ versions: [version], schemas });
    expect({ name, versions }).toEqual({ name: 'agenthost 0', versions: [version] });
    expect(failures(results)).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(70);
    expect(results.flatMap(({ rules }) => rules.filter((rule) => sentenceOf(rule) === undefined))).toEqual(
      [],
    );
  });

  test.each(FAULTS)('finds a host that $name ($breaks)', async ({ breaks, play: only = breaks, fault }) => {
    const options = { versions: ['1.0.0'], only, patienceMs: 1_500 };
    const plain = failures((await play({ ...options, patienceMs: 10_000 })).results);
    const { results } = await play({ ...options, open: planted(fault, host.open) });
    const found = failures(results).filter(
      ({ title }) => !plain.some((each) => each.title === title && !title.includes('schema')),
    );
    expect(found.flatMap(({ rules }) => rules)).toContain(breaks);
    for (const { frames, verdict } of results)
      if (verdict === 'failed') expect(frames.length).toBeGreaterThan(0);
  });

  test('says that a version which the host does not speak does not apply', async () => {
    const { versions, results } = await play({ versions: ['0.3.0'] });
    expect(versions).toEqual([]);
    expect(results).toMatchObject([{ verdict: 'does not apply', reason: 'the host does not speak 0.3.0' }]);
  });
});
