import {
  type ByteRange,
  type ClientToHostRequests,
  ErrorCodes,
  ROOT_URI,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import { fromBase64 } from './base64.ts';

/** Small enough that other answers come between two pieces. */
const PIECE_BYTES = 1024 * 1024;

/** A part of a file. */
export interface FileRange {
  readonly bytes: Uint8Array;
  /** Size of the whole file, in bytes. */
  readonly size: number;
  /** Media type. Absent: unknown. */
  readonly contentType?: string;
  /** Changes with the file. Absent: the content never changes. */
  readonly etag?: string;
}

/** How a file is read in pieces. */
export interface StreamOptions {
  /** Bytes of one request, at most 24 MiB. Default 1 MiB. */
  readonly pieceBytes?: number;
  /** Called once with the size of the file, in bytes. */
  readonly onSize?: (size: number) => void;
  readonly signal?: AbortSignal;
}

/** The requests of a client that a read makes. */
interface RangesPort {
  request(
    method: 'resourceRead',
    params: ClientToHostRequests['resourceRead']['params'],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ClientToHostRequests['resourceRead']['result']>;
}

/** As `Files.readRange`. */
export async function readRange(
  client: RangesPort,
  uri: URI,
  range: ByteRange,
  options: { readonly signal?: AbortSignal },
): Promise<FileRange> {
  const params = { channel: ROOT_URI, uri, encoding: 'base64', 'x-range': range } as const;
  const { data, encoding, ...facts } = await client.request('resourceRead', params, options);
  const bytes = encoding === 'base64' ? fromBase64(data) : new TextEncoder().encode(data);
  const size = facts['x-size'];
  const rest = defined({ contentType: facts.contentType, etag: facts['x-etag'] });
  // A host that does not know ranges answers with everything.
  if (size === undefined)
    return { bytes: bytes.subarray(range.start, range.start + range.length), size: bytes.length, ...rest };
  return { bytes, size, ...rest };
}

/** As `Files.stream`. */
export async function* streamFile(
  client: RangesPort,
  uri: URI,
  { pieceBytes = PIECE_BYTES, onSize, signal }: StreamOptions,
): AsyncGenerator<Uint8Array, void> {
  if (!Number.isSafeInteger(pieceBytes) || pieceBytes < 1)
    throw new RangeError(`pieceBytes is ${pieceBytes}, and must be a whole number of at least 1`);
  let first: FileRange | undefined;
  let start = 0;
  do {
    const piece = await readRange(client, uri, { start, length: pieceBytes }, defined({ signal }));
    if (first === undefined) onSize?.(piece.size);
    first ??= piece;
    const isCutShort = piece.bytes.length === 0 && start < first.size;
    if (piece.etag !== first.etag || piece.size !== first.size || isCutShort)
      throw new RpcError(ErrorCodes.Conflict, `${JSON.stringify(uri)} has changed while it was read`);
    start += piece.bytes.length;
    if (piece.bytes.length > 0) yield piece.bytes;
  } while (start < first.size);
}
