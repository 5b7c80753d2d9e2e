import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { TurnInput } from '@agenthost/host/agent';
import { defined } from '@agenthost/protocol/values';
import { type Given, readAttachments } from '../../attachments/read-attachments.ts';
import type { AgentTraits } from '../process/agent-traits.ts';

/** Follows the annotations of a message. */
const HOW_TO_RESOLVE =
  'Each annotation is a comment on a file. When you have done what a comment asks, resolve it with the tool resolve_comment and its id; answer a comment with reply_to_comment if you cannot do it or have to ask.';

/**
 * A user's message as content blocks for this agent. Attachments that the agent does not accept, or that
 * cannot be read, are named in words; `tell` reports them to people.
 */
export async function promptBlocks(
  { message, readResource }: Pick<TurnInput, 'message' | 'readResource'>,
  traits: AgentTraits,
  {
    tell,
    canResolve = false,
  }: {
    readonly tell: (problem: string) => void;
    /** Whether the agent has the tools for comments now. Default false. */
    readonly canResolve?: boolean;
  },
): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  for (const { given, problem } of await readAttachments(message, readResource)) {
    blocks.push(...given.map((each) => blockOf(each, traits, tell)));
    if (problem !== undefined) tell(problem);
  }
  if (canResolve && message.attachments?.some(({ type }) => type === 'annotations') === true)
    blocks.push(words(HOW_TO_RESOLVE));
  // Some agents refuse an empty text, which a message with only attachments has.
  if (message.text !== '' || blocks.length === 0) blocks.push(words(message.text));
  return blocks;
}

function blockOf(given: Given, traits: AgentTraits, tell: (problem: string) => void): ContentBlock {
  switch (given.kind) {
    case 'words':
      return words(given.text);
    case 'link':
      return link(given);
    case 'text': {
      const { uri, text, contentType: mimeType } = given;
      if (traits.takesEmbeddedContext) return { type: 'resource', resource: { uri, text, mimeType } };
      // The agent reads local files itself, with their content at that time.
      if (uri.startsWith('file:')) return link(given);
      return words(`<attachment name=${JSON.stringify(given.name)}>\n${text}\n</attachment>`);
    }
    case 'image': {
      const { uri, data, contentType: mimeType } = given;
      if (!traits.takesImages) return notTaken(given, tell);
      return { type: 'image', data, mimeType, ...(uri.startsWith('attachment:') ? {} : { uri }) };
    }
    case 'binary': {
      const { uri, data: blob, contentType: mimeType } = given;
      if (!traits.takesEmbeddedContext) return notTaken(given, tell);
      return { type: 'resource', resource: { uri, blob, mimeType } };
    }
    default:
      return given satisfies never;
  }
}

function link({ name, uri, contentType }: { name: string; uri: string; contentType?: string }): ContentBlock {
  return {
    type: 'resource_link',
    uri,
    name,
    ...defined({ mimeType: contentType }),
  };
}

/** Returns a link to a file, because the agent may open files in other ways. For other attachments, the agent gets only the name. */
function notTaken(
  given: { name: string; uri: string; contentType: string },
  tell: (problem: string) => void,
): ContentBlock {
  if (given.uri.startsWith('file:')) return link(given);
  const { name, contentType } = given;
  tell(`The agent does not accept ${contentType}: it gets only the name of ${name}.`);
  return words(`[${name}: ${contentType}, which this agent does not accept]`);
}

function words(text: string): ContentBlock {
  return { type: 'text', text };
}
