import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { licences } from './scripts/licences.ts';

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

/** Languages of code blocks are loaded when a block needs them. */
const isLanguage = (ids: readonly string[]): boolean => ids.some((id) => id.includes('/@shikijs/langs/'));

/** Shared modules that the first view does not need, and that of the service worker, which is one file. */
const LATER =
  /\/(?:notification|searched-text|link-dialog|format|bytes|tree-keys|(?:oauth|settings|telemetry|workspace)-text|en\/(?:changes|comments|files|oauth|settings|settings-browser|telemetry|worktrees))\.tsx?$/;

/** The building blocks of all views. */
const isSharedSource = (id: string): boolean =>
  /packages\/(?:client|protocol|rpc)\/src\/|packages\/web\/src\/(?:app|connection|live|offline|palette|presence|text|theme|ui)\//.test(
    id,
  ) &&
  !LATER.test(id) &&
  !isForm(id);

/** Fields for the values of a schema. The first view has none. */
const isForm = (id: string): boolean => id.includes('/packages/web/src/ui/schema-form/');

/** Decodes character references such as `&amp;` by a table: the version for browsers sets `innerHTML`, which Trusted Types forbid. */
const decodingByTable = (): Plugin => ({
  name: 'decoding-by-table',
  enforce: 'pre',
  resolveId: {
    filter: { id: /^decode-named-character-reference$/ },
    async handler(source, importer) {
      const found = await this.resolve(source, importer, { skipSelf: true });
      return found && { ...found, id: found.id.replace(/index\.dom\.js$/, 'index.js') };
    },
  },
});

/** Writes the names of the page's files into the service worker, which stores them. */
const listedFiles = (): Plugin => ({
  name: 'listed-files',
  apply: 'build',
  generateBundle: {
    // After Vite removes the files of modules that have styles only, and before the files are compressed.
    order: 'post',
    handler(_, bundle) {
      const worker = bundle['sw.js'];
      if (worker?.type !== 'chunk') throw new Error('the build has no sw.js');
      const files = Object.values(bundle)
        .filter((output) => output.fileName.startsWith('assets/'))
        .filter((output) => output.type === 'asset' || !isLanguage(output.moduleIds))
        .map(({ fileName }) => fileName);
      if (!worker.code.includes('__FILES__')) throw new Error('sw.js has no place for the file names');
      worker.code = worker.code.replaceAll('__FILES__', files.toSorted().join(' '));
    },
  },
});

export default defineConfig({
  // Relative: the host serves the page below any base path.
  base: './',
  plugins: [react(), tailwindcss(), decodingByTable(), listedFiles(), licences(), precompressed()],
  resolve: {
    alias: { 'rehype-raw': fileURLToPath(new URL('src/chat/markdown/no-raw-html.ts', import.meta.url)) },
    conditions: ['@agenthost/source', 'module', 'browser', 'development|production'],
  },
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
        codeSplitting: {
          // Without groups each icon and each shared module of a few lines is a file of its own.
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(?:react|react-dom|scheduler|lucide-react|radix-ui|@radix-ui|@floating-ui|@tanstack)\//,
              minShareCount: 2,
            },
            { name: 'shared', test: isSharedSource, minShareCount: 2 },
            { name: 'forms', test: isForm, minShareCount: 2 },
            { name: 'board', test: /packages\/web\/src\/board\/[^/]+$/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
