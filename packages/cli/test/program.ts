import { fileURLToPath } from 'node:url';

/** Arguments of Node that start the built program. `test/build-program.ts` builds it before the tests. */
export const builtProgram: readonly string[] = [
  fileURLToPath(new URL('../bin/agenthost.js', import.meta.url)),
];

/** Arguments of Node that start the program from its sources, for tests that look at single modules. Takes twice the time of the built one. */
export const sourceProgram: readonly string[] = [
  '-C',
  '@agenthost/source',
  fileURLToPath(new URL('../src/main.ts', import.meta.url)),
];
