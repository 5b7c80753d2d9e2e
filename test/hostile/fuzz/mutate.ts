import type { SeededRandom } from '@agenthost/testkit';
import { hostileString, hostileValue } from './hostile-values.ts';

interface Place {
  readonly holder: object;
  readonly key: string;
}

/** Changes a message in place at one to three positions: other types and values, missing keys, unknown keys. */
export function mutate(message: object, random: SeededRandom): void {
  const times = random.between(1, 3);
  for (let time = 0; time < times; time += 1) {
    const places = placesIn(message);
    if (places.length === 0) return;
    const { holder, key } = random.pick(places);
    switch (random.int(4)) {
      case 0:
        Reflect.deleteProperty(holder, key);
        break;
      case 1:
        define(
          holder,
          random.pick(['__proto__', 'constructor', 'toJSON', hostileString(random)]),
          hostileValue(random),
        );
        break;
      default:
        define(holder, key, hostileValue(random));
    }
  }
}

function define(holder: object, key: string, value: unknown): void {
  if (Array.isArray(holder) && !/^\d+$/.test(key)) return;
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
