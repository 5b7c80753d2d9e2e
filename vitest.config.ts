import { configDefaults, defineConfig } from 'vitest/config';

const conditions = ['@agenthost/source'];
const folders = ['packages/*/{src,test}', 'bench', 'scripts', 'test'];

/** Runs too long for every check: `vitest run --mode kill` and `--mode agents`. */
const longRuns = ['kill', 'agents'];

export default defineConfig(({ mode }) => ({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: folders.map((folder) => `${folder}/**/*.${longRuns.includes(mode) ? `${mode}.` : ''}test.ts`),
    exclude: [
      ...configDefaults.exclude,
      '**/dist/**',
      ...(longRuns.includes(mode) ? [] : longRuns.map((name) => `**/*.${name}.test.ts`)),
    ],
    setupFiles: ['test/leak-guard.ts'],
    // Processes, not threads: tests spawn children, change the working directory and read the process's own handles.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    coverage: {
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/generated/**', 'packages/testkit/**'],
      reporter: ['text', 'json-summary'],
    },
  },
}));
