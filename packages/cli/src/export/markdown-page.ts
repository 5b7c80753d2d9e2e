import type { ExportPart } from '@agenthost/client';
import type { ExportedChatHead } from '@agenthost/protocol';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Block } from './blocks.ts';
import { fenced, inline, shownMarkdown } from './shown-markdown.ts';
import { chatFacts, chatName, sessionFacts, sessionName, turnBlocks, waitingBlocks } from './turn-blocks.ts';

/** An export as one Markdown document, in pieces as they come. */
export async function* markdownPage(
  parts: AsyncIterable<ExportPart>,
): AsyncGenerator<string, void, undefined> {
  let turnCount = 0;
  let chat: ExportedChatHead | undefined;
  for await (const part of parts) {
    switch (part.type) {
      case 'session':
        yield `# ${inline(sessionName(part.head.session))}\n\n${facts(sessionFacts(part.head))}\n`;
        break;
      case 'chat':
        if (chat !== undefined) yield written(waitingBlocks(chat));
        ({ chat } = part);
        turnCount = 0;
        yield `\n## ${inline(chatName(chat))}\n\n${facts(chatFacts(chat))}`;
        break;
      case 'turn':
      case 'openTurn': {
        turnCount += 1;
        const { turn, ...attachments } = part.turn;
        const { message, answer } = turnBlocks(turn, attachments);
        yield `\n### Turn ${turnCount}\n\n${quoted(written(message))}\n${written(answer)}`;
        break;
      }
    }
  }
  if (chat !== undefined) yield written(waitingBlocks(chat));
}

const facts = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([name, value]) => `- ${name}: ${inline(value)}\n`).join('');

const written = (blocks: readonly Block[]): string =>
  blocks.map((block) => `${writeBlock(block)}\n`).join('\n');

function writeBlock(block: Block): string {
  switch (block.kind) {
    case 'markdown':
      return shownMarkdown(plain(block.text));
    case 'line':
      return `*${inline(block.text)}*`;
    case 'error':
      return `**Error:** ${inline(block.text)}`;
    case 'code':
      return `${block.label === undefined ? '' : `${inline(block.label)}\n\n`}${code(block.text, block.language)}`;
    case 'diff':
      return `${inline(block.label)}\n\n${code(block.text, 'diff')}`;
    case 'picture':
      return `*${inline(block.label)} (${inline(block.contentType)}; its bytes are in the JSON export)*`;
    case 'chat':
      return `*Worker: ${inline(block.title)}*`;
    default: {
      const mark = block.mark === undefined ? '' : `${FOLD_MARKS[block.mark]} `;
      return `<details>\n<summary>${mark}${html(oneLine(block.summary))}</summary>\n\n${written(block.blocks)}\n</details>`;
    }
  }
}

const FOLD_MARKS = { done: '✓', failed: '✗', refused: '⊘' } as const;

/** Plain text, such as the output of a tool. */
const code = (text: string, language?: string): string => fenced(plain(text).replace(/\n$/, ''), language);

const quoted = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
    .concat('\n');

const html = (text: string): string => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
