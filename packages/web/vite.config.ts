import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Files below this size are sent as they are. */
const LEAST_COMPRESSED_BYTES = 1_024;

/** Writes a Brotli and a gzip neighbour for every large text file, so that the host compresses nothing at run time. */
const precompressed = (): Plugin => ({
  name: 'precompressed',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const [fileName, output] of Object.entries(bundle)) {
        // The host fills in `index.html` for each response.
        if (!/\.(?:js|css|svg|webmanifest)$/.test(fileName)) continue;
        const source = Buffer.from(output.type === 'chunk' ? output.code : output.source);
        if (source.length < LEAST_COMPRESSED_BYTES) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        this.emitFile({
          type: 'asset',
          fileName: `${fileName}.br`,
          source: brotliCompressSync(source, { params }),
        });
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
      }
    },
  },
});

export default defineConfig({
  // Relative: the host serves the page below any base path.
  base: './',
  plugins: [react(), tailwindcss(), precompressed()],
  resolve: { conditions: ['@agenthost/source', 'module', 'browser', 'development|production'] },
  // The host replaces both placeholders for each response.
  html: { cspNonce: '__CSP_NONCE__' },
  worker: { format: 'es' },
  build: {
    outDir: 'dist/page',
    emptyOutDir: true,
    target: 'es2023',
    // Data URLs would need an exception in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: { page: 'index.html', sw: 'src/service-worker/service-worker.ts' },
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
