import type { Command } from 'commander';
import type { AutomationRunsOptions, RunAutomationOptions } from '../commands/automation-runs.ts';
import type { AutomationsOptions } from '../commands/automations.ts';
import type { AddAutomationOptions, EditAutomationOptions } from '../commands/define-automation.ts';
import type { CommandParts } from './command-builder.ts';
import type { OptionName } from './options.ts';

const OPTIONS: readonly OptionName[] = ['url', 'start', 'json', 'verbose'];
const AUTOMATION = ['<automation>', 'title or id, or the beginning of an id'] as const;

/** Adds `automations` and what is below it. */
export function addAutomationCommands(parts: CommandParts): void {
  const { context, screen, program, command, example, done } = parts;
  const automations = command(
    program,
    'automations',
    'list and change automations, which run on a schedule, after an event or on request',
    OPTIONS,
  ).action(async (options: AutomationsOptions) => {
    const { listAutomations } = await import('../commands/automations.ts');
    done(await listAutomations(context, screen, options));
  });
  example(automations, [
    'agenthost automations add --cron "0 3 * * *" "run the tests, fix failures"',
    'agenthost automations',
    'agenthost automations run nightly --wait  start it now',
    'agenthost automations runs nightly  its history, with the sessions',
    'agenthost automations disable nightly',
  ]);
  command(automations, 'list', 'list the automations with their next and last runs', OPTIONS).action(
    async (_own: object, self: Command) => {
      const { listAutomations } = await import('../commands/automations.ts');
      done(await listAutomations(context, screen, self.optsWithGlobals<AutomationsOptions>()));
    },
  );
  command(automations, 'show', 'show an automation, its next times and its last runs', OPTIONS)
    .argument(...AUTOMATION)
    .action(async (given: string, _own: object, self: Command) => {
      const { showAutomation } = await import('../commands/automations.ts');
      done(await showAutomation(context, screen, given, self.optsWithGlobals<AutomationsOptions>()));
    });
  addDefiningCommands(automations, parts);
  command(automations, 'events', 'list the events of the host that can start runs', OPTIONS).action(
    async (_own: object, self: Command) => {
      const { listEvents } = await import('../commands/automations.ts');
      done(await listEvents(context, screen, self.optsWithGlobals<AutomationsOptions>()));
    },
  );
  const switches = [
    ['enable', 'enable the schedule and the events of an automation'],
    ['disable', 'disable the schedule and the events of an automation; `run` still starts it'],
    ['remove', 'remove an automation; its active runs continue, and their sessions stay'],
  ] as const;
  for (const [does, text] of switches) {
    const made = command(automations, does, text, OPTIONS)
      .argument(...AUTOMATION)
      .action(async (given: string, _own: object, self: Command) => {
        const { switchAutomation } = await import('../commands/automations.ts');
        const options = self.optsWithGlobals<AutomationsOptions>();
        done(await switchAutomation(context, screen, { given, does }, options));
      });
    if (does === 'remove') made.alias('rm');
  }
  addRunCommands(automations, parts);
}

function addDefiningCommands(
  automations: Command,
  { context, screen, command, example, done }: CommandParts,
): void {
  const adding = command(automations, 'add', 'save a new automation', [
    'cron',
    'zone',
    'onEvent',
    'onConfig',
    'missed',
    'automationTitle',
    'agent',
    'model',
    'cwd',
    'sessionConfig',
    'plugin',
    'maxRuns',
    'until',
    'disabled',
    ...OPTIONS,
  ])
    .argument('[prompt...]', 'the prompt; - or no prompt reads standard input')
    .action(async (words: string[], _own: object, self: Command) => {
      const { addAutomation } = await import('../commands/define-automation.ts');
      done(await addAutomation(context, screen, words, self.optsWithGlobals<AddAutomationOptions>()));
    });
  example(adding, [
    'agenthost automations add --cron "0 3 * * *" --title Nightly "run tests"',
    'agenthost automations add --cron "*/30 9-17 * * *" --cwd ~/shop "triage"',
    'agenthost automations add --cron "0 9 * * MON" --zone Asia/Tokyo "report"',
    'agenthost automations add --cron "0 9 1 * *" --max-runs 3 "report"',
    'agenthost automations add --cron "0 9 * * MON" --plugin ./kit "report"',
    'agenthost automations add --on turn:failed "say why the turn failed"',
    'agenthost automations add --title Release "prepare a release"  only by `automations run`',
  ]);
  const editing = command(automations, 'edit', 'change parts of an automation', [
    'newCron',
    'zone',
    'newOnEvent',
    'onConfig',
    'newMissed',
    'newAutomationTitle',
    'newAgent',
    'model',
    'newCwd',
    'newSessionConfig',
    'newPlugin',
    'maxRuns',
    'until',
    ...OPTIONS,
  ])
    .argument(...AUTOMATION)
    .argument('[prompt...]', 'the new prompt')
    .action(async (automation: string, words: string[], _own: object, self: Command) => {
      const { editAutomation } = await import('../commands/define-automation.ts');
      const options = self.optsWithGlobals<EditAutomationOptions>();
      done(await editAutomation(context, screen, { automation, words }, options));
    });
  example(editing, [
    'agenthost automations edit nightly --cron "0 4 * * *"  in place of all its times',
    'agenthost automations edit nightly --until off "run all tests"',
  ]);
}

function addRunCommands(
  automations: Command,
  { context, screen, command, example, done }: CommandParts,
): void {
  const running = command(automations, 'run', 'start a run now, also of a disabled automation', [
    'waitForRun',
    ...OPTIONS,
  ])
    .argument(...AUTOMATION)
    .action(async (given: string, _own: object, self: Command) => {
      const { runAutomation } = await import('../commands/automation-runs.ts');
      done(await runAutomation(context, screen, given, self.optsWithGlobals<RunAutomationOptions>()));
    });
  example(running, [
    'agenthost automations run nightly',
    'agenthost automations run nightly --wait  fails when the run fails',
  ]);
  command(automations, 'runs', 'list the runs of an automation, the newest first', ['runLimit', ...OPTIONS])
    .argument(...AUTOMATION)
    .action(async (given: string, _own: object, self: Command) => {
      const { listRuns } = await import('../commands/automation-runs.ts');
      done(await listRuns(context, screen, given, self.optsWithGlobals<AutomationRunsOptions>()));
    });
  command(automations, 'cancel', 'cancel a run, or all active runs of an automation', OPTIONS)
    .argument('<run>', 'id of a run, or its beginning; or title or id of an automation')
    .action(async (given: string, _own: object, self: Command) => {
      const { cancelRuns } = await import('../commands/automation-runs.ts');
      done(await cancelRuns(context, screen, given, self.optsWithGlobals<AutomationsOptions>()));
    });
}
