import { errorText } from '@agenthost/protocol/values';
import { codeSpan } from './code-span.ts';
import { textIn } from './input.ts';
import { approve, type ModelTool, succeed, ToolFailure } from './tool.ts';

/** Largest page that is read, in bytes. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Time for a page, in milliseconds. */
const LIMIT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Fetches a page of the web as text. */
export const fetchUrlTool: ModelTool = {
  name: 'fetch_url',
  displayName: 'Fetch page',
  kind: 'fetch',
  description:
    'Fetches a page by HTTP GET and returns its text. HTML becomes plain text. A redirect to another host is returned, not followed.',
  inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  async run(input, run) {
    const given = textIn(input, 'url');
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new ToolFailure(`"url": expected an http or https URL, got ${given.slice(0, 80)}`);
    await approve(run, {
      invocationMessage: { markdown: `Fetch ${codeSpan(url.href)}` },
      confirmationTitle: { markdown: `Fetch ${codeSpan(url.href)}?` },
      kind: 'fetch',
    });
    const { status, type, text } = await get(url, run.signal);
    return succeed(run, {
      past: { markdown: `Fetched ${codeSpan(url.href)}` },
      text: `HTTP ${status}, ${type || 'unknown type'}\n\n${/html/i.test(type) ? plain(text) : text}`,
      success: status < 400,
      error: `HTTP ${status}`,
    });
  },
};

async function get(start: URL, signal: AbortSignal): Promise<{ status: number; type: string; text: string }> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  let url = start;
  try {
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const response = await fetch(url, { redirect: 'manual', signal: limited });
      const location = response.headers.get('location');
      const next = location === null ? null : URL.parse(location, url.href);
      if (response.status < 300 || response.status >= 400 || next === null) {
        const text = await textOf(response);
        return { status: response.status, type: response.headers.get('content-type') ?? '', text };
      }
      await response.body?.cancel();
      // The approval is for the host that people have seen.
      if (next.host !== start.host || next.protocol !== start.protocol)
        return { status: response.status, type: 'text/plain', text: `Redirects to ${next.href}` };
      url = next;
    }
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ToolFailure(`${url.href} cannot be fetched: ${errorText(cause)}`, { cause: error });
  }
  throw new ToolFailure(`${start.href} redirects more than ${MAX_REDIRECTS} times`);
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_BYTES) break;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text.includes('\0') ? `(binary data, ${size} bytes)` : text;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

/** The text of an HTML page, roughly. */
function plain(html: string): string {
  return withoutBlocks(html)
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll(/&#(\d{1,6});/g, (entity, code: string) => characterOf(Number(code)) ?? entity)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\s*\n\s*\n\s*/g, '\n\n')
    .trim();
}

const characterOf = (code: number): string | undefined =>
  code <= 0x10ffff ? String.fromCodePoint(code) : undefined;

/** Leaves out scripts, styles and comments in one pass: a pattern with `.*?` would take quadratic time on hostile pages. */
function withoutBlocks(html: string): string {
  const begin = /<(script|style|noscript|svg)\b|<!--/gi;
  let text = '';
  let at = 0;
  for (let found = begin.exec(html); found !== null; found = begin.exec(html)) {
    const name = found[1]?.toLowerCase();
    text += html.slice(at, found.index);
    const close = indexOfEnd(html, name === undefined ? '-->' : `</${name}`, begin.lastIndex);
    const end = close < 0 ? -1 : html.indexOf('>', close);
    if (end < 0) return text;
    at = end + 1;
    begin.lastIndex = at;
  }
  return text + html.slice(at);
}

function indexOfEnd(html: string, end: string, from: number): number {
  const pattern = new RegExp(end, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? -1;
}
