import { expect, test } from 'vitest';
import { FAULTS } from './faults.ts';
import { runSimulator } from './simulator.ts';

/** Number of seeds within which the simulator must find each fault. */
const SEEDS = 500;

test('the sources without a fault run without a failure', { timeout: 300_000 }, async () => {
  expect(await runSimulator({ runs: 20 })).toMatchObject({ code: 0, failedSeed: undefined });
});

test.each(FAULTS)(
  `the simulator notices within ${SEEDS} seeds: $title`,
  async (fault) => {
    const { title, firstSeed } = fault;
    const { failedSeed, output } = await runSimulator({ fault, runs: SEEDS, firstSeed });
    if (failedSeed === undefined) throw new Error(`not noticed: ${output}`);
    const sound = await runSimulator({ runs: 1, firstSeed: failedSeed });
    expect(sound, 'the fault alone fails that seed').toMatchObject({ code: 0 });
    const [, reason = ''] = /^seed \d+ failed\n(.*)$/m.exec(output) ?? [];
    // A fault that breaks the program itself proves nothing.
    expect(reason).not.toMatch(/TypeError|ReferenceError|SyntaxError/);
    process.stdout.write(`seed ${failedSeed}: ${title}: ${reason}\n`);
  },
  300_000,
);
