import type { AgentSelection, Message, MessageAttachment, ModelSelection } from '@agenthost/protocol';
import { INLINE_ATTACHMENT } from '@agenthost/protocol';
import { offsetsOf, rangeOf, type Span } from './text-offsets.ts';

/** An attachment of a message that is being written. */
export interface DraftPart {
  /** Unique in the page. */
  readonly id: string;
  /** Without its range, which changes while the text is edited. */
  readonly attachment: MessageAttachment;
  /** Where the text stands for it, in UTF-16 code units. Absent: nowhere. */
  readonly span?: Span;
}

/** A message that is being written. */
export interface DraftContent {
  readonly text: string;
  readonly parts: readonly DraftPart[];
  /** Absent: that of the last message. */
  readonly model?: ModelSelection;
  /** Absent: that of the last message. `null`: none. */
  readonly agent?: AgentSelection | null;
}

/** Nothing. */
export const EMPTY_DRAFT: DraftContent = { text: '', parts: [] };

/** Whether there is nothing to send. */
export const isEmptyDraft = ({ text, parts }: DraftContent): boolean =>
  text.trim() === '' && parts.length === 0;

/** Number of the last part of this page. */
let lastPart = 0;

/** A part for an attachment. */
export const partOf = ({ range: _, ...attachment }: MessageAttachment, span?: Span): DraftPart => ({
  id: `part-${++lastPart}`,
  attachment,
  ...(span === undefined ? {} : { span }),
});

/** The message to send. `model` and `agent` are those that apply. */
export function messageOf(
  { text, parts }: DraftContent,
  {
    model,
    agent,
  }: { readonly model?: ModelSelection | undefined; readonly agent?: AgentSelection | undefined },
): Message {
  const attachments = parts.map(({ attachment, span }) =>
    span === undefined ? attachment : { ...attachment, range: rangeOf(text, span) },
  );
  return {
    text,
    origin: { kind: 'user' },
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** A message as it is written again. */
export function draftOf({ text, attachments = [], model, agent }: Message): DraftContent {
  return {
    text,
    parts: attachments.map((attachment) =>
      partOf(attachment, attachment.range && offsetsOf(text, attachment.range)),
    ),
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
  };
}

/** Whether an attachment is small enough to be sent with every change of a shared draft. */
export const isLight = ({ attachment }: DraftPart): boolean =>
  attachment.type !== 'embeddedResource' || attachment.data.length <= INLINE_ATTACHMENT.max;

/** The part of a draft that is shared between clients and kept in the browser: without large attachments. */
export const lightDraft = (draft: DraftContent): DraftContent => ({
  ...draft,
  parts: draft.parts.filter(isLight),
});

/** Identity of what clients share of a draft: equal for drafts with the same text and the same small attachments. */
export function draftKey(draft: DraftContent): string {
  const { text, parts } = lightDraft(draft);
  if (text === '' && parts.length === 0) return '';
  return JSON.stringify([text, parts.map(({ attachment: { type, label } }) => [type, label])]);
}
