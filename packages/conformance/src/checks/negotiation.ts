import type { Bench } from '../kit/bench.ts';
import { isAtLeast } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import type { RawClient } from '../link/raw-client.ts';
import { isObject, shown } from '../recording/entry.ts';

async function agreed(
  bench: Bench,
  client: RawClient,
  protocolVersions: readonly unknown[],
): Promise<unknown> {
  const { protocolVersion } = await client.call('initialize', {
    ...bench.initializeParams(client),
    protocolVersions,
  });
  return protocolVersion;
}

async function expectVersion(bench: Bench, offered: readonly unknown[], expected: string): Promise<void> {
  const client = await bench.open();
  const version = await agreed(bench, client, offered);
  if (version !== expected)
    throw new Violation(
      `offered ${shown(offered)}; expected ${expected}, got ${shown(version)}`,
      client.frames,
    );
}

/** Choice of the version. */
export const negotiationChecks = [
  check(
    'NEG-1 CONN-1',
    'versions that the host does not speak are passed over, in any order',
    async (bench) => {
      await expectVersion(bench, ['999.0.0', '0.0.1', bench.version], bench.version);
    },
  ),
  check('NEG-1', 'the highest common version is taken, whatever stands first', async (bench) => {
    const [first, ...others] = bench.version.split('.').map(Number);
    const older = `0.${first === 1 ? 9 : Math.max(0, (others[0] ?? 0) - 1)}.0`;
    await expectVersion(bench, [older, bench.version], bench.version);
  }),
  check('NEG-2', 'a later patch is compatible and is answered as it was offered', async (bench) => {
    // Within 0.5 each patch was a version of its own.
    const later = isAtLeast(bench.version, '0.6.0') ? bench.version.replace(/\d+$/, '7') : bench.version;
    await expectVersion(bench, [later], later);
  }),
  check('NEG-4 CONN-1', 'malformed entries of the offer are skipped', async (bench) => {
    await expectVersion(
      bench,
      ['v1', '01.0.0', '1.0', 7, `${bench.version}-beta`, bench.version],
      bench.version,
    );
  }),
  check('CONN-1 NEG-4', 'an offer without one well-formed version is answered with -32602', async (bench) => {
    for (const protocolVersions of [[], ['latest', '1']]) {
      const client = await bench.open();
      await client.refused('initialize', { ...bench.initializeParams(client), protocolVersions }, -32602);
    }
  }),
  check(
    'NEG-5 CONN-1',
    'an offer without a common version is answered with -32005 and the supported ones, then the connection ends',
    async (bench) => {
      const client = await bench.open();
      const offer = { ...bench.initializeParams(client), protocolVersions: ['999.0.0', '0.0.1'] };
      const { error, frame } = await client.refused('initialize', offer, -32005);
      const data = error?.data;
      const supported = isObject(data) ? data['supportedVersions'] : undefined;
      if (
        !Array.isArray(supported) ||
        supported.length === 0 ||
        !supported.every((entry) => typeof entry === 'string')
      )
        throw new Violation('the error has no data.supportedVersions with texts', [frame]);
      await client.closed('no common version');
    },
  ),
];
