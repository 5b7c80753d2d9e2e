import { SeededRandom } from '@agenthost/testkit';
import { hostileString, hostileValue, toFrame } from './hostile-values.ts';
import { mutate } from './mutate.ts';
import { actionSchemas, requestSchemas, schemaFile } from './schema-file.ts';
import { type Pools, SchemaValues } from './schema-values.ts';

/** One message to the host. The same seed, number and world give the same message. */
export interface Case {
  readonly index: number;
  readonly kind: 'request' | 'notification' | 'dispatch' | 'oddity';
  /** The frame as sent. */
  readonly frame: string;
  readonly method: string;
  /** Only requests have an id. */
  readonly id?: number;
}

const commands = schemaFile('commands');
const actions = schemaFile('actions');
const byMethod = requestSchemas(commands);
const byType = actionSchemas(actions);
const methods = [...byMethod.keys()];
const types = [...byType.keys()];

/** Ids and `clientSeq`s of cases begin here. */
const FIRST_ID = 1_000;

/** Share of valid messages that are then mutated. */
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
      // A request without an id is a notification, which the host ignores.
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

/** Channels of the kind that an action belongs to, and sometimes all channels. */
function channelsFor(type: string, pools: Pools): string[] {
  const [family = ''] = type.split('/');
  const all = (pools['channel'] ?? []).map(String);
  const fitting =
    family === 'annotations'
      ? all.filter((uri) => uri.endsWith(family))
      : all.filter((uri) => uri.startsWith(`ahp-${family}:`));
  return fitting.length === 0 ? all : fitting;
}

/** A message outside the protocol. */
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
