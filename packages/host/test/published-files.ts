import type { HostFixture } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** The files of a client by URI. The test may change them. */
export type PublishedFiles = Record<string, string>;

/** Answers the host's requests for a client's files, until it asks nothing more. Returns their number. Files that do not exist are an error. */
export function publisher(
  host: HostFixture,
  client: RawClient,
  files: PublishedFiles,
): () => Promise<number> {
  let askedCount = 0;
  return async () => {
    for (;;) {
      await host.run();
      // The ids of the host's requests look like those of the client's own.
      const asked = client.frames.filter(({ id, method }) => id !== undefined && method !== undefined);
      const next = asked[askedCount];
      if (next === undefined) return askedCount;
      askedCount += 1;
      const uri = String(next.params?.['uri']).replace(/\/$/, '');
      const below = Object.keys(files).filter((file) => file.startsWith(`${uri}/`));
      const text = files[uri];
      const names = new Set(below.map((file) => file.slice(uri.length + 1).split('/')[0] ?? ''));
      const result =
        next.method === 'resourceList'
          ? {
              entries: [...names, '..', 'x/y'].map((name) => ({
                name,
                type: files[`${uri}/${name}`] === undefined ? 'directory' : 'file',
              })),
            }
          : next.method === 'resourceRead'
            ? { data: Buffer.from(text ?? '').toString('base64'), encoding: 'base64' }
            : { uri, type: text === undefined ? 'directory' : 'file', size: text?.length };
      const isThere = text !== undefined || below.length > 0;
      const answer = isThere ? { result } : { error: { code: -32_008, message: 'Not found' } };
      client.send({ jsonrpc: '2.0', id: next.id, ...answer });
    }
  };
}
