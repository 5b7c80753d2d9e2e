import {
  type AutomationAction,
  type AutomationDefinition,
  type AutomationEntry,
  type AutomationNotes,
  automationNotes,
  type DisabledBecause,
  WireError,
} from '@agenthost/protocol';
import { defined, errorText } from '@agenthost/protocol/values';
import {
  type Caller,
  type ChannelModule,
  type Plan,
  type Planned,
  type Rejection,
  reject,
} from '../../handler-port/channel-module.ts';
import type { Clock } from '../../lib/clock.ts';
import { modelProblem } from '../../sessions/model-rule.ts';
import { newConfig, resolveDirectories } from '../../sessions/new-session.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import type { PreparedPlugins, TemplatePlugins } from '../../sessions/template-plugins.ts';
import { startedNow } from '../../sync/turn-time.ts';
import type { AutomationCatalogue, Saver } from './catalogue.ts';
import { checkDefinition } from './definition-rules.ts';
import { metCondition, runCountAfter } from './disabling.ts';
import { labelled } from './events.ts';

/** Maximum number of automations. All are part of the state that each client gets. */
const MAX_AUTOMATIONS = 200;

export interface ModuleParts extends SessionParts {
  readonly clock: Clock;
  readonly catalogue: AutomationCatalogue;
  readonly minIntervalMinutes: number;
  /** Absent: templates name no plugins. */
  readonly plugins: TemplatePlugins | undefined;
  /** Sets the timer anew. */
  arm(): void;
}

type Saving = Extract<
  AutomationAction,
  { type: 'automation/createRequested' | 'automation/updateRequested' }
>;

/** Plans the actions of clients on the automations [AUTO-8]. */
export function automationModule(parts: ModuleParts): ChannelModule<'automation'> {
  const { catalogue } = parts;
  return {
    plan: (_channel, action, caller) => {
      if (action.type === 'automation/set')
        return reject('notDispatchable', 'The host alone sets automations');
      if (action.type !== 'automation/removed') return planSaving(parts, action, caller);
      return {
        action,
        after: (tx) => {
          const record = catalogue.record(action.resource);
          const isOpen = record?.runs.some(({ lifecycle }) => !('completedAt' in lifecycle)) === true;
          if (record !== undefined && !isOpen) catalogue.dropRecord(tx, action.resource);
          parts.plugins?.drop(tx, action.resource);
          tx.effect(() => parts.arm());
        },
      };
    },
  };
}

function planSaving(parts: ModuleParts, action: Saving, caller: Caller): Planned<'automation'> {
  const first = prepare(parts, action, caller);
  if ('code' in first) return first;
  if (action.type === 'automation/updateRequested' && action.changes.session === undefined)
    return save(parts, action, caller, { wanted: first });
  return checkSession(parts, first, caller).then(async (rejection) => {
    const copied = rejection ?? (await copyPlugins(parts, action.resource, first, caller));
    if (copied !== undefined && 'code' in copied) return () => copied;
    return () => {
      const again = prepare(parts, action, caller);
      if ('code' in again) {
        copied?.discard();
        return again;
      }
      if (copied?.isCurrent() !== false) return save(parts, action, caller, { wanted: again, copied });
      // Another client has saved the automation meanwhile.
      copied.discard();
      return planSaving(parts, action, caller);
    };
  });
}

/** The copies of the plugins of a template, or why it cannot be saved [AUTO-14]. `undefined`: this host copies none. */
async function copyPlugins(
  { plugins }: Pick<ModuleParts, 'plugins'>,
  resource: string,
  { session }: AutomationDefinition,
  { clientId }: Caller,
): Promise<PreparedPlugins | Rejection | undefined> {
  const copied = await plugins?.prepare(resource, session.customizations ?? [], clientId);
  return typeof copied === 'string' ? reject('pluginNotCopied', `session.customizations: ${copied}`) : copied;
}

