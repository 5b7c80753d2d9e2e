import {
  type AutomationDefinition,
  type AutomationEntry,
  type AutomationRunLifecycle,
  automationNotes,
} from '@agenthost/protocol';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { failureOf, Harness } from '../../test/harness.ts';
import { ChannelLost, DispatchRejected } from '../errors.ts';
import type { Automations } from './automations.ts';
import { openAutomations } from './open-automations.ts';

const CHANNEL = 'ahp-automations://';
const NAME = 'ahp-automation:/nightly';
const RUN = 'ahp-automation-run:/r';
const AT = '2026-06-01T00:00:00.000Z';

const definition: AutomationDefinition = {
  title: 'Nightly',
  message: { text: 'tidy up', origin: { kind: 'automation' } },
  session: {},
  enabled: true,
  triggers: [],
};

const entryOf = (more: Partial<AutomationEntry> = {}): AutomationEntry => ({
  resource: NAME,
  definition,
  runs: [],
  operations: ['update', 'remove', 'run'],
  createdAt: AT,
  modifiedAt: AT,
  ...more,
});

let it: Harness;
let asked: [string, unknown][];
let automations: Automations;

// The harness waits for frames, and not for modules.
beforeAll(() => import('./automations.ts'));
beforeEach(async () => {
  it = new Harness();
  it.host.states.set(CHANNEL, { entries: [entryOf({ runsNextCursor: 'c' })] });
  await it.online();
  asked = [];
  const results = {
    runAutomation: { resource: RUN },
    fetchAutomationRuns: {},
    listAutomationTriggerDefinitions: { items: [] },
  };
  for (const [method, result] of Object.entries(results))
    it.host.answers.set(method, (params) => {
      asked.push([method, params]);
      return result;
    });
  automations = await it.run(openAutomations(it.client));
});

test('[AUTO-8] definitions are saved, and the saved entry is what the host answers with', async () => {
  const saving = automations.define({ title: 'Nightly', message: 'tidy up' }, 'ahp-automation:/new');
  await it.settle();
  expect(it.host.dispatched[0]?.action).toEqual({
    type: 'automation/createRequested',
    resource: 'ahp-automation:/new',
    definition,
  });
  let isSaved = false;
  void saving.then(() => {
    isSaved = true;
  });
  await it.settle();
  expect(isSaved).toBe(false);
  const seen: number[] = [];
  automations.onChange((items) => seen.push(items.length));
  it.host.emit(CHANNEL, {
    type: 'automation/set',
    automation: entryOf({ resource: 'ahp-automation:/new', nextRunAt: AT }),
  });
  expect((await it.run(saving)).nextRunAt).toBe(AT);
  expect(seen).toEqual([2]);
  expect(automationNotes(automations.find('ahp-automation:/new') ?? entryOf())).toEqual({});

  const editing = automations.setEnabled(NAME, false);
  await it.settle();
  const changed = entryOf({ definition: { ...definition, enabled: false } });
  it.host.emit(CHANNEL, { type: 'automation/set', automation: changed });
  expect((await it.run(editing)).definition.enabled).toBe(false);
  await it.run(automations.remove(NAME));
  expect(automations.items.map(({ resource }) => resource)).toEqual(['ahp-automation:/new']);
  expect(it.host.dispatched.map(({ action }) => action)).toMatchObject([
    {},
    { type: 'automation/updateRequested', resource: NAME, changes: { enabled: false } },
    { type: 'automation/removed', resource: NAME },
  ]);
});

test('[AUTO-8] a refused definition rejects with the reason, and so does one that is removed at once', async () => {
  it.host.judge = () => ({ reject: 'invalidAutomation: triggers[0]: schedule: minute: …' });
  const refused = failureOf(automations.edit(NAME, { message: { text: 'x' } }));
  await it.settle();
  expect(await refused).toBeInstanceOf(DispatchRejected);
  expect(await refused).toMatchObject({ code: 'invalidAutomation' });
  it.host.judge = () => undefined;
  const lost = failureOf(automations.define({ title: 'x', message: 'y' }));
  await it.settle();
  it.host.emit(CHANNEL, { type: 'automation/removed', resource: NAME });
  await it.settle();
  expect(await lost).toBeInstanceOf(ChannelLost);
});

