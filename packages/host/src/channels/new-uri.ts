import { type ClientChosenKind, invalidParams, isAcceptableUri, MAX_URI_LENGTH } from '@agenthost/protocol';

/** Checks the URI that a client gives to a new channel, in `params` under `name`. Throws `-32602` with what is wrong with it. */
export function checkNewUri(name: 'channel' | 'chat', uri: string, kind: ClientChosenKind): void {
  if (isAcceptableUri(uri, kind)) return;
  if (uri.length > MAX_URI_LENGTH)
    throw invalidParams(
      `params.${name}: expected a URI of at most ${MAX_URI_LENGTH} characters, got ${uri.length}`,
    );
  throw invalidParams(`params.${name}: ${uri.slice(0, 100)} cannot name a ${kind}`);
}