/** The definition as it would be saved, or why it cannot be. */
function prepare(parts: ModuleParts, action: Saving, caller: Caller): AutomationDefinition | Rejection {
  const { catalogue, minIntervalMinutes, plugins } = parts;
  const { resource } = action;
  const entry = catalogue.entry(resource);
  let definition: AutomationDefinition;
  if (action.type === 'automation/createRequested') {
    if (!/^ahp-automation:\/[^\s\p{Cc}\p{Surrogate}]{1,480}$/u.test(resource))
      return reject('invalidAutomation', 'resource: expected ahp-automation:/ and an id');
    if (entry !== undefined || catalogue.record(resource) !== undefined)
      return reject(
        'automationExists',
        `There is an automation ${resource} already, or its last runs are in progress`,
      );
    if (catalogue.entries.length >= MAX_AUTOMATIONS)
      return reject('tooManyAutomations', `A host has at most ${MAX_AUTOMATIONS} automations; remove one`);
    ({ definition } = action);
  } else {
    if (entry === undefined) return reject('noSuchAutomation', `There is no automation ${resource}`);
    definition = { ...entry.definition, ...action.changes };
    if (action.changes.disableConditions?.length === 0) delete definition.disableConditions;
  }
  const areTriggersNew =
    action.type === 'automation/createRequested' ||
    action.changes.triggers !== undefined ||
    action.changes.session !== undefined;
  const { isAdmin } = caller;
  const rejection = checkDefinition(definition, minIntervalMinutes, {
    isAdmin,
    areTriggersNew,
    takesPlugins: plugins !== undefined,
  });
  if (rejection !== undefined) return rejection;
  if (!areTriggersNew) return definition;
  const triggers = definition.triggers.map((each) => (each.kind === 'event' ? labelled(each) : each));
  return { ...definition, triggers };
}

async function checkSession(
  parts: ModuleParts,
  { session, message }: AutomationDefinition,
  caller: Caller,
): Promise<Rejection | undefined> {
  const { model } = session;
  try {
    const provider = parts.agents.get(session.provider);
    const [{ path }] = await resolveDirectories(parts, provider, session.workingDirectories, caller);
    await newConfig(parts, provider, path, session.config);
    const agent = parts.sync.root.state.agents.find((each) => each.provider === provider.id);
    const problem = modelProblem({ ...defined({ model, agent: session.agent }), ...message }, agent);
    return problem === undefined ? undefined : reject('invalidAutomation', `session: ${problem}`);
  } catch (error) {
    // Other errors are the host's own.
    if (!(error instanceof WireError)) throw error;
    return reject('invalidAutomation', `session: ${errorText(error)}`);
  }
}

function save(
  parts: ModuleParts,
  action: Saving,
  caller: Caller,
  {
    wanted,
    copied,
  }: { readonly wanted: AutomationDefinition; readonly copied?: PreparedPlugins | undefined },
): Plan<'automation'> {
  const { catalogue, clock, sync } = parts;
  return {
    action,
    after: (tx) => {
      const before = catalogue.entry(action.resource);
      const record = catalogue.record(action.resource);
      const now = clock.now();
      const nowIso = startedNow(sync);
      const runCount = runCountAfter(before, wanted);
      const disabledBecause = wanted.enabled ? metCondition(wanted, runCount ?? 0, now) : undefined;
      const definition = disabledBecause === undefined ? wanted : { ...wanted, enabled: false };
      const isNewPlan =
        before === undefined ||
        before.definition.triggers !== definition.triggers ||
        before.definition.enabled !== definition.enabled;
      catalogue.setRecord(tx, {
        resource: action.resource,
        by: saverOf(caller, record?.by),
        handledUpTo: isNewPlan ? now : (record?.handledUpTo ?? now),
        runs: record?.runs ?? [],
      });
      copied?.settle(tx);
      const customizations = copied === undefined ? before?.customizations : copied.shown;
      catalogue.publish(tx, {
        resource: action.resource,
        definition,
        createdAt: before?.createdAt ?? nowIso,
        modifiedAt: nowIso,
        ...defined({
          runCount,
          customizations: customizations?.length === 0 ? undefined : customizations,
          _meta: notesAfter(isNewPlan ? undefined : before, definition, disabledBecause),
        }),
      });
      tx.effect(() => parts.arm());
    },
  };
}

/** What an entry still tells of itself after an edit; `before` is absent when its plan is another one. */
function notesAfter(
  before: AutomationEntry | undefined,
  { enabled }: AutomationDefinition,
  because: DisabledBecause | undefined,
): Record<string, unknown> | undefined {
  const kept: AutomationNotes = before === undefined ? {} : automationNotes(before);
  const { missed, disabledBecause = because } = kept;
  const notes = defined({ missed, disabledBecause: enabled ? undefined : disabledBecause });
  return Object.keys(notes).length === 0 ? undefined : { ...notes };
}

/** Runs never have more rights than each client that has saved the automation. */
const saverOf = ({ sink: _, signInHash: __, ...caller }: Caller, before: Saver | undefined): Saver =>
  before?.isAdmin === false && caller.isAdmin ? { ...before } : caller;
