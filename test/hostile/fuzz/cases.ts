import { SeededRandom } from '@agenthost/testkit';
import { hostileString, hostileValue, toFrame } from './hostile-values.ts';
import { mutate } from './mutate.ts';
import { actionSchemas, requestSchemas, schemaFile } from './schema-file.ts';
import { type Pools, SchemaValues } from './schema-values.ts';

/** One message to the host, the same for the same seed and number in the same world. */
export interface Case {
  readonly index: number;
  readonly kind: 'request' | 'notification' | 'dispatch' | 'oddity';
  /** As sent. */
  readonly frame: string;
  readonly method: string;
  /** Requests alone have one. */
  readonly id?: number;
}

const commands = schemaFile('commands');
const actions = schemaFile('actions');
const byMethod = requestSchemas(commands);
const byType = actionSchemas(actions);
const methods = [...byMethod.keys()];
const types = [...byType.keys()];

/** Where ids and `clientSeq`s of cases begin. */
const FIRST_ID = 1_000;

/** Mutated of those that begin as valid ones. */
const MUTATED = 0.4;

/** The case with this number. */
export function caseAt(seed: number, index: number, pools: Pools): Case {
  const random = SeededRandom.of(seed, `case ${index}`);
  const id = FIRST_ID + index;
  switch (random.weighted({ request: 45, dispatch: 45, notification: 4, oddity: 6 })) {
    case 'request': {
      const method = random.pick(methods);
      const message = { jsonrpc: '2.0', id, method, params: paramsOf(method, pools, random) };
      if (random.chance(MUTATED)) mutate(message.params, random);
      return { index, kind: 'request', method, id, frame: toFrame(message) };
    }
    case 'notification': {
      // A request without an id asks for nothing, and does nothing.
      const method = random.chance(0.5) ? 'unsubscribe' : random.pick(methods);
      const params =
        method === 'unsubscribe' ? { channel: hostileString(random) } : paramsOf(method, pools, random);
      return { index, kind: 'notification', method, frame: toFrame({ jsonrpc: '2.0', method, params }) };
    }
    case 'dispatch': {
      const type = random.pick(types);
      const action = new SchemaValues(actions, pools, random).value(byType.get(type) ?? {}, '');
      const channel = random.chance(0.85) ? random.pick(channelsFor(type, pools)) : hostileString(random);
      const params = { channel, clientSeq: id, action };
      if (random.chance(MUTATED)) mutate(params, random);
      return {
        index,
        kind: 'dispatch',
        method: type,
        frame: toFrame({ jsonrpc: '2.0', method: 'dispatchAction', params }),
      };
    }
    default:
      return { index, kind: 'oddity', method: '', frame: oddity(random, id) };
  }
}

function paramsOf(method: string, pools: Pools, random: SeededRandom): object {
  const own = pools[`${method}.channel`];
  const values = new SchemaValues(commands, own === undefined ? pools : { ...pools, channel: own }, random);
  const params = values.value(byMethod.get(method) ?? {});
  return typeof params === 'object' && params !== null ? params : {};
}

/** Channels of the kind that an action belongs to, and at times any. */
function channelsFor(type: string, pools: Pools): string[] {
  const [family = ''] = type.split('/');
  const all = (pools['channel'] ?? []).map(String);
  const fitting =
    family === 'annotations'
      ? all.filter((uri) => uri.endsWith(family))
      : all.filter((uri) => uri.startsWith(`ahp-${family}:`));
  return fitting.length === 0 ? all : fitting;
}

/** What is no call as the protocol knows them. */
function oddity(random: SeededRandom, id: number): string {
  switch (random.int(6)) {
    case 0:
      return toFrame({ jsonrpc: '2.0', id: hostileValue(random), method: hostileString(random), params: {} });
    case 1:
      return toFrame({ jsonrpc: '2.0', id, method: hostileString(random), params: hostileValue(random) });
    case 2:
      return toFrame({ jsonrpc: '2.0', id: random.chance(0.5) ? id : null, result: hostileValue(random) });
    case 3:
      return toFrame({ jsonrpc: '2.0', id, error: hostileValue(random) });
    case 4:
      return toFrame([
        { jsonrpc: '2.0', id, method: 'ping', params: { channel: 'ahp-root://' } },
        hostileValue(random),
      ]);
    default: {
      const whole = `{"jsonrpc":"2.0","id":${id},"method":"ping","method":"ping","params":{"channel":"ahp-root://","channel":"${id}"}}`;
      return random.chance(0.5) ? whole.slice(0, random.int(whole.length)) : whole;
    }
  }
}
