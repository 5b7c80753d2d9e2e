import { fileURLToPath } from 'node:url';

/** Absolute path of the built page: `index.html`, `assets/` and the files beside them. */
export const pageFolder: string = fileURLToPath(new URL('../dist/page', import.meta.url));
