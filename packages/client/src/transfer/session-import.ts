import {
  type ClientToHostRequests,
  type ContentPiece,
  type ExportedAttachments,
  type ExportedOpenTurn,
  type ExportedTurn,
  type ImportTurnsParams,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ImportedTurn, ImportSource } from './import-source.ts';
import { presentSource } from './present-source.ts';

/** Target size of a frame, in UTF-16 code units. Hosts accept 16 MiB. */
const BATCH_LENGTH = 1024 * 1024;
/** The contents of a larger turn are sent before it in pieces. */
const TURN_LENGTH = 4 * 1024 * 1024;
/**
 * Size of a piece in UTF-16 code units. A multiple of four, so that base64 can be cut there. As JSON a unit
 * takes at most six bytes.
 */
const PIECE_LENGTH = 2 * 1024 * 1024;

/** Largest frame, in UTF-16 code units. */
const FRAME_LENGTH = 15 * 1024 * 1024;

type ImportMethod = 'x-importSession' | 'x-importTurns' | 'x-finishImport' | 'disposeSession';

/** What an import needs of the client. */
export interface ImportPort {
  request<M extends ImportMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/** Options of an import. */
export interface ImportOptions {
  /** Agent of the new session. Default: the exported agent. */
  readonly provider?: string;
  /** Working directories of all chats, `file:` URIs, the primary one first. Default: the exported ones. */
  readonly workingDirectories?: URI[];
  /** Called with the number of turns that the host has received. */
  readonly onProgress?: (turnCount: number) => void;
}

type Batch = Pick<ImportTurnsParams, 'turns' | 'openTurn' | 'pieces'>;

/** Sends a session to the host. Removes it again when anything fails. */
export async function importSession(
  port: ImportPort,
  channel: URI,
  source: ImportSource,
  { provider, workingDirectories, onProgress }: ImportOptions,
): Promise<void> {
  const { session, chats, turns } = await presentSource(source);
  const { chats: names } = await port.request('x-importSession', {
    channel,
    session,
    chats: [...chats],
    ...defined({ provider, workingDirectories }),
  });
  try {
    const newNames = new Map(names.map(({ source, chat }) => [source, chat]));
    let turnCount = 0;
    for await (const { chat: source, batch } of batches(turns)) {
      const chat = newNames.get(source);
      if (chat === undefined)
        throw new TypeError(
          `an imported turn names the chat ${source}, which is not among the imported chats`,
        );
      await port.request('x-importTurns', { channel, chat, ...batch });
      turnCount += (batch.turns?.length ?? 0) + (batch.openTurn === undefined ? 0 : 1);
      onProgress?.(turnCount);
    }
    await port.request('x-finishImport', { channel });
  } catch (error) {
    // A host that cannot be reached removes the import by itself.
    await port.request('disposeSession', { channel }).catch(() => undefined);
    throw error;
  }
}

/** Frames of similar size, each for one chat. */
async function* batches(
  turns: ImportSource['turns'],
): AsyncGenerator<{ readonly chat: URI; readonly batch: Batch }, void, undefined> {
  let chat: URI | undefined;
  let gathered: ExportedTurn[] = [];
  let length = 0;
  for await (const imported of turns) {
    const pieces: ContentPiece[] = [];
    const sized = fitted(imported, pieces);
    const isFull = length + sized.length > BATCH_LENGTH || pieces.length > 0;
    if (chat !== undefined && gathered.length > 0 && (isFull || chat !== imported.chat)) {
      yield { chat, batch: { turns: gathered } };
      gathered = [];
      length = 0;
    }
    ({ chat } = imported);
    for (const piece of pieces) yield { chat, batch: { pieces: [piece] } };
    if (sized.turn !== undefined) {
      gathered.push(sized.turn);
      length += sized.length;
      continue;
    }
    yield { chat, batch: { turns: gathered, openTurn: sized.openTurn } };
    gathered = [];
    length = 0;
  }
  if (chat !== undefined && gathered.length > 0) yield { chat, batch: { turns: gathered } };
}

/** A turn that fits in a frame, with its length as JSON. Content taken out of it is added to `pieces`. */
function fitted(
  { turn, openTurn }: ImportedTurn,
  pieces: ContentPiece[],
):
  | { readonly length: number; readonly turn: ExportedTurn }
  | { readonly length: number; readonly turn?: undefined; readonly openTurn: ExportedOpenTurn } {
  const given = turn ?? openTurn;
  const { length } = JSON.stringify(given);
  if (length <= TURN_LENGTH) return turn === undefined ? { length, openTurn } : { length, turn };
  pieces.push(...piecesOf(given.turn.id, given));
  if (turn === undefined) {
    const { contents: _, ...rest } = openTurn;
    return { length: lengthOf(rest), openTurn: rest };
  }
  const { contents: _, ...rest } = turn;
  return { length: lengthOf(rest), turn: rest };
}

function lengthOf(turn: ExportedTurn | ExportedOpenTurn): number {
  const { length } = JSON.stringify(turn);
  if (length > FRAME_LENGTH)
    throw new TypeError(
      `turn ${turn.turn.id} is too large to import: ${length} UTF-16 units, the limit is ${FRAME_LENGTH}`,
    );
  return length;
}

function* piecesOf(turnId: string, { contents = [] }: ExportedAttachments): Generator<ContentPiece> {
  for (const { uri, contentType, encoding = 'utf-8', data } of contents) {
    if (data === undefined) continue;
    for (let start = 0; start === 0 || start < data.length; ) {
      let end = Math.min(start + PIECE_LENGTH, data.length);
      // Do not cut a surrogate pair.
      if (end < data.length && /[\uD800-\uDBFF]/.test(data.charAt(end - 1))) end -= 1;
      yield {
        turnId,
        uri,
        ...defined({ contentType }),
        encoding,
        data: data.slice(start, end),
        ...(end < data.length ? { isMore: true } : {}),
      };
      start = Math.max(end, 1);
    }
  }
}
