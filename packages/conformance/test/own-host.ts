// Starts the host of this project with its scripted agent, for checks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoProvider } from '@agenthost/agents';
import { openHost } from '@agenthost/conformance';
import { createHost } from '@agenthost/host';
import type { Transport } from '@agenthost/rpc';

/** A host that runs, and the folder that its sessions work in. */
export interface OwnHost {
  readonly url: string;
  readonly folder: string;
  open(signal: AbortSignal): Promise<Transport>;
  stop(): Promise<void>;
}

/** Starts a host on a free port. */
export async function startOwnHost(): Promise<OwnHost> {
  const home = mkdtempSync(join(tmpdir(), 'agenthost-kit-'));
  const folder = mkdtempSync(join(home, 'work-'));
  const host = createHost({
    dataDir: join(home, 'data'),
    agents: [() => createDemoProvider()],
    listen: { port: 0, token: 'kit-token-of-32-characters-00000' },
    serverInfo: { name: 'agenthost', version: '0' },
    // The start files of the user may take long.
    terminals: { keeper: false, env: { HOME: home } },
    roots: [folder],
  });
  const address = await host.start();
  if (address === undefined) throw new Error('the host does not listen');
  return {
    url: address.wsUrl,
    folder,
    open: (signal) => openHost({ url: address.wsUrl, token: address.token }, signal),
    stop: async () => {
      await host.stop();
      rmSync(home, { recursive: true });
    },
  };
}
