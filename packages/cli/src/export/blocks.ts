import { Buffer } from 'node:buffer';
import type { ExportedAttachments, ExportedTerminal, URI } from '@agenthost/protocol';

/** A picture's bytes in base64. */
export interface Picture {
  readonly contentType: string;
  readonly data: string;
}

/** A block of a turn on a page, for all page formats. Texts are raw and may hold control characters. */
export type Block =
  /** Markdown that a person or a model wrote. */
  | { readonly kind: 'markdown'; readonly text: string }
  /** One line about something. */
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'code'; readonly label?: string; readonly text: string; readonly language?: string }
  /** A unified diff. */
  | { readonly kind: 'diff'; readonly label: string; readonly text: string }
  | ({ readonly kind: 'picture'; readonly label: string } & Picture)
  /** Leads to a chat of the same export. */
  | { readonly kind: 'chat'; readonly title: string; readonly chat: string }
  /** Folded away under its summary. */
  | {
      readonly kind: 'fold';
      readonly summary: string;
      readonly mark?: 'done' | 'failed' | 'refused';
      readonly blocks: readonly Block[];
    };

/** Pictures that every browser shows and that run nothing. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/i;
const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|javascript|x-sh)\b|[^;]*\+(?:json|xml)\b)/i;

/** Contents that an export holds for the URIs of one turn. */
export class TurnContents {
  readonly #attachments: ExportedAttachments;

  constructor(attachments: ExportedAttachments) {
    this.#attachments = attachments;
  }

  /** The text behind a content URI; `undefined` when it is none, or was gone. */
  text(uri: URI): string | undefined {
    const content = this.#attachments.contents?.find((each) => each.uri === uri);
    if (content?.data === undefined) return undefined;
    return content.encoding === 'base64' ? undefined : content.data;
  }

  terminal(uri: URI): ExportedTerminal | undefined {
    return this.#attachments.terminals?.find(({ resource }) => resource === uri);
  }

  /** Block for a reference. */
  reference(label: string, { uri, contentType }: { uri: URI; contentType?: string }): Block {
    const content = this.#attachments.contents?.find((each) => each.uri === uri);
    if (content?.data === undefined) return { kind: 'line', text: label === uri ? uri : `${label} (${uri})` };
    const type = contentType ?? content.contentType ?? 'application/octet-stream';
    if (content.encoding === 'base64') return bytes(label, type, content.data);
    return { kind: 'code', label, text: content.data };
  }
}

/** Block for a file that is embedded in base64. */
export function bytes(label: string, contentType: string, data: string): Block {
  const [type = ''] = contentType.split(';');
  if (PICTURE.test(type.trim())) return { kind: 'picture', label, contentType: type.trim(), data };
  const decoded = Buffer.from(data, 'base64');
  if (TEXT.test(type)) return { kind: 'code', label, text: decoded.toString('utf8') };
  return { kind: 'line', text: `${label} (${type}, ${decoded.byteLength} bytes)` };
}
