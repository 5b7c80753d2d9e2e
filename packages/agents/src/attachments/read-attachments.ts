import { isUtf8 } from 'node:buffer';
import {
  contentIdOf,
  type TurnInput,
  type UnreadableReason,
  UnreadableResource,
} from '@agenthost/host/agent';
import {
  type Message,
  type MessageAnnotationsAttachment,
  type MessageAttachment,
  type MessageEmbeddedResourceAttachment,
  type MessageResourceAttachment,
  type QuotedAnnotation,
  textOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { linesOf, quote } from './attachment-line.ts';

/** Largest file that a prompt contains completely, in bytes. Larger ones are named. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Largest file of which a part is quoted, in bytes. */
const MAX_QUOTED_FILE_BYTES = 16 * 1024 * 1024;
/** Bytes that all attachments of one message may add to a prompt. Further ones are named. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * What an agent gets for an attachment. `words` are text. A `link` names a resource to look up, and `note`
 * describes it. `data` is base64.
 */
export type Given =
  | { readonly kind: 'words'; readonly text: string }
  | (Named & { readonly kind: 'text'; readonly text: string })
  | (Named & { readonly kind: 'image' | 'binary'; readonly data: string })
  | { readonly kind: 'link'; readonly name: string; readonly uri: string; readonly contentType?: string };

interface Named {
  readonly name: string;
  readonly uri: string;
  readonly contentType: string;
}

/** An attachment as given to the agent, and the problem to report to people. */
export interface ReadAttachment {
  readonly given: readonly Given[];
  readonly problem?: string;
}

/**
 * Reads the attachments of a message, in order. Each gives the agent something: an attachment that cannot be
 * read is described in words with the reason, and reported as a problem. Never rejects because of one
 * attachment.
 */
export async function readAttachments(
  { attachments = [] }: Pick<Message, 'attachments'>,
  readResource: TurnInput['readResource'],
): Promise<ReadAttachment[]> {
  const read: ReadAttachment[] = [];
  let leftBytes = MAX_MESSAGE_BYTES;
  for (const attachment of attachments) {
    const each = await readOne(attachment, { readResource, leftBytes });
    for (const given of each.given) leftBytes -= sizeOf(given);
    read.push(each);
  }
  return read;
}

interface Source {
  readonly readResource: TurnInput['readResource'];
  readonly leftBytes: number;
}

async function readOne(attachment: MessageAttachment, source: Source): Promise<ReadAttachment> {
  switch (attachment.type) {
    case 'simple':
      // An empty representation means that the message contains everything. Agents recognize a command only
      // at the very beginning.
      if (attachment.modelRepresentation === '') return { given: [] };
      return words(attachment.modelRepresentation ?? `[${attachment.label}]`);
    case 'embeddedResource':
      return embedded(attachment, source);
    case 'resource':
      return resource(attachment, source);
    case 'annotations':
      return annotations(attachment);
    case 'chat':
      // The host gives agents its text instead.
      return words(`[${attachment.label}]`);
    default: {
      const { label = 'attachment', type }: { label?: string; type?: string } = attachment satisfies never;
      return problem(label, `its kind, ${type}, is unknown to this host`);
    }
  }
}

function embedded(
  { data, ...attachment }: MessageEmbeddedResourceAttachment,
  source: Source,
): ReadAttachment {
  return carried(attachment, Buffer.from(data, 'base64'), source);
}

/** The content of an embedded attachment. */
function carried(
  {
    label,
    contentType,
    selection,
  }: Pick<MessageEmbeddedResourceAttachment, 'label' | 'contentType' | 'selection'>,
  bytes: Buffer,
  { leftBytes }: Source,
): ReadAttachment {
  const named = { name: label, uri: `attachment:${encodeURIComponent(label)}`, contentType };
  if (isText(contentType, bytes)) {
    const text = bytes.toString('utf8');
    if (selection !== undefined) return selected(label, named.uri, text, selection.range);
    if (bytes.length <= Math.min(MAX_FILE_BYTES, leftBytes))
      return { given: [{ kind: 'text', ...named, text }] };
  } else if (bytes.length <= leftBytes) {
    const kind = contentType.startsWith('image/') ? 'image' : 'binary';
    return { given: [{ kind, ...named, data: bytes.toString('base64') }] };
  }
  return problem(label, `its ${bytes.length} bytes exceed the limit`);
}

async function resource(attachment: MessageResourceAttachment, source: Source): Promise<ReadAttachment> {
  const { uri, label, selection } = attachment;
  const isCarried = contentIdOf(uri) !== undefined;
  const maxFile =
    selection === undefined ? Math.min(MAX_FILE_BYTES, source.leftBytes) : MAX_QUOTED_FILE_BYTES;
  try {
    const read = await source.readResource(uri, { maxBytes: isCarried ? MAX_QUOTED_FILE_BYTES : maxFile });
    if (isCarried) {
      // The host stores it separately only because of its size.
      const contentType = attachment.contentType ?? read.contentType ?? 'application/octet-stream';
      return carried({ ...attachment, contentType }, Buffer.from(read.data), source);
    }
    const contentType = attachment.contentType ?? read.contentType ?? 'text/plain';
    const bytes = Buffer.from(read.data);
    const named = { name: label, uri, contentType };
    if (!isText(contentType, bytes)) {
      const kind = contentType.startsWith('image/') ? 'image' : 'binary';
      return { given: [{ kind, ...named, data: bytes.toString('base64') }] };
    }
    const text = bytes.toString('utf8');
    if (selection === undefined) return { given: [{ kind: 'text', ...named, text }] };
    return selected(label, uri, text, selection.range);
  } catch (error) {
    if (!(error instanceof UnreadableResource)) throw error;
    return unreadable(attachment, error);
  }
}

const CARRIED_TROUBLE: Partial<Record<UnreadableReason, string>> = {
  missing: 'the host no longer has it',
  tooLarge: 'it is too large',
};

/** The location in words and as a link, and the selected text. */
function selected(
  label: string,
  uri: string,
  text: string,
  range: Parameters<typeof quote>[1],
): ReadAttachment {
  const quoted = quote(text, range);
  const place = linesOf(range);
  if (quoted === undefined) return problem(label, `it no longer has ${place}`, uri);
  const tag = `<selection name=${JSON.stringify(label)} uri=${JSON.stringify(uri)} range=${JSON.stringify(place)}>`;
  return words(`${tag}\n${quoted}\n</selection>`);
}

function unreadable(attachment: MessageResourceAttachment, error: UnreadableResource): ReadAttachment {
  const { uri, label, selection } = attachment;
  // Agents cannot look up content that only the host holds.
  if (contentIdOf(uri) !== undefined)
    return problem(label, CARRIED_TROUBLE[error.reason] ?? 'it could not be read');
  const place = selection === undefined ? '' : ` (${linesOf(selection.range)})`;
  switch (error.reason) {
    case 'folder':
      return { given: [link(attachment, `${label}${place}`)] };
    case 'tooLarge':
      return {
        given: [
          link(attachment, `${label}${place}`),
          {
            kind: 'words',
            text: `[${label}${place}: too large to include; read what you need from ${uri}]`,
          },
        ],
        problem: `${label} is too large to include; the agent gets its name and may read it.`,
      };
    case 'missing':
      return problem(`${label}${place}`, 'the file does not exist', uri);
    case 'denied':
      return problem(`${label}${place}`, 'the host may not read it for this session', uri);
    case 'elsewhere':
      return elsewhere(attachment, `${label}${place}`);
    case 'unreadable':
      return problem(`${label}${place}`, 'it could not be read', uri);
    default:
      return error.reason satisfies never;
  }
}

/** A resource that is not on this machine; the agent may be able to look it up. */
function elsewhere(attachment: MessageResourceAttachment, name: string): ReadAttachment {
  const { label, uri } = attachment;
  const given = [link(attachment, name)];
  return /^https?:/i.test(uri)
    ? { given }
    : { given, problem: `${label} could not be read by the host; the agent gets its name, ${uri}.` };
}

const link = ({ uri, contentType }: MessageResourceAttachment, name: string): Given => ({
  kind: 'link',
  name,
  uri,
  ...defined({ contentType }),
});

function annotations(attachment: MessageAnnotationsAttachment): ReadAttachment {
  const { label, resource: channel, annotationIds, 'x-annotations': carried = [] } = attachment;
  if (carried.length === 0) {
    const which = annotationIds === undefined ? '' : ` (${annotationIds.join(', ')})`;
    return problem(label, 'the message does not contain the text of the annotations', `${channel}${which}`);
  }
  return words(carried.map(annotationText).join('\n\n'));
}

function annotationText({ id, resource: uri, range, quote: quoted, text }: QuotedAnnotation): string {
  const place = range === undefined ? '' : ` range=${JSON.stringify(linesOf(range))}`;
  const named = id === undefined ? '' : ` id=${JSON.stringify(id)}`;
  const lines = [`<annotation${named} uri=${JSON.stringify(uri)}${place}>`];
  if (quoted !== undefined) lines.push(`<quoted>\n${quoted}\n</quoted>`);
  if (text !== undefined) lines.push(textOf(text));
  return [...lines, '</annotation>'].join('\n');
}

const words = (text: string): ReadAttachment => ({ given: [{ kind: 'words', text }] });

/** Nothing can be given: agent and people are told the reason. */
function problem(label: string, why: string, uri?: string): ReadAttachment {
  const where = uri === undefined ? '' : ` (${uri})`;
  return {
    given: [{ kind: 'words', text: `[${label}${where} is attached, but ${why}]` }],
    problem: `${label} did not reach the agent: ${why}.`,
  };
}

function sizeOf(given: Given): number {
  switch (given.kind) {
    case 'words':
    case 'text':
      return given.text.length;
    case 'image':
    case 'binary':
      return given.data.length;
    case 'link':
      return 0;
    default:
      return given satisfies never;
  }
}

const TEXT_TYPES =
  /^(text\/|application\/(json|jsonl|xml|sql|toml|yaml|javascript|typescript|x-sh)\b|[^;]*\+(json|xml)\b)/;

/** Whether content is given to an agent as text: its type is a text type or unknown, and it is valid text. */
export function isText(contentType: string, data: Uint8Array): boolean {
  const isUnknown = contentType === '' || contentType === 'application/octet-stream';
  return (isUnknown || TEXT_TYPES.test(contentType)) && isUtf8(data) && !data.includes(0);
}
