import type { MessageAttachment } from '@agenthost/protocol';
import { storageName } from '../../live/storage-name.ts';
import { type DraftContent, lightDraft, partOf } from './draft-content.ts';

/** A draft that the browser keeps. */
export interface StoredDraft {
  readonly content: DraftContent;
  /** `draftKey` of what this browser and the host last had in common. */
  readonly base: string;
}

/** Where the drafts of one chat are kept over a reload of the page. */
export interface DraftStore {
  load(): StoredDraft | undefined;
  save(draft: StoredDraft | undefined): void;
}

/** Keeps the draft of a chat in `localStorage`. Without storage (a private window) nothing is kept. */
export function browserDraftStore(hostId: string, chat: string): DraftStore {
  const key = storageName(`draft.${hostId} ${chat}`);
  return {
    load: () => {
      try {
        const stored = localStorage.getItem(key);
        return stored === null ? undefined : readStored(JSON.parse(stored));
      } catch {
        return undefined;
      }
    },
    save: (draft) => {
      try {
        if (draft === undefined) localStorage.removeItem(key);
        else {
          const { text, parts } = lightDraft(draft.content);
          localStorage.setItem(
            key,
            JSON.stringify({
              text,
              base: draft.base,
              attachments: parts.map(({ attachment, span }) => ({ attachment, span })),
            }),
          );
        }
      } catch {
        // The host has the draft too.
      }
    },
  };
}

function readStored(value: unknown): StoredDraft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const text: unknown = Reflect.get(value, 'text');
  const base: unknown = Reflect.get(value, 'base');
  const attachments: unknown = Reflect.get(value, 'attachments');
  if (typeof text !== 'string' || typeof base !== 'string' || !Array.isArray(attachments)) return undefined;
  const parts = attachments.flatMap((each: unknown) => {
    if (!isStoredPart(each)) return [];
    const { attachment, span } = each;
    return [partOf(attachment, isSpan(span) ? { start: span.start, end: span.end } : undefined)];
  });
  return { content: { text, parts }, base };
}

const isStoredPart = (
  value: unknown,
): value is { readonly attachment: MessageAttachment; readonly span?: unknown } => {
  if (typeof value !== 'object' || value === null) return false;
  const attachment: unknown = Reflect.get(value, 'attachment');
  return (
    typeof attachment === 'object' &&
    attachment !== null &&
    typeof Reflect.get(attachment, 'type') === 'string' &&
    typeof Reflect.get(attachment, 'label') === 'string'
  );
};

const isSpan = (value: unknown): value is { readonly start: number; readonly end: number } =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'start') === 'number' &&
  typeof Reflect.get(value, 'end') === 'number';
