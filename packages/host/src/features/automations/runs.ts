import {
  type AutomationDefinition,
  type AutomationEntry,
  type AutomationRunLifecycle,
  type AutomationRunOrigin,
  type AutomationRunState,
  type AutomationRunSummary,
  type ChatAction,
  channelUri,
  type ErrorInfo,
  isRunOver,
  type UsageInfo,
} from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import type { Caller } from '../../handler-port/channel-module.ts';
import type { Ids } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import { modelProblem } from '../../sessions/model-rule.ts';
import type { HeldPlugins, TemplatePlugins } from '../../sessions/template-plugins.ts';
import type { Channel } from '../../sync/channel.ts';
import { newSessionUri } from '../../sync/new-chat.ts';
import type { Sync } from '../../sync/sync.ts';
import { startedNow, turnDuration } from '../../sync/turn-time.ts';
import type { Tx } from '../../sync/tx.ts';
import { pinChats } from '../../turns/contents/attached-chats.ts';
import type { AttachmentStore } from '../../turns/contents/attachment-store.ts';
import type { Drain } from '../../turns/drain.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { AutomationCatalogue, Saver } from './catalogue.ts';

/** Maximum number of runs of one automation that are not over. Later ones fail at once. */
const MAX_OPEN = 5;

type Run = Channel<'automationRun'>;

/** Creates a session for a run, as the session feature does. */
type CreateOwn = (
  params: {
    channel: string;
    provider?: string;
    workingDirectories?: string[];
    config?: Record<string, unknown>;
  },
  caller: Caller,
  own: {
    readonly title: string;
    readonly origin: { kind: 'automation'; automation: string; run: string };
    isWanted(): boolean;
    created(tx: Tx, chat: Channel<'chat'>): void;
  },
) => Promise<void>;

export interface RunParts {
  readonly sync: Sync;
  readonly ids: Ids;
  readonly log: Log;
  readonly catalogue: AutomationCatalogue;
  readonly attachments: AttachmentStore;
  readonly turns: Pick<TurnSupervisor, 'stop'>;
  readonly listing: SessionListing;
  readonly drain: Drain;
  readonly createOwn: CreateOwn;
  readonly runHistoryLimit: number;
  /** Absent: templates name no plugins. */
  readonly plugins: TemplatePlugins | undefined;
}

