import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VersionLine } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { FixtureError, readFixtures } from './fixtures.ts';
import { playDirectly, playThroughDialect } from './play.ts';

/** The published fixtures of each version. */
const PUBLISHED: readonly VersionLine[] = ['1.0.0', '0.7.0', '0.6.0', '0.5.2', '0.4.0'];

const folderOf = (version: string): string =>
  fileURLToPath(new URL(`../../../../../shared/protocol/${version}/fixtures`, import.meta.url));

const missing = existsSync(folderOf('1.0.0')) ? undefined : folderOf('1.0.0');
// biome-ignore lint/suspicious/noConsole: reports a run without the fixtures.
if (missing !== undefined) console.warn(`skipped: the protocol's fixtures are not at ${missing}`);

it.runIf(process.env['REQUIRE_ALL'] === '1')('the fixtures of all versions exist', () => {
  expect(missing).toBeUndefined();
});

describe.skipIf(missing !== undefined).each(PUBLISHED)('the published fixtures of %s', (version) => {
  const cases = missing === undefined ? readFixtures(folderOf(version)) : [];
  const failures = (play: typeof playDirectly): string[] =>
    cases.flatMap((one) => play(version, one).map((line) => `${one.file}: ${line}`));

  it('[ACT-6] pass by the reducers of the version', () => {
    expect(cases.length).toBeGreaterThan(120);
    expect(failures(playDirectly)).toEqual([]);
  });

  it('[DIA-1] pass by the reducers of 1.0, through the dialect', () => {
    expect(failures(playThroughDialect)).toEqual([]);
  });
});

describe('a folder of fixtures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixtures-'));
  const file = join(folder, 'a.json');
  afterEach(() => rmSync(file, { force: true }));

  const written = (content: unknown): string => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return folder;
  };
  const expected = { status: 33 };
  const scene = {
    reducer: 'session',
    initial: { status: 1 },
    actions: [{ type: 'session/isReadChanged', isRead: true }],
  };

  it.each([
    ['no JSON', '{'],
    ['expected an object', []],
    ['no fixture', {}],
    ['expected reducer, initial, actions and expected', { ...scene, actions: [1], expected }],
    ['expected baselines and cases', { cases: [] }],
    ['expected preservedOutput or acceptableOutputs', { input: 1 }],
  ])('is refused with the name of the file: %s', (message, content) => {
    expect(() => readFixtures(written(content))).toThrow(message);
    expect(() => readFixtures(folder)).toThrow(file);
  });

  it.each(['/nowhere', folder])('is refused without fixtures: %s', (path) => {
    expect(() => readFixtures(path)).toThrow(FixtureError);
  });

  it('names the path and both values where a case differs', () => {
    const [wrong] = readFixtures(written({ ...scene, expected: { status: 1 } }));
    expect(wrong && playDirectly('0.9.0', wrong)).toEqual(['status: got 33, expected 1']);
    expect(wrong && playThroughDialect('0.9.0', wrong)).toEqual([
      'reduced in 1.0: status: got 33, expected 1',
    ]);
  });

  it('ignores null in expectations, which means absence', () => {
    const [right] = readFixtures(written({ ...scene, expected: { ...expected, activity: null } }));
    expect(right && playDirectly('0.9.0', right)).toEqual([]);
  });
});
