import { createHash } from 'node:crypto';
import type { ExportPart } from '@agenthost/client';
import type { ExportedChatHead, ExportHead } from '@agenthost/protocol';
import type { Block } from './block.ts';
import { chatFacts, chatName, sessionFacts, sessionName, waitingBlocks } from './facts.ts';
import { STYLE } from './html-style.ts';
import { escaped, markdownHtml } from './html-text.ts';
import { turnBlocks } from './turn-blocks.ts';

/** No scripts, no requests: what is in the page is all that there is, even if something hostile got past the escaping. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** An export as one page of HTML that needs nothing else, in pieces as they come. */
export async function* htmlPage(parts: AsyncIterable<ExportPart>): AsyncGenerator<string, void, undefined> {
  const places = new Places();
  let turnCount = 0;
  let chat: ExportedChatHead | undefined;
  for await (const part of parts) {
    switch (part.type) {
      case 'session':
        yield head(part.head);
        break;
      case 'chat':
        if (chat !== undefined) yield blocksHtml(waitingBlocks(chat), places);
        ({ chat } = part);
        turnCount = 0;
        yield `<h2 id="${places.of(chat.resource)}">${escaped(chatName(chat))}</h2>\n${facts(chatFacts(chat))}\n`;
        break;
      case 'turn':
      case 'openTurn': {
        turnCount += 1;
        const { turn, ...attachments } = part.turn;
        const { message, answer } = turnBlocks(turn, attachments);
        const id = `${places.of(chat?.resource ?? '')}-${turnCount}`;
        yield [
          `<h3 id="${id}"><a href="#${id}">Turn ${turnCount}</a></h3>`,
          `<section class="mine">${blocksHtml(message, places)}</section>`,
          `<section>${blocksHtml(answer, places)}</section>\n`,
        ].join('\n');
        break;
      }
    }
  }
  if (chat !== undefined) yield blocksHtml(waitingBlocks(chat), places);
  yield '</main>\n</body>\n</html>\n';
}

/** Names of chats within the page. */
class Places {
  readonly #places = new Map<string, string>();

  of(chat: string): string {
    const place = this.#places.get(chat) ?? `chat-${this.#places.size + 1}`;
    this.#places.set(chat, place);
    return place;
  }
}

function head(exported: ExportHead): string {
  const title = escaped(sessionName(exported.session));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${facts(sessionFacts(exported))}
</header>
<main>
`;
}

const facts = (entries: readonly (readonly [string, string])[]): string =>
  entries.length === 0
    ? ''
    : `<dl>${entries.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`;

const blocksHtml = (blocks: readonly Block[], places: Places): string =>
  blocks.map((block) => blockHtml(block, places)).join('\n');

function blockHtml(block: Block, places: Places): string {
  switch (block.kind) {
    case 'markdown':
      return markdownHtml(block.text);
    case 'line':
      return `<p class="note">${escaped(block.text)}</p>`;
    case 'error':
      return `<p class="error">${escaped(block.text)}</p>`;
    case 'code':
      return captioned(block.label, `<pre><code>${escaped(block.text.replace(/\n$/, ''))}</code></pre>`);
    case 'diff':
      return captioned(block.label, `<pre class="diff"><code>${diffHtml(block.text)}</code></pre>`);
    case 'picture': {
      // Base64 has no character that could end the attribute.
      const data = block.data.replace(/[^A-Za-z0-9+/=]/g, '');
      const source = `data:${escaped(block.contentType)};base64,${data}`;
      return captioned(block.label, `<img src="${source}" alt="${escaped(block.label)}">`);
    }
    case 'chat':
      return `<p class="note">Worker: <a href="#${places.of(block.chat)}">${escaped(block.title)}</a></p>`;
    default: {
      const mark = block.mark === undefined ? '' : `<span class="${block.mark}">${marks[block.mark]}</span> `;
      const summary = `<summary>${mark}${escaped(block.summary.replace(/\s+/g, ' '))}</summary>`;
      return `<details>${summary}\n${blocksHtml(block.blocks, places)}\n</details>`;
    }
  }
}

const marks = { done: '✓', failed: '✗', refused: '⊘' } as const;

const captioned = (label: string | undefined, content: string): string =>
  label === undefined ? content : `<figure><figcaption>${escaped(label)}</figcaption>${content}</figure>`;

function diffHtml(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const kind = kindOf(line);
      return `<span${kind === undefined ? '' : ` class="${kind}"`}>${escaped(line) || ' '}</span>`;
    })
    .join('');
}

function kindOf(line: string): 'add' | 'cut' | 'at' | undefined {
  if (/^(?:@@|---|\+\+\+|\\)/.test(line)) return 'at';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'cut' : undefined;
}