test('[AUTO-10] [AUTO-11] [AUTO-7] runs are started, older ones fetched, and types of events listed', async () => {
  expect(await it.run(automations.run(NAME, { requestId: 'r' }))).toBe(RUN);
  expect(await it.run(automations.fetchOlderRuns(NAME))).toBe(true);
  expect(await it.run(automations.fetchOlderRuns('ahp-automation:/other'))).toBe(false);
  expect(await it.run(automations.eventTypes({ provider: 'demo' }))).toEqual([]);
  expect(asked).toEqual([
    ['runAutomation', { channel: CHANNEL, automation: NAME, requestId: 'r' }],
    ['fetchAutomationRuns', { channel: CHANNEL, automation: NAME, cursor: 'c' }],
    ['listAutomationTriggerDefinitions', { channel: 'ahp-root://', provider: 'demo' }],
  ]);
  expect(automations.capabilities).toEqual({});
});

test('[RUN-2] [RUN-3] a run is followed to its end, and cancelled', async () => {
  const set = (lifecycle: AutomationRunLifecycle) =>
    it.host.emit(RUN, { type: 'automationRun/lifecycleChanged', lifecycle });
  it.host.states.set(RUN, {
    resource: RUN,
    automation: NAME,
    origin: { kind: 'manual' },
    lifecycle: { status: 'pending', createdAt: AT },
    sessions: [],
  });
  const run = await it.run(automations.openRun(RUN));
  const ended = run.ended();
  set({ status: 'running', createdAt: AT, startedAt: AT });
  await it.settle();
  expect(run.state.lifecycle.status).toBe('running');
  void run.cancel();
  void automations.cancel(RUN);
  await it.settle();
  expect(it.host.dispatched.map(({ channel, action }) => [channel, action.type])).toEqual([
    [RUN, 'automationRun/cancelRequested'],
    [RUN, 'automationRun/cancelRequested'],
  ]);
  set({ status: 'cancelled', createdAt: AT, startedAt: AT, completedAt: AT });
  expect((await it.run(ended)).lifecycle.status).toBe('cancelled');
  run.dispose();
  automations.dispose();
});

test('[AUTO-14] files of plugins are served while the host copies them, and no longer', async () => {
  const ask = async (path: string) => {
    const params = { channel: 'ahp-root://', uri: `client-plugin:/kit/${path}` };
    let answer: unknown;
    const take = (given: unknown): void => {
      answer = given;
    };
    it.host.connectionOf('c1').peer.request('resourceRead', params).then(take, take);
    await until(() => answer !== undefined);
    return answer;
  };
  const kit = { id: 'kit', name: 'Kit', files: { 'rules/a.md': 'Use tabs.' } };
  expect(await it.run(failureOf(automations.edit(NAME, { plugins: [kit] })))).toMatchObject({
    code: 'pluginsNotTaken',
  });
  expect(it.host.dispatched).toEqual([]);
  it = new Harness();
  it.host.automations = { customizations: {} };
  it.host.states.set(CHANNEL, { entries: [entryOf()] });
  await it.online();
  automations = await it.run(openAutomations(it.client));
  const { files: _, ...named } = kit;
  for (const session of [undefined, { provider: 'demo' }]) {
    const saving = automations.edit(NAME, { plugins: [kit], ...(session === undefined ? {} : { session }) });
    await until(() => it.host.dispatched.length > 0);
    const { action } = it.host.dispatched.pop() ?? {};
    const entry = { type: 'plugin', ...named, uri: 'client-plugin:/kit/', nonce: expect.any(String) };
    expect(action).toMatchObject({ changes: { session: { ...session, customizations: [entry] } } });
    expect(await ask('rules/a.md')).toMatchObject({ data: 'Use tabs.' });
    it.host.emit(CHANNEL, {
      type: 'automation/set',
      automation: entryOf({ modifiedAt: `2026-06-1${it.host.serverSeq}T00:00:00.000Z` }),
    });
    await it.run(saving);
    expect(await ask('rules/a.md')).toMatchObject({ code: -32_601 });
  }
});

/** Runs both sides until something is so; code may have to be loaded for it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await it.settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
