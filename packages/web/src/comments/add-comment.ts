import type { AnnotationsHandle, DispatchOutcome } from '@agenthost/client';
import { sessionOfAnnotations, type URI } from '@agenthost/protocol';
import { linesOf } from '../chat/diff/compare-lines.ts';
import { readResource } from '../chat/resource.ts';
import type { HostLink } from '../live/host-link.ts';
import { workspaceText } from '../text/workspace-text.ts';
import { findLines, REMOVED_LINES, type Side } from './place-threads.ts';

/** A comment that a person has written. */
export interface WrittenComment {
  readonly link: HostLink;
  readonly annotations: AnnotationsHandle;
  /** URI of the file, before the change for removed lines. */
  readonly uri: URI;
  /** Absent: the whole file. */
  readonly lines?: {
    readonly side: Side;
    /** From 1, both included. */
    readonly from: number;
    readonly to: number;
    /** The text of these lines. */
    readonly quote: readonly string[];
  };
  /** The chat, and the turn whose version is shown. Absent: the present version. */
  readonly origin?: { readonly chat: URI; readonly turnId: string } | undefined;
  readonly text: string;
}

/**
 * Adds a comment. Lines that the present file has are commented on there, so that the host follows them. Other lines are those of a turn. Removed
 * lines are in no file, so the comment quotes them.
 */
export async function addComment(comment: WrittenComment): Promise<DispatchOutcome> {
  const { annotations, uri, lines } = comment;
  if (lines === undefined) return annotations.add({ resource: uri, text: comment.text });
  if (lines.side === 'before') return addOnRemoved(comment, lines);
  const present = await presentLines(comment);
  const found = present && findLines(present, lines.quote, lines.from);
  const from = (found ?? lines.from) - 1;
  const range = {
    start: { line: from, character: 0 },
    end: { line: from + lines.to - lines.from + 1, character: 0 },
  };
  const origin = found === undefined ? comment.origin : undefined;
  return annotations.add({
    resource: uri,
    range,
    text: comment.text,
    ...(origin === undefined ? {} : { origin }),
  });
}

async function presentLines({ link, uri }: WrittenComment): Promise<readonly string[] | undefined> {
  try {
    const { text: content } = await readResource(link, uri);
    return content === undefined ? undefined : linesOf(content);
  } catch {
    // The file is gone or may not be read; the lines are those of the shown version.
    return undefined;
  }
}

function addOnRemoved(
  { annotations, uri, text: written }: WrittenComment,
  { from, quote }: NonNullable<WrittenComment['lines']>,
): Promise<DispatchOutcome> {
  const quoted = quote.map((line) => `> ${line}`).join('\n');
  return annotations.mirror.dispatch({
    type: 'annotations/set',
    annotation: {
      id: crypto.randomUUID(),
      origin: { session: sessionOfAnnotations(annotations.uri) ?? '' },
      resource: uri,
      resolved: false,
      entries: [
        {
          id: crypto.randomUUID(),
          text: `${workspaceText.comments.onRemovedLines}:\n${quoted}\n\n${written}`,
        },
      ],
      _meta: { [REMOVED_LINES]: { line: from, quote: quote.join('\n') } },
    },
  });
}
