import { pathToFileURL } from 'node:url';
import type { AgentProvider, ProviderStart } from '@agenthost/host/agent';
import type { AgentInfo } from '@agenthost/protocol';
import { isObject, objectOf } from '../acp/json.ts';

/** A package that exports the wrong thing. The message completes the sentence "The package … ". */
export class WrongExport extends Error {
  override readonly name = 'WrongExport';
}

/**
 * Imports a module and creates its provider. The module runs in this process. Rejects with what the module throws, and with `WrongExport`
 * when it does not fit `ProviderPackage`.
 * @param entry Absolute path of the module.
 */
export async function loadPackage(entry: string, start: ProviderStart): Promise<AgentProvider> {
  const module: unknown = await import(pathToFileURL(entry).href);
  const create = isObject(module) ? module['createProvider'] : undefined;
  if (typeof create !== 'function')
    throw new WrongExport(`must export a function createProvider; it exports ${exportsOf(module)}`);
  const provider: unknown = await create(start);
  if (!isProvider(provider)) {
    const lacking = METHODS.filter((name) => typeof objectOf(provider)[name] !== 'function');
    throw new WrongExport(
      isObject(provider)
        ? `must create an AgentProvider; this one lacks ${lacking.join(', ') || 'an id'}`
        : `must create an AgentProvider; createProvider returned ${provider === null ? 'null' : typeof provider}`,
    );
  }
  if (provider.id !== start.id) {
    throw new WrongExport(
      `must create a provider with the id of its entry, ${start.id}; this one has ${JSON.stringify(provider.id).slice(0, 80)}`,
    );
  }
  return provider;
}

/** The methods that every provider has. */
const METHODS = ['describe', 'availability', 'openSession', 'dispose'] as const;

/** Whether a value has the required members of a provider. Their results are checked when they are called. */
function isProvider(value: unknown): value is AgentProvider {
  // A provider may be an instance of a class, whose methods its prototype has.
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    METHODS.every((name) => typeof value[name] === 'function')
  );
}

function exportsOf(module: unknown): string {
  const names = Object.keys(objectOf(module));
  return names.length === 0 ? 'nothing' : names.slice(0, 10).join(', ');
}

/**
 * The description that a provider returned, if it is one that clients can read. Throws `WrongExport` otherwise.
 * @param id Id of the provider.
 */
export function checkInfo(info: unknown, id: string): AgentInfo {
  const fault = faultOf(info, id);
  if (!hasPassed(fault, info)) throw new WrongExport(`describes itself wrongly: ${fault}`);
  return info;
}

/** Narrows a description without a fault. */
const hasPassed = (fault: string | undefined, _info: unknown): _info is AgentInfo => fault === undefined;

function faultOf(info: unknown, id: string): string | undefined {
  if (!isObject(info)) return 'describe() must return an object';
  if (info['provider'] !== id) return `provider must be ${JSON.stringify(id)}`;
  for (const name of ['displayName', 'description'])
    if (typeof info[name] !== 'string') return `${name} must be a string`;
  const { models, protectedResources = [], customizations = [], capabilities = {} } = info;
  if (!Array.isArray(models)) return 'models must be a list';
  const isModel = (model: unknown): boolean =>
    isObject(model) && ['id', 'provider', 'name'].every((name) => typeof model[name] === 'string');
  if (!models.every(isModel)) return 'each model must have the texts id, provider and name';
  if (!Array.isArray(protectedResources)) return 'protectedResources must be a list';
  if (!protectedResources.every((each) => isObject(each) && typeof each['resource'] === 'string'))
    return 'each of the protectedResources must have a text resource';
  if (!Array.isArray(customizations)) return 'customizations must be a list';
  return isObject(capabilities) ? undefined : 'capabilities must be an object';
}
