import { isAbsolute } from 'node:path';
import { AgentConfigError, checkAgentId, isPackageEntry, wrongValue } from '../acp/config/config.ts';
import { isObject } from '../acp/json.ts';

/** An entry of the config file whose agent is a package. Naming a package is the decision to trust its code. */
export interface PackageEntry {
  readonly id: string;
  /** Name of an npm package, or the absolute path of a folder with a `package.json`. */
  readonly package: string;
  /** Passed to the package as it is. Default: empty. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Shown to people. Default: what the package says. */
  readonly displayName?: string;
  /** `false` hides the agent, and its package is not loaded. Default true. */
  readonly enabled?: boolean;
}

/** A package name of npm, with or without a scope. */
const NAME_PATTERN = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

interface Check {
  readonly expected: string;
  holds(value: unknown): boolean;
}

const CHECKS: Readonly<Record<string, Check>> = {
  package: {
    expected: 'the name of an npm package, or the absolute path of a folder',
    holds: (value) => typeof value === 'string' && (isAbsolute(value) || NAME_PATTERN.test(value)),
  },
  settings: { expected: 'an object', holds: isObject },
  displayName: { expected: 'a non-empty string', holds: isText },
  enabled: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
} satisfies Record<keyof Omit<PackageEntry, 'id'>, Check>;

/**
 * Reads the entries of the `agents` member of a parsed config file that name a package. Absent: none. Throws `AgentConfigError`.
 * @param file Path of the file, for messages.
 */
export function readPackageEntries(config: unknown, file: string): PackageEntry[] {
  const agents = isObject(config) ? config['agents'] : undefined;
  if (!isObject(agents)) return [];
  return Object.entries(agents)
    .filter(([, value]) => isPackageEntry(value))
    .map(([id, value]) => readEntry(id, value, file));
}

function readEntry(id: string, value: unknown, file: string): PackageEntry {
  const key = `agents.${id}`;
  checkAgentId(id, file);
  if (id === 'demo') {
    throw new AgentConfigError(`${file}: ${key}: demo is the id of the built-in agent; choose another one`);
  }
  if (!isObject(value)) throw wrongValue(file, key, 'an object', value);
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
    if (check === undefined) {
      throw new AgentConfigError(
        `${file}: ${key}.${name}: unknown beside package; expected one of ${Object.keys(CHECKS).join(', ')}`,
      );
    }
    if (!check.holds(member)) throw wrongValue(file, `${key}.${name}`, check.expected, member);
  }
  if (!hasPassed(value)) throw wrongValue(file, `${key}.package`, 'a package', undefined);
  return { ...value, id };
}

/** Whether an entry whose members have passed their checks names a package, which the others may lack. */
const hasPassed = (value: object): value is Omit<PackageEntry, 'id'> => 'package' in value;