/** The runs of all automations: one session and one turn for each [RUN-1] to [RUN-4]. */
export class AutomationRuns {
  readonly #parts: RunParts;
  /** Running runs by chat. */
  readonly #byChat = new Map<string, Run>();
  /** Runs that wait for the end of a drain, and how to unpin their channels. */
  readonly #held = new Map<Run, () => void>();
  /** Runs whose session is being created. */
  #startingCount = 0;
  #isStopped = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Ends each run when its turn ends, and takes removed sessions out of their runs. */
  observe(): void {
    const { sync, listing, drain } = this.#parts;
    drain.add({ count: () => this.#startingCount, resume: () => this.#resume() });
    sync.observe('chat', (tx, { channel, action, before, after }) => {
      const run = this.#byChat.get(channel.uri);
      const id = run?.hostData.turn?.id;
      if (run === undefined || before.activeTurn?.id !== id || after.activeTurn?.id === id) return;
      this.#end(tx, run, endOf(action, before.activeTurn?.usage));
    });
    listing.onChange((tx, session, by) => {
      if (by === -1) this.#dropSession(tx, session);
    });
  }

  /** Ends the runs of an earlier host visibly [CONN-22]. Those that its drain has held wait for `Drain.resume`. */
  async recover(): Promise<void> {
    const { sync, catalogue } = this.#parts;
    for (const { runs } of [...catalogue.records])
      for (const summary of runs.filter((each) => !isRunOver(each))) {
        const run = await sync.registry.openOf('automationRun', summary.resource);
        if (run?.hostData.isHeld === true) {
          this.#hold(run);
          continue;
        }
        const error = {
          errorType: 'hostRestarted',
          message: 'The host was restarted before the run had ended',
        };
        sync.transact('host', (tx) => {
          if (run !== undefined) return this.#end(tx, run, { status: 'failed', error });
          // The channel is lost with a damaged database.
          const lifecycle = ended(summary, { status: 'failed', error }, startedNow(sync));
          return this.#replace(tx, { ...summary, lifecycle });
        });
      }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Admits a run: it is durable before anything else happens for it [AUTO-15]. Publishes the automation, `entry` with its changes. Returns
   * the URI of the run, which is `uri` if given.
   */
  admit(
    tx: Tx,
    entry: AutomationEntry,
    origin: AutomationRunOrigin,
    uri = channelUri('automationRun', this.#parts.ids.next()),
  ): string {
    const { sync, catalogue, drain } = this.#parts;
    const record = catalogue.record(entry.resource);
    if (record === undefined) throw new Error(`no record of ${entry.resource}`);
    const createdAt = startedNow(sync);
    const isFull = record.runs.filter((run) => !isRunOver(run)).length >= MAX_OPEN;
    const lifecycle: AutomationRunLifecycle = isFull
      ? { status: 'failed', createdAt, completedAt: createdAt, error: tooMany }
      : { status: 'pending', createdAt };
    const state: AutomationRunState = {
      resource: uri,
      automation: entry.resource,
      origin,
      lifecycle,
      sessions: [],
    };
    const run = sync.registry.create(
      tx,
      { uri, kind: 'automationRun', state, hostData: !isFull && drain.isOn ? { isHeld: true } : {} },
      sync.emittedSeq,
    );
    catalogue.setRecord(tx, { ...record, runs: this.#kept(tx, [summaryOf(state), ...record.runs]) });
    catalogue.publish(tx, entry);
    if (isFull) return uri;
    if (run.hostData.isHeld === true) tx.effect(() => this.#hold(run));
    else this.#startBehind(tx, run, { definition: entry.definition, by: record.by });
    return uri;
  }

  #hold(run: Run): void {
    const { drain } = this.#parts;
    this.#held.set(run, run.pin());
    // The drain may have ended before the commit.
    if (!drain.isOn && drain.hasResumed) this.#resume();
  }

  /** Starts the runs that a drain has held, with the automations as they are now. */
  #resume(): void {
    const { sync, catalogue } = this.#parts;
    for (const [run, unpin] of this.#held) {
      this.#held.delete(run);
      sync.transact('host', (tx) => {
        if (isRunOver(run.state)) return unpin();
        const { isHeld: _, ...hostData } = run.hostData;
        tx.setHostData(run, hostData);
        const entry = catalogue.entry(run.state.automation);
        const record = catalogue.record(run.state.automation);
        if (entry === undefined || record === undefined) this.#end(tx, run, { status: 'cancelled' });
        else this.#startBehind(tx, run, { definition: entry.definition, by: record.by });
        tx.effect(unpin);
        return undefined;
      });
    }
  }

  /** Starts a run behind the commit. */
  #startBehind(tx: Tx, run: Run, { definition, by }: { definition: AutomationDefinition; by: Saver }): void {
    const { plugins } = this.#parts;
    tx.effect(() => {
      const unpin = run.pin();
      const held = plugins?.hold(run.state.automation);
      this.#startingCount += 1;
      void this.#start(run, { definition, held }, { ...by, sink: NO_SINK }).finally(() => {
        this.#startingCount -= 1;
        held?.release();
        // A running turn ends in the observer, which has the channel.
        unpin();
      });
    });
  }

  /** Cancels a run that is not over [RUN-3]. */
  cancel(tx: Tx, run: Run): void {
    const { sync, turns } = this.#parts;
    const { turn } = run.hostData;
    const chat = turn && sync.registry.getOf('chat', turn.chat);
    if (turn !== undefined && chat?.state.activeTurn?.id === turn.id) {
      tx.emit(chat, { type: 'chat/turnCancelled', turnId: turn.id, duration: turnDuration(sync, chat) });
      tx.effect(() => turns.stop(chat.uri, turn.id));
    }
    if (!isRunOver(run.state)) this.#end(tx, run, { status: 'cancelled' });
  }

  async #start(
    run: Run,
    { definition, held }: { definition: AutomationDefinition; held: HeldPlugins | undefined },
    caller: Caller,
  ): Promise<void> {
    const { sync, ids, log, createOwn } = this.#parts;
    const { automation, resource } = run.state;
    const { provider, model, agent, workingDirectories, config } = definition.session;
    const session = newSessionUri(ids);
    try {
      const own = { ...defined({ model, agent }), ...withChat(definition.message, run.state.origin) };
      const name = provider ?? sync.root.state.config?.values['defaultAgent'];
      const problem = modelProblem(
        own,
        sync.root.state.agents.find((each) => each.provider === name),
      );
      if (problem !== undefined) throw new Error(problem);
      const pinned = await pinChats(sync, own);
      if ('unknown' in pinned) throw new Error(`There is no chat ${pinned.unknown} to attach`);
      await createOwn({ channel: session, ...defined({ provider, workingDirectories, config }) }, caller, {
        title: definition.title,
        origin: { kind: 'automation', automation, run: resource },
        isWanted: () => run.state.lifecycle.status === 'pending',
        created: (tx, chat) => this.#began(tx, run, { session, chat, held }, pinned.message),
      });
    } catch (error) {
      if (this.#isStopped) return;
      log.warn({ run: resource, problem: errorText(error) }, 'a run of an automation could not start');
      const failure = { errorType: 'cannotStart', message: errorText(error) };
      sync.transact('host', (tx) => {
        if (!isRunOver(run.state)) this.#end(tx, run, { status: 'failed', error: failure });
      });
    }
  }

  /** The session and its first message become durable in one transaction [AUTO-15]. */
  #began(
    tx: Tx,
    run: Run,
    { session, chat, held }: { session: string; chat: Channel<'chat'>; held: HeldPlugins | undefined },
    message: AutomationDefinition['message'],
  ): void {
    const { sync, ids, attachments } = this.#parts;
    const { createdAt } = run.state.lifecycle;
    const startedAt = startedNow(sync);
    const id = ids.next();
    const own = sync.registry.getOf('session', session);
    if (own !== undefined) held?.attach(tx, own);
    tx.emit(run, { type: 'automationRun/sessionSet', session });
    tx.emit(run, { type: 'automationRun/primarySessionChanged', primarySession: session });
    tx.emit(run, {
      type: 'automationRun/lifecycleChanged',
      lifecycle: { status: 'running', createdAt, startedAt },
    });
    tx.setHostData(run, { ...run.hostData, turn: { chat: chat.uri, id } });
    const unpin = run.pin();
    this.#byChat.set(chat.uri, run);
    tx.undo(() => {
      unpin();
      this.#byChat.delete(chat.uri);
    });
    this.#changed(tx, run.state);
    const stored = attachments.storeForTurn(tx, { session, chat: chat.uri }, message, id);
    tx.emit(chat, { type: 'chat/turnStarted', turnId: id, startedAt, message: stored });
  }

  #end(tx: Tx, run: Run, end: RunEnd): void {
    const lifecycle = ended(run.state, end, startedNow(this.#parts.sync));
    tx.emit(run, { type: 'automationRun/lifecycleChanged', lifecycle });
    const { turn } = run.hostData;
    if (turn !== undefined && this.#byChat.get(turn.chat) === run) {
      this.#byChat.delete(turn.chat);
      tx.undo(() => this.#byChat.set(turn.chat, run));
    }
    this.#changed(tx, run.state);
  }

  #dropSession(tx: Tx, session: string): void {
    const { sync, catalogue } = this.#parts;
    for (const { runs } of [...catalogue.records])
      for (const summary of runs) {
        if (summary.primarySession !== session) continue;
        const { resource } = summary;
        const action = { type: 'automationRun/sessionRemoved', session } as const;
        const run = sync.registry.getOf('automationRun', resource);
        if (run === undefined) tx.emitUnloaded<'automationRun'>(resource, action);
        else tx.emit(run, action);
        const { primarySession: _, ...others } = summary;
        this.#replace(tx, { ...others, sessionCount: summary.sessionCount - 1 });
      }
  }

  #changed(tx: Tx, state: AutomationRunState): void {
    this.#replace(tx, summaryOf(state));
  }

  /** Every change that a summary shows is an `automation/set` too [RUN-4]. */
  #replace(tx: Tx, summary: AutomationRunSummary): void {
    const { catalogue } = this.#parts;
    const record = catalogue.record(summary.automation);
    if (record === undefined) return;
    const runs = record.runs.map((run) => (run.resource === summary.resource ? summary : run));
    const entry = catalogue.entry(summary.automation);
    if (entry === undefined && runs.every(isRunOver)) {
      catalogue.dropRecord(tx, record.resource);
      return;
    }
    catalogue.setRecord(tx, { ...record, runs: this.#kept(tx, runs) });
    if (entry !== undefined) catalogue.publish(tx, entry);
  }

  /** Drops the oldest ended runs above the limit. */
  #kept(tx: Tx, runs: readonly AutomationRunSummary[]): AutomationRunSummary[] {
    const { sync, runHistoryLimit } = this.#parts;
    let ended = 0;
    return runs.filter((run) => {
      if (!isRunOver(run)) return true;
      ended += 1;
      if (ended <= runHistoryLimit) return true;
      const channel = sync.registry.get(run.resource);
      if (channel === undefined) sync.registry.disposeUnloaded(tx, run.resource);
      else sync.registry.dispose(tx, channel);
      return false;
    });
  }
}

/** The message of a run, with the chat that started it attached. */
function withChat(
  message: AutomationDefinition['message'],
  origin: AutomationRunOrigin,
): AutomationDefinition['message'] {
  const chat = origin.kind === 'trigger' ? origin.event?.['chat'] : undefined;
  if (typeof chat !== 'string') return message;
  const attachment = { type: 'chat', label: 'Chat', resource: chat } as const;
  return { ...message, attachments: [...(message.attachments ?? []), attachment] };
}

type RunEnd =
  | { readonly status: 'completed'; readonly usage?: UsageInfo }
  | { readonly status: 'failed'; readonly error: ErrorInfo }
  | { readonly status: 'cancelled' };

function ended(
  { lifecycle }: Pick<AutomationRunState, 'lifecycle'>,
  end: RunEnd,
  completedAt: string,
): AutomationRunLifecycle {
  const { createdAt } = lifecycle;
  const startedAt = 'startedAt' in lifecycle ? lifecycle.startedAt : undefined;
  return end.status === 'completed'
    ? { ...end, createdAt, startedAt: startedAt ?? createdAt, completedAt }
    : { ...end, createdAt, completedAt, ...defined({ startedAt }) };
}

function endOf(action: ChatAction, usage: UsageInfo | undefined): RunEnd {
  if (action.type === 'chat/turnComplete') return { status: 'completed', ...defined({ usage }) };
  return action.type === 'chat/error'
    ? { status: 'failed', error: action.part.error }
    : { status: 'cancelled' };
}

const summaryOf = ({ sessions, ...state }: AutomationRunState): AutomationRunSummary => ({
  ...state,
  sessionCount: sessions.length,
});

const tooMany: ErrorInfo = {
  errorType: 'tooManyRuns',
  message: `${MAX_OPEN} runs of this automation are not over yet`,
};

const nothing = (): void => undefined;
const NO_SINK = { envelope: nothing, frame: nothing, notification: nothing };
