import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoProvider } from '@agenthost/agents';
import { type CheckResult, ClientWatch } from '@agenthost/conformance';
import { createHost } from '@agenthost/host';

/** From a client's handshake until its connection is dropped, in milliseconds. */
const DROP_AFTER_MS = 3_000;

/** A host that checks its clients. */
export interface CheckingHost {
  readonly url: string;
  readonly token: string;
  results(): readonly CheckResult[];
  /** Name and version of the first client. Absent: the client sent none. */
  clientName(): string | undefined;
  stop(): Promise<void>;
}

/** Starts a host with the demo agent and no data, for `conformance --client`. */
export async function startCheckingHost({
  port,
  token = randomBytes(16).toString('hex'),
  patienceMs,
  onLeft,
}: {
  readonly port: number;
  readonly token: string | undefined;
  readonly patienceMs: number;
  onLeft(): void;
}): Promise<CheckingHost> {
  const watch = new ClientWatch({ dropAfterMs: DROP_AFTER_MS, patienceMs, onLeft });
  const dataDir = await mkdtemp(join(tmpdir(), 'agenthost-conformance-'));
  const host = createHost({
    dataDir,
    agents: [() => createDemoProvider()],
    listen: { port, token },
    terminals: { keeper: false },
    wrapTransport: (transport) => watch.wrap(transport),
  });
  const stop = async (): Promise<void> => {
    watch.stop();
    await host.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const address = await host.start();
    return {
      url: address?.wsUrl ?? '',
      token,
      results: () => watch.results(),
      clientName: () => watch.clientName,
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}
