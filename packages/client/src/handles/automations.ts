import {
  AUTOMATIONS_URI,
  type AutomationCapabilities,
  type AutomationDefinition,
  type AutomationDefinitionPatch,
  type AutomationEntry,
  type AutomationSessionTemplate,
  type AutomationTriggerDefinition,
  type ChannelKind,
  type ClientAction,
  type ClientPluginCustomization,
  type ClientToHostRequests,
  type ListAutomationTriggerDefinitionsParams,
  type Message,
  ROOT_URI,
  type URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { randomId } from '../clock.ts';
import { ChannelLost, DispatchRejected } from '../errors.ts';
import type { SubscriptionOptions } from '../mirror/channel.ts';
import type { DispatchableAction, Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { AutomationRunHandle } from './automation-run-handle.ts';
import type { PluginFolder } from './plugin-files.ts';

type AutomationMethod = 'runAutomation' | 'fetchAutomationRuns' | 'listAutomationTriggerDefinitions';

/** The parts of a client that the handle of automations uses. */
export interface AutomationsPort {
  readonly host: { readonly automations?: AutomationCapabilities } | undefined;
  request<M extends AutomationMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  subscribe<K extends ChannelKind>(
    uri: URI,
    options: SubscriptionOptions & { readonly kind: K },
  ): Promise<Mirror<K>>;
  dispatch(uri: URI, action: ClientAction): Promise<DispatchOutcome>;
  readonly sessions: {
    servePlugin(plugin: PluginFolder): Promise<{ readonly entry: ClientPluginCustomization; end(): void }>;
  };
}

/** The message of runs: a text, or a message without its origin. */
type RunMessage = string | Omit<Message, 'origin'>;

/** A new automation. */
export interface NewAutomation
  extends Pick<AutomationDefinition, 'title' | '_meta' | 'disableConditions'>,
    Partial<Pick<AutomationDefinition, 'session' | 'enabled' | 'triggers'>> {
  readonly message: RunMessage;
  /** Plugins of its runs. The host copies their files while it saves the automation [AUTO-14]. Default: those of `session`. */
  readonly plugins?: readonly PluginFolder[];
}

/** Changes of an automation. Each given field replaces the one that is there; `disableConditions: []` removes all conditions [AUTO-8]. */
export interface AutomationChanges extends Omit<AutomationDefinitionPatch, 'message'> {
  readonly message?: RunMessage;
  /** Replaces all plugins of its runs, with new copies; `[]` removes them. Default: those of `session`, or no change. */
  readonly plugins?: readonly PluginFolder[];
}

/** The automations of a host, live: definitions with their last runs. The host alone starts their runs [AUTO-15]. Dispose the handle after use. */
export class Automations {
  readonly mirror: Mirror<'automation'>;
  readonly #client: AutomationsPort;

  private constructor(client: AutomationsPort, mirror: Mirror<'automation'>) {
    this.#client = client;
    this.mirror = mirror;
  }

  /** See `openAutomations`. */
  static async open(client: AutomationsPort): Promise<Automations> {
    return new Automations(client, await client.subscribe(AUTOMATIONS_URI, { kind: 'automation' }));
  }

  /** Abilities of the host, such as the least distance between two runs [AUTO-1]. */
  get capabilities(): AutomationCapabilities {
    return this.#client.host?.automations ?? {};
  }

  /** All automations, the oldest first. The same array until something changes. */
  get items(): readonly AutomationEntry[] {
    return this.mirror.state.entries;
  }

  /** An automation by its URI. */
  find(uri: URI): AutomationEntry | undefined {
    return this.items.find(({ resource }) => resource === uri);
  }

  /** Calls `listener` when an automation or one of its runs has changed. Returns a function that removes the listener. */
  onChange(listener: (items: readonly AutomationEntry[]) => void): () => void {
    return this.mirror.onChange(({ entries }) => listener(entries));
  }

  /**
   * Saves a new automation. Default: enabled, without triggers, for the host's default agent and folder. `uri` defaults to a random one. Rejects
   * with `DispatchRejected` when the host refuses the definition or cannot copy a plugin; its reason names the part.
   */
  define(
    { message, session = {}, enabled = true, triggers = [], plugins, ...rest }: NewAutomation,
    uri: URI = `ahp-automation:/${randomId()}`,
  ): Promise<AutomationEntry> {
    return this.#served(session, plugins, (template) => {
      const definition = { ...rest, message: messageOf(message), session: template, enabled, triggers };
      return this.#save(uri, { type: 'automation/createRequested', resource: uri, definition });
    });
  }

  /** Changes an automation. Rejects like `define`. */
  edit(uri: URI, { message, plugins, ...rest }: AutomationChanges): Promise<AutomationEntry> {
    const changes = message === undefined ? rest : { ...rest, message: messageOf(message) };
    const save = (given: AutomationDefinitionPatch): Promise<AutomationEntry> =>
      this.#save(uri, { type: 'automation/updateRequested', resource: uri, changes: given });
    if (plugins === undefined) return save(changes);
    const before = changes.session ?? this.find(uri)?.definition.session ?? {};
    return this.#served(before, plugins, (session) => save({ ...changes, session }));
  }

  /** Lets triggers start runs, or stops them [AUTO-9]. Rejects like `define`. */
  setEnabled(uri: URI, isEnabled: boolean): Promise<AutomationEntry> {
    return this.edit(uri, { enabled: isEnabled });
  }

  /** Removes an automation. Its runs go on, and their sessions stay. */
  remove(uri: URI): Promise<DispatchOutcome> {
    return this.mirror.dispatch({ type: 'automation/removed', resource: uri });
  }

  /**
   * Starts a run now, also of a disabled automation, and resolves with its URI. A second call with the same `requestId` gives the same run
   * [AUTO-10], so that a call without an answer can be repeated. Rejects with `RpcError` -32008 for an unknown automation.
   */
  async run(uri: URI, { requestId = randomId() }: { readonly requestId?: string } = {}): Promise<URI> {
    const params = { channel: AUTOMATIONS_URI, automation: uri, requestId } as const;
    return (await this.#client.request('runAutomation', params)).resource;
  }

  /** Opens a run. Rejects like `subscribe`: with `RpcError` -32008 for a run that the host has dropped. */
  async openRun(run: URI): Promise<AutomationRunHandle> {
    return new AutomationRunHandle(await this.#client.subscribe(run, { kind: 'automationRun' }));
  }

  /** Cancels a run that need not be open; see `AutomationRunHandle.cancel`. */
  cancel(run: URI): Promise<DispatchOutcome> {
    return this.#client.dispatch(run, { type: 'automationRun/cancelRequested' });
  }

  /** Loads older runs into the entry of an automation [AUTO-11]. Resolves with false when there are none. */
  async fetchOlderRuns(uri: URI): Promise<boolean> {
    const cursor = this.find(uri)?.runsNextCursor;
    if (cursor === undefined) return false;
    await this.#client.request('fetchAutomationRuns', { channel: AUTOMATIONS_URI, automation: uri, cursor });
    return true;
  }

  /** Lists the types of events that can start runs of such sessions [AUTO-7]. */
  async eventTypes(
    session: Omit<ListAutomationTriggerDefinitionsParams, 'channel'> = {},
  ): Promise<AutomationTriggerDefinition[]> {
    const params = { channel: ROOT_URI, ...defined(session) } as const;
    return (await this.#client.request('listAutomationTriggerDefinitions', params)).items;
  }

  /** Stops the updates. Calling it again does nothing. */
  dispose(): void {
    this.mirror.dispose();
  }

  /** Serves plugins while a template that names them is saved. */
  async #served(
    template: AutomationSessionTemplate,
    plugins: readonly PluginFolder[] | undefined,
    save: (template: AutomationSessionTemplate) => Promise<AutomationEntry>,
  ): Promise<AutomationEntry> {
    if (plugins === undefined) return save(template);
    const { customizations: _, ...others } = template;
    if (plugins.length === 0) return save(others);
    if (this.capabilities.customizations === undefined)
      throw new DispatchRejected({
        code: 'pluginsNotTaken',
        reason: 'This host takes no plugins for automations',
      });
    const served = await Promise.all(plugins.map((plugin) => this.#client.sessions.servePlugin(plugin)));
    try {
      return await save({ ...others, customizations: served.map(({ entry }) => entry) });
    } finally {
      for (const { end } of served) end();
    }
  }

  /** The host tells the saved entry by an action of its own, right after the accepted one. */
  async #save(uri: URI, action: DispatchableAction<'automation'>): Promise<AutomationEntry> {
    const { mirror } = this;
    const answer = await mirror.dispatch(action);
    if (answer.outcome === 'rejected') throw new DispatchRejected(answer);
    if (answer.outcome === 'dropped') throw new DispatchRejected({ code: 'dropped', reason: answer.reason });
    if (answer.outcome === 'ignored') throw new ChannelLost(mirror.uri);
    const { serverSeq } = answer.envelope;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (mirror.reflectedSeq <= serverSeq && !mirror.isLost) return;
        stop();
        resolve();
      };
      const stop = mirror.onChange(look);
      look();
    });
    const entry = this.find(uri);
    // Another client may have removed it meanwhile.
    if (entry === undefined) throw new ChannelLost(uri);
    return entry;
  }
}

const messageOf = (message: RunMessage): Message => ({
  ...(typeof message === 'string' ? { text: message } : message),
  origin: { kind: 'automation' },
});
