import { type CloseEntry, type Entry, type FrameEntry, isObject } from './entry.ts';

/** The program that made a recording. */
export interface HarCreator {
  readonly name: string;
  readonly version: string;
}

/** A placeholder address of connections: a recording has no addresses. */
const ADDRESS = 'ws://recorded.invalid/ahp';

/**
 * A recording as an HTTP Archive 1.2, with the frames of each connection in `_webSocketMessages`, as the developer tools of Chromium write and
 * read them. Frames that could not be read are left out.
 */
export function harOf(entries: readonly Entry[], creator: HarCreator): string {
  const connections = new Map<number, (FrameEntry | CloseEntry)[]>();
  for (const entry of entries) {
    if ('droppedCount' in entry) continue;
    const own = connections.get(entry.connection) ?? [];
    connections.set(entry.connection, own);
    own.push(entry);
  }
  const log = {
    version: '1.2',
    creator,
    pages: [],
    entries: Array.from(connections, ([connection, own]) => connectionOf(connection, own)),
  };
  return `${JSON.stringify({ log }, undefined, 2)}\n`;
}

function connectionOf(connection: number, entries: readonly (FrameEntry | CloseEntry)[]): object {
  const [startMs = 0, endMs = startMs] = [entries[0]?.timeMs, entries.at(-1)?.timeMs];
  const time = endMs - startMs;
  const frames = entries.filter((entry): entry is FrameEntry => 'direction' in entry);
  const plain = { httpVersion: 'HTTP/1.1', cookies: [], headers: [], headersSize: -1, bodySize: -1 };
  return {
    startedDateTime: new Date(startMs).toISOString(),
    time,
    request: { method: 'GET', url: `${ADDRESS}?connection=${connection}`, queryString: [], ...plain },
    response: {
      ...{ status: 101, statusText: 'Switching Protocols', redirectURL: '', ...plain },
      content: { size: 0, mimeType: 'x-unknown' },
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: time },
    _resourceType: 'websocket',
    _webSocketMessages: frames.flatMap(({ timeMs, direction, message }) =>
      isObject(message)
        ? [
            {
              type: direction === 'client-to-host' ? 'send' : 'receive',
              time: timeMs / 1_000,
              opcode: 1,
              data: JSON.stringify(message),
            },
          ]
        : [],
    ),
  };
}
