import type { SeededRandom } from '@agenthost/testkit';
import { hostileNumber, hostileString, hostileValue } from './hostile-values.ts';
import { resolved, type Schema, type SchemaFile } from './schema-file.ts';

/** Meaningful values in this world, by the name of their property. */
export type Pools = Readonly<Record<string, readonly unknown[]>>;

/** Maximum depth of values of open types. */
const MAX_DEPTH = 6;

/** Share of properties that get a meaningful value, so that messages pass a handler's first checks. */
const SENSE = 0.75;

/** Makes values that fit a schema: most of them meaningful, the others as odd as the schema allows. */
export class SchemaValues {
  readonly #file: SchemaFile;
  readonly #pools: Pools;
  readonly #random: SeededRandom;

  constructor(file: SchemaFile, pools: Pools, random: SeededRandom) {
    this.#file = file;
    this.#pools = pools;
    this.#random = random;
  }

  value(given: Schema, name = '', depth = 0): unknown {
    const schema = resolved(this.#file, given);
    const random = this.#random;
    if ('const' in schema) return schema.const;
    const pool = this.#pools[name];
    if (pool !== undefined && random.chance(SENSE)) return pool[random.int(pool.length)];
    if (schema.enum !== undefined) return schema.enum[random.int(schema.enum.length)];
    if (schema.anyOf !== undefined) return this.value(random.pick(schema.anyOf), name, depth + 1);
    const types: readonly string[] = schema.type === undefined ? [] : [schema.type].flat();
    const type = types[random.int(types.length)];
    switch (type) {
      case 'string':
        return hostileString(random);
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
      case 'number':
        return this.#number(schema, type);
      case 'array':
        return depth > MAX_DEPTH
          ? []
          : Array.from({ length: random.int(3) }, () => this.value(schema.items ?? {}, name, depth + 1));
      case 'object':
        return this.#object(schema, depth);
      case 'null':
        return null;
      default:
        return depth > MAX_DEPTH ? 1 : hostileValue(random);
    }
  }

  #number({ minimum = -1e15, maximum = 1e15 }: Schema, type: string): unknown {
    const random = this.#random;
    switch (random.int(5)) {
      case 0:
        return minimum;
      case 1:
        return maximum;
      case 2: {
        if (type === 'integer') return Math.max(minimum, 0);
        const number = hostileNumber(random);
        return typeof number === 'number' && number >= minimum && number <= maximum ? number : minimum;
      }
      default:
        return Math.min(maximum, Math.max(minimum, random.int(100)));
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): object {
    const random = this.#random;
    const made: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(properties)) {
      const isWanted = required.includes(name) || (depth <= MAX_DEPTH && random.chance(0.4));
      if (isWanted) made[name] = this.value(schema, name, depth + 1);
    }
    if (typeof additionalProperties === 'object' && depth <= MAX_DEPTH && random.chance(0.5)) {
      // Defines an own property even for names such as `__proto__`.
      Object.defineProperty(made, hostileString(random), {
        value: this.value(additionalProperties, '', depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return made;
  }
}
