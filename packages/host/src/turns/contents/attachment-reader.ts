import { ErrorCodes, WireError } from '@agenthost/protocol';
import { type UnreadableReason, UnreadableResource } from '../../agents/errors.ts';
import type { TurnInput } from '../../agents/turn.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ReadFileBytes } from '../../workspace/workspace.ts';
import { contentIdOf } from './content-store.ts';

/** Maximum bytes to read if the agent gives no limit. The same as for clients. */
const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Implements `TurnInput.readResource`: reads the host's own content URIs, and files that the path policy
 * allows [RES-2]. `readElsewhere` reads resources that are neither, and returns `undefined` for others.
 */
export function attachmentReader(
  journal: Pick<Journal, 'readContent'>,
  readFile: ReadFileBytes,
  readElsewhere: (uri: string, maxBytes: number) => ReturnType<TurnInput['readResource']> | undefined = () =>
    undefined,
): TurnInput['readResource'] {
  return async (uri, { maxBytes = DEFAULT_MAX_BYTES } = {}) => {
    const elsewhere = readElsewhere(uri, maxBytes);
    if (elsewhere !== undefined) return elsewhere;
    const id = contentIdOf(uri);
    if (id === undefined && !/^file:/i.test(uri))
      throw new UnreadableResource('elsewhere', `${JSON.stringify(uri)} is not a file of this machine`);
    if (id === undefined) return readFile(uri, maxBytes).catch((error: unknown) => refuse(error, uri));
    const content = await journal.readContent(id);
    const name = JSON.stringify(uri);
    if (content === undefined) throw new UnreadableResource('missing', `The host has no content ${name}`);
    if (content.data.byteLength > maxBytes)
      throw new UnreadableResource('tooLarge', `${name} has ${content.data.byteLength} bytes`);
    return content;
  };
}

function refuse(error: unknown, uri: string): never {
  if (error instanceof UnreadableResource) throw error;
  if (!(error instanceof WireError)) throw error;
  throw new UnreadableResource(reasonOf(error.code), error.message, { cause: { error, uri } });
}

function reasonOf(code: number): UnreadableReason {
  if (code === ErrorCodes.NotFound) return 'missing';
  return code === ErrorCodes.PermissionDenied ? 'denied' : 'unreadable';
}
