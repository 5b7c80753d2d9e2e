import { type AgentHealth, type AgentInfo, cutText } from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { AgentAvailability, AgentProvider } from '../../agents/provider.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';

/** Age up to which an answer is reused. */
const FRESH_MS = 5_000;
/** Time limit for one agent. A provider that runs `--version` has a shorter one of its own. */
const CHECK_MS = 8_000;
/** Longest problem, in UTF-16 code units. It may contain output of an agent. */
const MAX_PROBLEM = 1_000;

/** The answers to `x-listAgents`: one check of all agents at a time, whose result is used for a few seconds. */
export class AgentHealthList {
  readonly #agents: AgentRegistry;
  readonly #others: readonly AgentProvider[];
  readonly #clock: Clock;
  readonly #timers: Timers;
  #known: { readonly items: Promise<AgentHealth[]>; readonly at: number } | undefined;
  /** The check that runs. */
  #checking: Promise<AgentHealth[]> | undefined;

  /** `others`: known agents that the host does not offer. */
  constructor(parts: {
    readonly agents: AgentRegistry;
    readonly others: readonly AgentProvider[];
    readonly clock: Clock;
    readonly timers: Timers;
  }) {
    this.#agents = parts.agents;
    this.#others = parts.others;
    this.#clock = parts.clock;
    this.#timers = parts.timers;
  }

  /** `isNew`: checks again, unless a check is running. */
  list(isNew: boolean): Promise<AgentHealth[]> {
    const now = steadyNow(this.#clock);
    const isFresh = this.#known !== undefined && !isNew && now - this.#known.at < FRESH_MS;
    if (this.#known !== undefined && (isFresh || this.#checking === this.#known.items))
      return this.#known.items;
    const items = this.#check().finally(() => {
      if (this.#checking === items) this.#checking = undefined;
    });
    this.#checking = items;
    this.#known = { items, at: now };
    return items;
  }

  async #check(): Promise<AgentHealth[]> {
    const { defaultId } = this.#agents;
    const infos = new Map(this.#agents.describe().map((info) => [info.provider, info]));
    const offered = this.#agents.providers.map(async (provider) =>
      healthOf(infos.get(provider.id) ?? provider.describe(), await this.#look(provider), {
        isDefault: provider.id === defaultId,
      }),
    );
    const others = this.#others
      .filter(({ id }) => !infos.has(id))
      .map(async (provider) =>
        healthOf(provider.describe(), unoffered(await this.#look(provider)), { isDefault: false }),
      );
    return Promise.all([...offered, ...others]);
  }

  /** The next answer comes from a new check. */
  forget(): void {
    this.#known = undefined;
  }

  /** Never rejects, and settles within the time limit. */
  async #look(provider: AgentProvider): Promise<AgentAvailability> {
    const late = Promise.withResolvers<AgentAvailability>();
    const cancel = this.#timers.after(CHECK_MS, () =>
      late.resolve({ available: true, failure: `It could not be checked within ${CHECK_MS / 1_000} s` }),
    );
    try {
      return await Promise.race([provider.availability(), late.promise]);
    } catch (error) {
      return { available: true, failure: errorText(error) };
    } finally {
      cancel();
    }
  }
}

/** An agent that the host did not offer at its start cannot be used, even if it is installed now. */
const unoffered = (found: AgentAvailability): AgentAvailability =>
  found.available
    ? { ...found, available: false, reason: 'It was added after the start of the host: restart the host' }
    : found;

function healthOf(
  { provider, displayName, description, models }: AgentInfo,
  found: AgentAvailability,
  { isDefault }: { readonly isDefault: boolean },
): AgentHealth {
  const { available, failure, reason, version, install, signIn, key, package: name } = found;
  const state = !available ? 'missing' : failure === undefined ? 'ready' : 'failed';
  const problem = available ? failure : (reason ?? 'It is not available');
  return {
    provider,
    displayName,
    state,
    isDefault,
    isBuiltIn: found.isBuiltIn === true,
    ...defined({
      description: description === '' ? undefined : description,
      version,
      problem: problem === undefined ? undefined : cutText(problem, MAX_PROBLEM),
      installCommand: install,
      signInCommand: signIn,
      models: models.length === 0 ? undefined : models.length,
      package: name,
      key,
    }),
  };
}
