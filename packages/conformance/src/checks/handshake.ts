import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import { ROOT } from '../link/raw-client.ts';
import { isObject, shown } from '../recording/entry.ts';

const snapshotsOf = (result: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(result['snapshots']) ? result['snapshots'] : [];

/** `initialize` and what one connection may do with it. */
export const handshakeChecks = [
  check(
    'CONN-1',
    'initialize answers with the version that was offered and the number of the stream',
    async (bench) => {
      const client = await bench.open();
      const result = await client.call('initialize', bench.initializeParams(client));
      if (result['protocolVersion'] !== bench.version)
        throw new Violation(
          `expected protocolVersion ${bench.version}, got ${shown(result['protocolVersion'])}`,
          client.frames,
        );
      if (!Number.isSafeInteger(result['serverSeq']))
        throw new Violation('serverSeq is not a whole number', client.frames);
    },
  ),
  check(
    'CONN-2',
    'initialize has one snapshot for each channel that exists, and none for others',
    async (bench) => {
      const client = await bench.open();
      const unknown = `ahp-session:/kit-${bench.newId()}`;
      const result = await client.call('initialize', bench.initializeParams(client, [ROOT, unknown]));
      const resources = snapshotsOf(result).map((snapshot) =>
        isObject(snapshot) ? snapshot['resource'] : undefined,
      );
      if (resources.length !== 1 || resources[0] !== ROOT)
        throw new Violation(`expected a snapshot of ${ROOT} alone, got ${shown(resources)}`, client.frames);
    },
  ),
  check('CONN-3', 'a second initialize on a connection is answered with -32600', async (bench) => {
    const client = await bench.connect();
    await client.refused('initialize', bench.initializeParams(client), -32600);
    await client.settle();
  }),
  check(
    'CONN-3',
    'a second connection of a client takes over, and the first one is closed',
    async (bench) => {
      const first = await bench.connect();
      await bench.connect([], first.clientId);
      await first.closed('another connection took over');
    },
  ),
];
