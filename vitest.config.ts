import { defineConfig } from 'vitest/config';

const conditions = ['@agenthost/source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ['packages/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'], testTimeout: 20_000 },
});
