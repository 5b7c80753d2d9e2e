import type { AhpClient, Automations, PluginFolder } from '@agenthost/client';
import type {
  AutomationDefinition,
  AutomationDisableCondition,
  AutomationEntry,
  AutomationSessionTemplate,
  AutomationTrigger,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { conditionsFrom, eventsFrom, triggersFrom } from '../automations/definition-options.ts';
import { nextText, stateText } from '../automations/lines.ts';
import { findAutomation, withAutomations } from '../automations/open-automations.ts';
import { schedulesOf } from '../automations/times.ts';
import { withHost } from '../host-link/connect.ts';
import { shortId } from '../input/ids.ts';
import { pluginFolder } from '../input/plugin-folder.ts';
import { promptText } from '../input/prompt.ts';
import { checkModel, folderFor, sessionConfig } from '../input/session-options.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import type { AutomationsOptions } from './automations.ts';

/** Options of `automations edit`, as parsed. */
export interface EditAutomationOptions extends AutomationsOptions {
  readonly cron?: readonly string[];
  readonly zone?: string;
  readonly on?: readonly string[];
  readonly onConfig?: readonly string[];
  readonly missed?: string;
  readonly title?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly config?: readonly string[];
  readonly plugin?: readonly string[];
  readonly maxRuns?: string;
  readonly until?: string;
}

/** Options of `automations add`, as parsed. */
export interface AddAutomationOptions extends EditAutomationOptions {
  readonly disabled?: boolean;
}

/** Characters of a title that is made from a prompt. */
const TITLE_LENGTH = 60;

/** The host copies no more of a plugin. */
const PLUGIN_LIMITS = { fileCount: 500, fileBytes: 1024 * 1024, isLargeLeftOut: false };

/** `automations add`. */
export async function addAutomation(
  context: Context,
  screen: Screen,
  words: readonly string[],
  options: AddAutomationOptions,
): Promise<ExitCode> {
  if (options.cwd === '') throw usageError('--cwd: expected a folder, got nothing');
  if (options.title?.trim() === '') throw usageError('--title: expected a text, got nothing');
  if (options.zone !== undefined && options.cron === undefined)
    throw usageError('--zone: there is no --cron that it could apply to');
  const triggers = triggersFrom(options, []);
  const disableConditions = conditionsFrom(options, []);
  const plugins = await pluginsFrom(context, options);
  const text = await promptText(words, context.stdin);
  return withHost(context, screen, options, ({ client, target }) =>
    withAutomations(client, async (automations) => {
      await checkModel(client, options.model, options.agent);
      const folder = await folderFor(context, options.cwd, target);
      const entry = await automations.define({
        title: options.title ?? oneLine(text, TITLE_LENGTH),
        message: text,
        session: await templateOf(context, client, options, {
          ...(folder === undefined ? {} : { workingDirectories: [folder] }),
        }),
        ...defined({ plugins }),
        enabled: options.disabled !== true,
        triggers: [...triggers, ...(await eventTriggers(automations, options))],
        ...(disableConditions.length === 0 ? {} : { disableConditions }),
      });
      tell(screen, options, entry, 'added');
      return EXIT.done;
    }),
  );
}

/** `automations edit`. */
export async function editAutomation(
  context: Context,
  screen: Screen,
  { automation, words }: { readonly automation: string; readonly words: readonly string[] },
  given: EditAutomationOptions,
): Promise<ExitCode> {
  if (given.cwd === '') throw usageError('--cwd: expected a folder, got nothing');
  if (given.title?.trim() === '') throw usageError('--title: expected a text, got nothing');
  const lists = { cron: listOrNone('--cron', given.cron), on: listOrNone('--on', given.on) };
  const options = { ...given, ...defined(lists) };
  const plugins = await pluginsFrom(context, given);
  const text = words.length === 0 ? undefined : await promptText(words, context.stdin);
  return withHost(context, screen, options, ({ client, target }) =>
    withAutomations(client, async (automations) => {
      const { resource, definition } = findAutomation(automations, automation);
      const { session, message } = definition;
      await checkModel(client, options.model, options.agent ?? session.provider);
      const folder = options.cwd === undefined ? undefined : await folderFor(context, options.cwd, target);
      const isSessionChanged = [options.agent, options.model, options.cwd, options.config].some(
        (each) => each !== undefined,
      );
      const changes = {
        ...defined({
          title: options.title,
          triggers: changedTriggers(options, definition, await eventTriggers(automations, options)),
          disableConditions: changedConditions(options, definition),
          plugins,
        }),
        // Attachments stay.
        ...(text === undefined ? {} : { message: { ...message, text } }),
        ...(isSessionChanged
          ? {
              session: await templateOf(context, client, options, {
                ...session,
                ...(folder === undefined ? {} : { workingDirectories: [folder] }),
              }),
            }
          : {}),
      };
      if (Object.keys(changes).length === 0)
        throw usageError('nothing to change: give a prompt, or an option such as --cron');
      tell(screen, options, await automations.edit(resource, changes), 'changed');
      return EXIT.done;
    }),
  );
}

/** The value of `--cron`, `--on` and `--plugin` of `edit` that removes all times, events or plugins. */
const OFF = 'off';

/** The values of a list of which `off` is the only one that removes. Throws a usage error for `off` beside others. */
function listOrNone(name: string, values: readonly string[] | undefined): readonly string[] | undefined {
  if (values?.includes(OFF) !== true) return values;
  if (values.length > 1) throw usageError(`${name}: off cannot stand beside other values`);
  return [];
}

/** The plugins that options ask for. `undefined`: they ask for no change. */
async function pluginsFrom(
  { cwd }: Context,
  { plugin }: EditAutomationOptions,
): Promise<PluginFolder[] | undefined> {
  const folders = listOrNone('--plugin', plugin);
  if (folders?.includes('') === true) throw usageError('--plugin: expected a folder, got nothing');
  return folders && Promise.all(folders.map((folder) => pluginFolder(cwd, folder, PLUGIN_LIMITS)));
}

function changedTriggers(
  options: EditAutomationOptions,
  { triggers }: AutomationDefinition,
  events: readonly AutomationTrigger[],
): AutomationTrigger[] | undefined {
  const { cron, zone, missed, on } = options;
  const isScheduleChanged = cron !== undefined || zone !== undefined || missed !== undefined;
  if (!isScheduleChanged && on === undefined) return undefined;
  const schedules = schedulesOf({ triggers });
  if (isScheduleChanged && cron === undefined && schedules.length === 0)
    throw usageError('the automation has no schedule; --cron adds one');
  const kept = triggers.filter(({ kind }) => kind === 'event');
  return [
    ...(isScheduleChanged ? triggersFrom(options, schedules) : schedules),
    ...(on === undefined ? kept : events),
  ];
}

async function eventTriggers(
  automations: Automations,
  options: EditAutomationOptions,
): Promise<AutomationTrigger[]> {
  const isAsked = options.on !== undefined || options.onConfig !== undefined;
  return isAsked ? eventsFrom(options, await automations.eventTypes()) : [];
}

function changedConditions(
  options: EditAutomationOptions,
  { disableConditions = [] }: AutomationDefinition,
): AutomationDisableCondition[] | undefined {
  if (options.maxRuns === undefined && options.until === undefined) return undefined;
  return conditionsFrom(options, disableConditions);
}

/** The template with the options for agent, model and settings. Settings that are not named are kept, unless the agent changes. */
async function templateOf(
  context: Context,
  client: AhpClient,
  { agent, model, config = [] }: EditAutomationOptions,
  before: AutomationSessionTemplate,
): Promise<AutomationSessionTemplate> {
  const isOther = agent !== undefined && agent !== before.provider;
  const { config: kept, model: keptModel, ...rest } = before;
  const provider = agent ?? before.provider;
  const [workingDirectory] = before.workingDirectories ?? [];
  const given = await sessionConfig(context, client, { config }, defined({ provider, workingDirectory }));
  const values = { ...(isOther ? {} : kept), ...given };
  return {
    ...rest,
    ...defined({
      provider,
      model: model === undefined ? (isOther ? undefined : keptModel) : { id: model },
      config: Object.keys(values).length === 0 ? undefined : values,
    }),
  };
}

function tell(
  screen: Screen,
  { json = false }: AutomationsOptions,
  entry: AutomationEntry,
  what: string,
): void {
  if (json) return screen.json(entry);
  screen.line(`${what} ${shortId(entry.resource)}  ${oneLine(entry.definition.title)}`);
  if (!entry.definition.enabled) screen.line(stateText(entry));
  screen.line(nextText(entry, Date.now()));
}
