import type { Message } from '@agenthost/protocol';
import { type Given, readAttachments } from '../attachments/read-attachments.ts';
import { type Scene, send } from './scene.ts';

/** Characters of each text that are repeated, in UTF-16 code units. */
const SAID_BACK_LENGTH = 2_000;

/** Repeats the attachments of a message in one piece. */
export async function tellAttached(scene: Scene, message: Message): Promise<void> {
  const read = await readAttachments(message, scene.readResource);
  if (read.length === 0) return;
  for (const { problem } of read) if (problem !== undefined) scene.output.notify(problem);
  const lines = read.flatMap(({ given }) => given.map(lineOf));
  await send(scene, 'markdown', `You gave me:\n\n${lines.join('\n')}\n\n`);
}

function lineOf(given: Given): string {
  switch (given.kind) {
    case 'words':
      return `- ${quoted(given.text)}`;
    case 'text':
      return `- ${given.name} (${given.contentType}): ${quoted(given.text)}`;
    case 'image':
    case 'binary':
      return `- ${given.name} (${given.contentType}, ${Buffer.from(given.data, 'base64').length} bytes)`;
    case 'link':
      return `- ${given.name}, to be found at ${given.uri}`;
    default:
      return given satisfies never;
  }
}

/** As a block with a fence that does not occur in the text. */
function quoted(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const body = text.length <= SAID_BACK_LENGTH ? text : `${text.slice(0, SAID_BACK_LENGTH)} …`;
  return `\n\n  ${[fence, ...body.split('\n'), fence].join('\n  ')}\n`;
}
