import { CLIENT_ACTIONS } from '@agenthost/protocol';
import { SeededRandom } from '@agenthost/testkit';
import type { Address } from '../../kill/host-process.ts';
import { AnswerCheck } from './answer-check.ts';
import type { Case } from './cases.ts';
import { Expectations } from './expectations.ts';
import { FuzzConnection } from './fuzz-connection.ts';
import { hostileValue, toFrame } from './hostile-values.ts';
import { mutate } from './mutate.ts';
import { requestSchemas, schemaFile } from './schema-file.ts';
import { type Pools, SchemaValues } from './schema-values.ts';
import { ROOT, type World } from './world.ts';

/** Connections at a time. Clients with the same id replace each other during their handshakes. */
const AT_ONCE = 16;

const FIRST_ID = 1_000;
const MUTATED = 0.5;
const CLIENTS = ['one', 'two', 'three', 'a'.repeat(100), '\u202e', "'; --"];

const commands = schemaFile('commands');
const byMethod = requestSchemas(commands);

/** Counts of a run of handshakes. */
export interface HandshakeReport {
  accepted: number;
  refused: number;
  /** Closed by the host, for example without a common version or after a replacement. */
  dropped: number;
}

/**
 * Plays `count` handshakes that are made from the schema and mutated, each on a connection of its own. Throws at the first invalid answer.
 */
export async function playHandshakes(
  host: Address,
  { channels }: World,
  { seed, count, dataDir }: { seed: number; count: number; dataDir: string },
): Promise<HandshakeReport> {
  const check = new AnswerCheck(seed, dataDir);
  const expectations = new Expectations(CLIENT_ACTIONS);
  const report: HandshakeReport = { accepted: 0, refused: 0, dropped: 0 };
  const playOne = async (index: number): Promise<void> => {
    const asked = handshakeAt(seed, index, poolsOf(channels));
    const connection = await FuzzConnection.bare(host);
    try {
      const { answers } = await connection.play([asked]);
      const answer = answers.get(asked.id);
      if (answer !== undefined) check.answer(asked, answer);
      if (answer?.result !== undefined && !isFutureOffer(asked) && expectations.mustBeRefused(asked))
        check.fail(asked, answer, 'was not refused');
      // A refused client stays unauthenticated. An accepted client may send requests but no second handshake.
      const listed = connection.isOpen ? await connection.ask('listSessions', { channel: ROOT }) : undefined;
      const again = connection.isOpen
        ? await connection.ask(asked.method, JSON.parse(asked.frame).params)
        : undefined;
      if (listed === undefined || again === undefined) report.dropped += 1;
      else if (answer?.result !== undefined) {
        report.accepted += 1;
        if (listed.error !== undefined || again.error === undefined)
          check.fail(asked, [listed, again], 'was accepted, and what came behind it was not as it should be');
      } else {
        report.refused += 1;
        if (listed.error?.code !== -32600)
          check.fail(asked, listed, 'was refused, and what came behind it was not');
      }
    } finally {
      connection.close();
    }
  };
  for (let from = 0; from < count; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, offset) => from + offset);
    await Promise.all(batch.map(playOne));
  }
  return report;
}

/** The handshake with this number. The same seed gives the same handshake. */
function handshakeAt(seed: number, index: number, pools: Pools): Case {
  const random = SeededRandom.of(seed, `handshake ${index}`);
  const method = random.pick(['initialize', 'reconnect']);
  const value = new SchemaValues(commands, pools, random).value(byMethod.get(method) ?? {});
  // Its parts may belong to the pools, which must not be mutated.
  const made = structuredClone(value);
  const message = { jsonrpc: '2.0', id: FIRST_ID + index, method, params: made };
  if (random.chance(MUTATED)) mutate(typeof made === 'object' && made !== null ? made : message, random);
  else if (random.chance(0.05)) message.params = hostileValue(random);
  return { index, kind: 'request', method, id: message.id, frame: toFrame(message) };
}

/** A host ignores unknown versions of any type [CONN-1], while the schema requires strings. */
function isFutureOffer({ frame }: Case): boolean {
  const offered: unknown = JSON.parse(frame).params?.protocolVersions;
  return Array.isArray(offered) && offered.some((version) => typeof version !== 'string');
}

const poolsOf = (channels: readonly string[]): Pools => ({
  channel: [ROOT],
  clientId: CLIENTS,
  'x-epoch': ['e1', 'e2', ''],
  protocolVersions: [['1.0.0'], ['0.5.2'], ['0.5.0', '0.5.1'], ['0.5.2', 'x'], ['9.9.9'], []],
  initialSubscriptions: [channels, [...channels, ...channels], [ROOT], []],
  subscriptions: [channels, [...channels, 'ahp-chat:/none'], [ROOT], []],
  lastSeenServerSeq: [0, 1, 50, 2 ** 40],
  locale: ['de', 'en-GB', 'xx'.repeat(50)],
});
