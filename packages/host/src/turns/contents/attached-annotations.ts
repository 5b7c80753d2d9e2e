import {
  type Annotation,
  type AnnotationEntry,
  type Message,
  type MessageAnnotationsAttachment,
  type MessageAttachment,
  type QuotedAnnotation,
  textOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import { anchorOf } from '../../sync/hidden-anchors.ts';
import type { Sync } from '../../sync/sync.ts';
import type { FileLines } from '../../workspace/file-lines.ts';
import { findAnchor, makeAnchor } from '../../workspace/line-anchor.ts';
import type { ReadLines } from './annotated-files.ts';

/** Longest text of all annotations of one attachment for an agent, in UTF-16 code units. Further ones are counted. */
const MAX_LENGTH = 256 * 1024;

const isBare = (attachment: MessageAttachment): attachment is MessageAnnotationsAttachment =>
  attachment.type === 'annotations' && attachment['x-annotations'] === undefined;

/**
 * The message as an agent gets it: attached annotations carry the present place of their lines, the lines and the texts. Annotations that do
 * not exist are left out.
 */
export async function withAnnotations(
  { sync, readLines }: { readonly sync: Sync; readonly readLines: ReadLines },
  message: Message,
): Promise<Message> {
  if (message.attachments?.some(isBare) !== true) return message;
  const attachments: MessageAttachment[] = [];
  const files = new Map<string, Awaited<ReturnType<ReadLines>>>();
  const linesOf = async (uri: string): Promise<FileLines | undefined> => {
    const read = files.get(uri) ?? (await readLines(uri));
    files.set(uri, read);
    return typeof read === 'string' ? undefined : read;
  };
  for (const attachment of message.attachments)
    attachments.push(isBare(attachment) ? await expanded(sync, attachment, linesOf) : attachment);
  return { ...message, attachments };
}

async function expanded(
  sync: Sync,
  attachment: MessageAnnotationsAttachment,
  linesOf: (uri: string) => Promise<FileLines | undefined>,
): Promise<MessageAttachment> {
  const channel = await sync.registry.openOf('annotations', attachment.resource);
  const wanted = attachment.annotationIds && new Set(attachment.annotationIds);
  const found = (channel?.state.annotations ?? []).filter(({ id }) => wanted?.has(id) ?? true);
  if (channel === undefined || found.length === 0) return attachment;
  const quoted: QuotedAnnotation[] = [];
  let length = 0;
  for (const annotation of found) {
    const lines = annotation.range === undefined ? undefined : await linesOf(annotation.resource);
    await sync.path.nextTurn();
    const each = quotedFrom(channel, annotation, lines);
    length += (each.quote?.length ?? 0) + (each.text === undefined ? 0 : textOf(each.text).length);
    if (length > MAX_LENGTH && quoted.length > 0) break;
    quoted.push(each);
  }
  const left = found.length - quoted.length;
  const last = quoted.at(-1);
  if (left > 0 && last?.text !== undefined)
    last.text = {
      markdown: `${textOf(last.text)}\n\n(${left} more annotations do not fit into this message.)`,
    };
  return { ...attachment, 'x-annotations': quoted };
}

/** An annotation for an agent: the present place of its lines, the lines and the texts. `lines`: those of its file, if it can be read. */
export function quotedFrom(
  channel: Channel<'annotations'>,
  annotation: Annotation,
  lines: FileLines | undefined,
): QuotedAnnotation {
  const { id, resource, range, entries, origin } = annotation;
  const anchor = anchorOf(channel, annotation);
  const markdown = conversation(entries);
  if (range === undefined) return { id, resource, text: { markdown } };
  if (anchor === undefined) {
    // The range is one of the present file, unless it names the version of a turn.
    const quote = lines && origin.turnId === undefined ? makeAnchor(lines, range)?.quote : undefined;
    return { id, resource, range, ...defined({ quote }), text: { markdown } };
  }
  // Without the file, nobody knows whether the lines are still there.
  const present = lines === undefined ? range : findAnchor(lines, anchor, range);
  if (present === undefined)
    return {
      id,
      resource,
      quote: anchor.quote,
      text: { markdown: `(The file no longer has the quoted lines.)\n\n${markdown}` },
    };
  const quote = (lines && makeAnchor(lines, present)?.quote) ?? anchor.quote;
  return { id, resource, range: present, quote, text: { markdown } };
}

/** The texts of an annotation, with their authors if there are several. */
function conversation(entries: readonly AnnotationEntry[]): string {
  const [first, ...others] = entries;
  if (first !== undefined && others.length === 0) return textOf(first.text);
  return entries.map(({ text, 'x-by': by }) => `${by?.name ?? 'client'}: ${textOf(text)}`).join('\n\n');
}
