import { createHash } from 'node:crypto';
import type { ExportPart } from '@agenthost/client';
import type { ExportedChatHead, ExportHead } from '@agenthost/protocol';
import type { Block } from './blocks.ts';
import { escaped, markdownHtml } from './html-text.ts';
import { chatFacts, chatName, sessionFacts, sessionName, turnBlocks, waitingBlocks } from './turn-blocks.ts';

/** All of the look of an exported page: light and dark, wide and narrow. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c2024; --soft: #60646c; --line: #dfe2e6; --wash: #f4f5f7; --mine: #eaf2fd;
  --link: #0b5fbd; --good: #18794e; --bad: #c22a2f; --add: #e3f6e9; --cut: #fdeaea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #121416; --ink: #e6e8eb; --soft: #a0a6ad; --line: #33383e; --wash: #1c1f23; --mine: #17293d;
    --link: #7ab8ff; --good: #5bd197; --bad: #ff8f8f; --add: #12301f; --cut: #3a1a1c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main, header { max-width: 50rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
main { padding-bottom: 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 2rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
h3 a { color: inherit; text-decoration: none; }
a { color: var(--link); }
p, ul, ol, pre, table, blockquote { margin: .6rem 0; }
ul, ol { padding-left: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; font-size: .875rem; }
dt { color: var(--soft); }
dd { margin: 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { background: var(--wash); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--wash); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .75rem; overflow: auto; max-height: 32rem; overflow-wrap: normal; }
pre code { background: none; padding: 0; }
figure { margin: .6rem 0; }
figcaption { font-size: .8rem; color: var(--soft); margin-bottom: .25rem; }
figure pre { margin: 0; }
img { max-width: 100%; height: auto; border-radius: .4rem; border: 1px solid var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
.mine { background: var(--mine); border-radius: .75rem; padding: .2rem 1rem; }
/* Lines of a message are as they were typed. */
.mine p { white-space: pre-line; }
td code { overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .6rem 0; padding: 0 .75rem; }
summary { cursor: pointer; padding: .45rem 0; font-size: .9rem; }
details[open] > summary { border-bottom: 1px solid var(--line); margin-bottom: .5rem; }
.note { color: var(--soft); font-size: .875rem; }
.error { border-left: 3px solid var(--bad); padding-left: .75rem; color: var(--bad); }
.done { color: var(--good); }
.failed, .refused { color: var(--bad); }
.diff { padding: .6rem 0; }
.diff span { display: block; padding: 0 .75rem; min-width: max-content; }
.diff .add { background: var(--add); }
.diff .cut { background: var(--cut); }
.diff .at { color: var(--soft); }
@media (max-width: 36rem) {
  body { font-size: 15px; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .3rem; }
  .mine { padding: .1rem .75rem; }
  pre { max-height: 24rem; }
}
@media print {
  pre { max-height: none; white-space: pre-wrap; }
}
`;

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
      const mark =
        block.mark === undefined ? '' : `<span class="${block.mark}">${FOLD_MARKS[block.mark]}</span> `;
      const summary = `<summary>${mark}${escaped(block.summary.replace(/\s+/g, ' '))}</summary>`;
      return `<details>${summary}\n${blocksHtml(block.blocks, places)}\n</details>`;
    }
  }
}

const FOLD_MARKS = { done: '✓', failed: '✗', refused: '⊘' } as const;

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
