import { type Automations, DispatchRejected } from '@agenthost/client';
import type {
  AutomationDefinition,
  AutomationDisableCondition,
  AutomationEntry,
  AutomationEventTrigger,
  AutomationTrigger,
  AutomationTriggerDefinition,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { useEffect, useState } from 'react';
import { useAgent } from '../board/new/use-agent.ts';
import { useFolder } from '../board/new/use-folder-names.ts';
import { useSessionConfig } from '../board/new/use-session-config.ts';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { automationsText } from '../text/automations-text.ts';
import { pathOf, uriOf } from '../text/file-path.ts';
import { text } from '../text/text.ts';
import { choiceOf, expressionsOf } from './schedule-choice.ts';
import { OWN_ZONE, previewOf, schedulesOf } from './schedule-words.ts';

/** Characters of a name that is made from a prompt. */
const NAME_LENGTH = 60;

/** A fault of the form, and the field that has it. */
export interface FormFault {
  readonly field: 'prompt' | 'folder' | 'schedule' | 'zone' | 'maxRuns' | 'form';
  readonly message: string;
}

/** Names an event among those of all types. */
export const eventKey = (type: string, event: string): string => `${type}:${event}`;

const eventsOf = ({ triggers }: AutomationDefinition): AutomationEventTrigger[] =>
  triggers.flatMap((trigger) => (trigger.kind === 'event' ? [trigger] : []));

/** The values that the form shows first. */
function valuesOf(definition: AutomationDefinition | undefined) {
  const schedules = definition && schedulesOf(definition);
  const conditions = definition?.disableConditions ?? [];
  const max = conditions.flatMap((each) => (each.kind === 'afterRuns' ? [String(each.max)] : []))[0];
  const date = conditions.flatMap((each) => (each.kind === 'afterDate' ? [each.date] : []))[0];
  return {
    name: definition?.title ?? '',
    prompt: definition?.message.text ?? '',
    model: definition?.session.model?.id ?? '',
    path: pathOf(definition?.session.workingDirectories?.[0] ?? ''),
    schedule: choiceOf(schedules?.map(({ schedule }) => schedule.expression)),
    zone: schedules?.[0]?.schedule.timeZone ?? OWN_ZONE,
    events: (definition === undefined ? [] : eventsOf(definition)).flatMap(({ type, events }) =>
      events.map(({ id }) => eventKey(type, id)),
    ),
    isMadeUp: schedules?.[0]?.misfirePolicy !== 'skip',
    maxRuns: max ?? '',
    until: date === undefined ? '' : localTime(date),
  };
}

/** The values of the form for an automation. */
export type FormValues = ReturnType<typeof valuesOf>;

/** State of the form that adds an automation, or edits one. */
export function useAutomationForm(
  link: HostLink,
  automations: Automations,
  edited: AutomationEntry | undefined,
  onSaved: (resource: string) => void,
) {
  const before = edited?.definition;
  const [values, setValues] = useState<FormValues>(() => valuesOf(before));
  const [provider, setProvider] = useState(before?.session.provider);
  const [chosen, setChosen] = useState<Readonly<Record<string, unknown>>>(before?.session.config ?? {});
  const [fault, setFault] = useState<FormFault>();
  const [isSaving, setSaving] = useState(false);
  const { agents, agent } = useAgent(link, provider);
  const path = values.path.trim();
  const folder = path === '' ? undefined : uriOf(path);
  const config = useSessionConfig(link, agent?.provider, folder, chosen);
  const eventTypes = useEventTypes(automations);
  const standard = useFolder(link, '');
  const expressions = expressionsOf(values.schedule);
  const preview = previewOf(expressions, values.zone, Date.now());

  const findFault = (): FormFault | undefined => {
    if (values.prompt.trim() === '') return { field: 'prompt', message: automationsText.promptMissing };
    if (path !== '' && folder === undefined)
      return { field: 'folder', message: text.newSession.pathNotAbsolute };
    if (values.schedule.repeat === 'custom' && expressions.length === 0)
      return { field: 'schedule', message: automationsText.cronMissing };
    if ('problem' in preview)
      return { field: preview.isZone ? 'zone' : 'schedule', message: preview.problem };
    if (!/^(?:[1-9]\d{0,8})?$/.test(values.maxRuns.trim()))
      return { field: 'maxRuns', message: automationsText.maxRunsWrong };
    return undefined;
  };

  const save = async (): Promise<void> => {
    const found = findFault();
    setFault(found);
    if (found !== undefined || isSaving) return;
    setSaving(true);
    const conditions = conditionsOf(values);
    const definition = {
      title: values.name.trim() || values.prompt.trim().replace(/\s+/g, ' ').slice(0, NAME_LENGTH),
      // Attachments stay.
      message: { ...before?.message, text: values.prompt },
      session: {
        ...before?.session,
        // An agent that cannot run now is kept.
        ...defined({ provider: provider ?? (edited === undefined ? agent?.provider : undefined) }),
        workingDirectories:
          folder === undefined
            ? undefined
            : [folder, ...(before?.session.workingDirectories?.slice(1) ?? [])],
        model: modelOf(values.model, before),
        config: { ...chosen },
      },
      triggers: [...schedulesFor(expressions, values, before), ...eventsFor(eventTypes, values, before)],
    };
    const { workingDirectories, model, ...session } = definition.session;
    const whole = { ...definition, session: { ...session, ...defined({ workingDirectories, model }) } };
    try {
      const saved =
        edited === undefined
          ? await automations.define({
              ...whole,
              ...(conditions.length === 0 ? {} : { disableConditions: conditions }),
            })
          : await automations.edit(edited.resource, { ...whole, disableConditions: conditions });
      onSaved(saved.resource);
    } catch (error) {
      setFault(refusal(error));
      setSaving(false);
    }
  };

  return {
    agents,
    agent,
    setProvider: (next: string) => {
      setProvider(next);
      setChosen({});
      setValues((present) => ({ ...present, model: '' }));
    },
    values,
    set: (changes: Partial<FormValues>) => {
      setFault(undefined);
      setValues((present) => ({ ...present, ...changes }));
    },
    config,
    chosen,
    setChosen,
    defaultPath: standard.state === 'read' ? pathOf(standard.folder.uri) : '',
    preview,
    eventTypes,
    fault,
    isSaving,
    save,
  };
}

/** The settings of the model stay while the model does. */
function modelOf(id: string, before: AutomationDefinition | undefined) {
  const present = before?.session.model;
  return id === '' ? undefined : present?.id === id ? present : { id };
}

function schedulesFor(
  expressions: readonly string[],
  { zone, isMadeUp }: FormValues,
  before: AutomationDefinition | undefined,
): AutomationTrigger[] {
  const schedules = before === undefined ? [] : schedulesOf(before);
  return expressions.map((expression, index) => ({
    id: schedules[index]?.id ?? `schedule-${index + 1}`,
    kind: 'schedule',
    schedule: { expression, timeZone: zone },
    misfirePolicy: isMadeUp ? 'runOnce' : 'skip',
  }));
}

/** One trigger for each type of event, with the settings that it has. Types that the host no longer offers stay. */
function eventsFor(
  types: readonly AutomationTriggerDefinition[],
  { events: chosen }: FormValues,
  before: AutomationDefinition | undefined,
): AutomationTrigger[] {
  const present = before === undefined ? [] : eventsOf(before);
  return [
    ...present.filter(({ type }) => !types.some((each) => each.type === type)),
    ...types.flatMap(({ configSchema: _, ...labels }): AutomationTrigger[] => {
      const events = labels.events.filter(({ id }) => chosen.includes(eventKey(labels.type, id)));
      const same = present.find(({ type }) => type === labels.type);
      if (events.length === 0) return [];
      return [
        {
          id: same?.id ?? `event-${labels.type}`,
          kind: 'event',
          ...labels,
          events,
          ...defined({ config: same?.config }),
        },
      ];
    }),
  ];
}

const conditionsOf = ({ maxRuns, until }: FormValues): AutomationDisableCondition[] => [
  ...(maxRuns.trim() === '' ? [] : [{ kind: 'afterRuns', max: Number(maxRuns) } as const]),
  ...(until === '' ? [] : [{ kind: 'afterDate', date: new Date(until).toISOString() } as const]),
];

/** The types of events that the host offers. Empty until it has answered, and if it refuses. */
function useEventTypes(automations: Automations): readonly AutomationTriggerDefinition[] {
  const [types, setTypes] = useState<readonly AutomationTriggerDefinition[]>([]);
  useEffect(() => {
    let isWanted = true;
    automations.eventTypes().then(
      (items) => {
        if (isWanted) setTypes(items);
      },
      // Events that are saved stay as they are.
      () => {
        if (isWanted) setTypes([]);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [automations]);
  return types;
}

/** The host's reason begins with the part of the definition that it is about. */
function refusal(error: unknown): FormFault {
  if (!(error instanceof DispatchRejected)) return { field: 'form', message: messageOf(error) };
  const { reason } = error;
  return { field: reason.startsWith('triggers') ? 'schedule' : 'form', message: reason };
}

/** A time for an input of the type `datetime-local`, by the clocks of this browser. */
function localTime(iso: string): string {
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 16);
}
