import { asObject } from '../json.ts';

/** What a handshake of VS Code says of itself [VSC-2] [VSC-7]. */
export interface VsCodeHandshake {
  /** Whether it names sessions `ahp-session:/<id>`. Otherwise `<provider>:/<id>`. */
  readonly takesSessionUris: boolean;
}

/** Member of `_meta` by which both sides agree on `ahp-session:` URIs. */
export const SESSION_URIS = 'vscode.ahpSessionUris';

/** Recognises VS Code by its name, which only `initialize` has, or by members of `_meta` that begin with `vscode.`. */
export function recognise(params: unknown): VsCodeHandshake | undefined {
  const { clientInfo, _meta } = asObject(params);
  const meta = asObject(_meta);
  const { name } = asObject(clientInfo);
  const isNamed = typeof name === 'string' && name.startsWith('vscode-');
  if (!isNamed && !Object.keys(meta).some((key) => key.startsWith('vscode.'))) return undefined;
  return { takesSessionUris: meta[SESSION_URIS] === true };
}
