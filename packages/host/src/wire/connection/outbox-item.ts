import type { EncodedEnvelope } from '../../sync/subscription.ts';

/** What waits in an outbox; `size` in bytes, of envelopes and messages about. */
export type Item =
  | { readonly kind: 'envelope'; readonly encoded: EncodedEnvelope; readonly size: number }
  | { readonly kind: 'text'; readonly text: string; readonly isResponse: boolean; readonly size: number };

/** An envelope that has to wait. */
export const envelopeItem = (encoded: EncodedEnvelope): Item => ({
  kind: 'envelope',
  encoded,
  size: encoded.json.length,
});

/** Any other frame. */
export const textItem = (text: string, isResponse: boolean): Item => ({
  kind: 'text',
  text,
  isResponse,
  size: isResponse ? Buffer.byteLength(text) : text.length,
});

/** Whether it counts as a response, which has limits of its own. */
export const isExempt = (item: Item): boolean => item.kind === 'text' && item.isResponse;
