import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** Modes of runs that take too long for every check, such as `vitest run --mode kill`. */
const longRuns = ['sim', 'kill', 'load', 'agents', 'vscode', 'page', 'install', 'postgres'];

/** Packages find each other by their sources. */
const conditions = ['@agenthost/source'];

/** Tests that start the program as a process start the built one. */
const globalSetup = 'test/build-program.ts';

/** Further attempts of a failed test. */
const retries = Number(process.env['TEST_RETRIES'] ?? 0);
if (!Number.isInteger(retries) || retries < 0)
  throw new Error('TEST_RETRIES has to be a whole number of further attempts, such as 1');

/** The test files of a mode below folders. */
const filesOf = (folders: readonly string[], mode: string) => ({
  include: folders.map((folder) => `${folder}/**/*.${longRuns.includes(mode) ? `${mode}.` : ''}test.ts`),
  exclude: [
    ...configDefaults.exclude,
    '**/dist/**',
    ...(longRuns.includes(mode) ? [] : longRuns.map((name) => `**/*.${name}.test.ts`)),
  ],
});

export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ['test/leak-guard.ts'],
    // Processes, not threads: tests spawn children, change the working directory and read the process's own handles.
    pool: 'forks',
    // Most tests wait for programs most of the time. Those of the long runs keep a core busy.
    maxWorkers: longRuns.includes(mode) ? 2 : 4,
    // Programs that tests start from sources are compiled once, which saves four fifths of their start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/compiled') },
    // Long enough that only a test that hangs exceeds them, also on a loaded machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // The report names each test that needed a further attempt. A seed of the simulation gives the same result each time.
    retry: mode === 'sim' ? 0 : retries,
    coverage: {
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/generated/**', 'packages/testkit/**'],
      reporter: ['text', 'json-summary'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'programs',
          globalSetup,
          ...filesOf(
            [
              'packages/{agents,conformance,testkit}/{src,test}',
              'packages/cli/test',
              'bench',
              'scripts',
              'test',
            ],
            mode,
          ),
        },
      },
      {
        extends: true,
        test: {
          name: 'modules',
          globalSetup,
          ...filesOf(['packages/{client,host,protocol,rpc,web}/{src,test}', 'packages/cli/src'], mode),
          // A process for each of more than 400 files would take longer than their tests.
          isolate: false,
        },
      },
    ],
  },
}));
