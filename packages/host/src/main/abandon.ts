import type { Log } from '../lib/log.ts';

/** What has to be ended of a host, as far as it was made. */
interface Made {
  readonly stopping?: AbortController;
  readonly files?: { end(): void };
  readonly lives?: { stop(): void };
  readonly accessTokens?: { end(): void };
  readonly agents?: { dispose(): Promise<void> };
  readonly sync?: { readonly path: { stop(): Promise<void> } };
  readonly terminals?: { close(): Promise<void> };
}

/** Ends what a start has made that comes to nothing: timers, agents, connections to keepers. Never rejects. */
export async function abandon(made: Made, log: Log): Promise<void> {
  const { stopping, files, lives, accessTokens, agents, sync, terminals } = made;
  stopping?.abort();
  files?.end();
  lives?.stop();
  accessTokens?.end();
  const endings = [
    () => agents?.dispose(),
    // What was read of ptys goes into the journal before they are let go of.
    () => sync?.path.stop(),
    () => terminals?.close(),
  ];
  for (const end of endings) {
    try {
      await end();
    } catch (error) {
      log.error({ error }, 'what had begun did not end cleanly when the host could not start');
    }
  }
}
