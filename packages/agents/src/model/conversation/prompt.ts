import type { TurnInput } from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import type { FilePart, TextPart, UserModelMessage } from 'ai';
import { type Given, readAttachments } from '../../attachments/read-attachments.ts';
import type { ModelApi } from '../config/config.ts';

/** How a message is given to a model. */
export interface PromptOptions {
  readonly api: ModelApi;
  /** Whether the model accepts images. */
  readonly takesImages: boolean;
  readonly readResource: TurnInput['readResource'];
  /** Events that the model does not know yet, as text. */
  readonly context?: readonly string[];
  /** Tells people which part of an attachment did not reach the model. */
  tell(problem: string): void;
}

/** A person's message with its attachments. Attachments that the model does not accept are named. */
export async function promptOf(message: Message, options: PromptOptions): Promise<UserModelMessage> {
  const parts: (TextPart | FilePart)[] = (options.context ?? []).map(words);
  for (const { given, problem } of await readAttachments(message, options.readResource)) {
    parts.push(...given.map((each) => partOf(each, options)));
    if (problem !== undefined) options.tell(problem);
  }
  if (message.text !== '' || parts.length === 0) parts.push(words(message.text || '(no text)'));
  const [only] = parts;
  // The short form is what servers with little support for parts understand.
  return {
    role: 'user',
    content: parts.length === 1 && only?.type === 'text' ? only.text : parts,
  };
}

/** APIs whose models read PDF files. */
const TAKES_PDF: readonly ModelApi[] = ['openai-responses', 'anthropic', 'google'];

function partOf(given: Given, options: PromptOptions): TextPart | FilePart {
  switch (given.kind) {
    case 'words':
      return words(given.text);
    case 'text':
      return words(
        `<attachment name=${JSON.stringify(given.name)} uri=${JSON.stringify(given.uri)}>\n${given.text}\n</attachment>`,
      );
    case 'link':
      return words(`[${given.name}: ${given.uri}]`);
    case 'image':
      return options.takesImages ? file(given) : notTaken(given, options);
    case 'binary': {
      const isTaken = given.contentType === 'application/pdf' && TAKES_PDF.includes(options.api);
      return isTaken ? file(given) : notTaken(given, options);
    }
    default:
      return given satisfies never;
  }
}

function notTaken(
  { name, uri, contentType }: { name: string; uri: string; contentType: string },
  { tell }: PromptOptions,
): TextPart {
  tell(`The model does not accept ${contentType}: it gets only the name of ${name}.`);
  return words(`[${name} (${uri}): ${contentType}, which you cannot see]`);
}

const words = (text: string): TextPart => ({ type: 'text', text });

const file = ({
  data,
  contentType,
  name,
}: {
  data: string;
  contentType: string;
  name: string;
}): FilePart => ({
  type: 'file',
  data,
  mediaType: contentType,
  filename: name,
});
