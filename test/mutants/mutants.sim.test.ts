import { afterAll, expect, test } from 'vitest';
import { SourceCopy } from './copy.ts';
import { FAULTS } from './faults.ts';

/** Number of seeds within which the simulator must find each fault. */
const SEEDS = 500;

const sound = new SourceCopy();

afterAll(() => sound[Symbol.dispose]());

test('the unchanged copy of the sources runs without a failure', async () => {
  expect(await sound.simulate(20)).toMatchObject({ code: 0, failedSeed: undefined });
});

test.each(FAULTS)(
  `the simulator notices within ${SEEDS} seeds: $title`,
  async ({ title, ...fault }) => {
    using copy = new SourceCopy();
    copy.plant({ title, ...fault });
    const { failedSeed, output } = await copy.simulate(SEEDS, fault.firstSeed);
    if (failedSeed === undefined) throw new Error(`not noticed: ${output}`);
    expect(await sound.simulate(1, failedSeed), 'the fault alone fails that seed').toMatchObject({ code: 0 });
    const [, reason = ''] = /^seed \d+ failed\n(.*)$/m.exec(output) ?? [];
    // A fault that breaks the program itself proves nothing.
    expect(reason).not.toMatch(/TypeError|ReferenceError|SyntaxError/);
    process.stdout.write(`seed ${failedSeed}: ${title}: ${reason}\n`);
  },
  300_000,
);
