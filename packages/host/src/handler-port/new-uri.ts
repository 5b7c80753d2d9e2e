import { type ClientChosenKind, invalidParam, isAcceptableUri, MAX_URI_LENGTH } from '@agenthost/protocol';

/**
 * Validates the URI that a client gives to a new channel. `name`: its field in `params`. Throws `-32602` with
 * the reason.
 */
export function checkNewUri(name: 'channel' | 'chat', uri: string, kind: ClientChosenKind): void {
  if (isAcceptableUri(uri, kind)) return;
  if (uri.length > MAX_URI_LENGTH)
    throw invalidParam(name, `expected a URI of at most ${MAX_URI_LENGTH} characters, got ${uri.length}`);
  throw invalidParam(name, `${uri.slice(0, 100)} cannot name a ${kind}`);
}
