import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** The content type of a file of the web page; `undefined` for kinds that the page does not have. */
export const contentTypeOf = (path: string): string | undefined => TYPES[extname(path)];

/** Content encodings with the ending of the compressed file beside the original, the preferred one first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The encodings that an `Accept-Encoding` header allows, the preferred one first. */
export function acceptedEncodings(header: string | readonly string[] = ''): (typeof ENCODINGS)[number][] {
  const accepted = new Set(
    String(header)
      .split(',')
      .map((each) =>
        each
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight = 'q=1']) => !/^q=0(?:\.0*)?$/.test(weight))
      .map(([name]) => name),
  );
  return ENCODINGS.filter(([name]) => accepted.has(name));
}
