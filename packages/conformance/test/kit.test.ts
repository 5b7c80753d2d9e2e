import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckResult, checkHost, type KitOptions, sentenceOf } from '@agenthost/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS, planted } from './faults.ts';
import { type OwnHost, startOwnHost } from './own-host.ts';

/** Rules that the host keeps, by `docs/rules.md`. */
const page = readFileSync(join(import.meta.dirname, '../../../docs/rules.md'), 'utf8');
const implemented = new Set(
  [...page.matchAll(/^\| ([A-Z]+-\d+) \|.*\| implemented \|$/gm)].map(([, id]) => id),
);
const planned = [...page.matchAll(/^\| ([A-Z]+-\d+) \|.*\| planned \|$/gm)].map(([, id]) => id);

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

/** Whether the host has to pass: it keeps all rules of the check. Schemas have shapes of planned rules too. */
const isDue = ({ rules, title }: Pick<CheckResult, 'rules' | 'title'>): boolean =>
  rules.every((rule) => implemented.has(rule)) && (planned.length === 0 || !title.includes('schema'));

describe('the kit', () => {
  test.each(['1.0.0', '0.5.2'])('finds no fault in our own host at version %s', async (version) => {
    const { host: name, versions, results } = await play({ versions: [version] });
    expect({ name, versions }).toEqual({ name: 'agenthost 0', versions: [version] });
    expect(failures(results.filter(isDue))).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(60);
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
