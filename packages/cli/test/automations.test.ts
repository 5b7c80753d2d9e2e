import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
beforeAll(async () => {
  await machine.serve();
}, 60_000);
afterAll(() => machine.dispose());

const automations = (...args: string[]) => machine.run(['automations', ...args]);

test('agenthost automations adds, shows, changes, runs and removes an automation', async () => {
  expect((await automations()).err).toContain('there are no automations');
  const added = await automations(
    ...['add', '--title', 'Nightly', '--cron', '0 3 * * *', '--zone', 'Europe/Berlin'],
    ...['--agent', 'demo', '--config', 'approvals=none', '--max-runs', '5', 'say hello'],
  );
  expect(added).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^added \S{8} {2}Nightly\nnext: (?:\w{3} \d{4}-\d\d-\d\d 03:00,? ){3}\(Europe\/Berlin\), the first in /,
    ),
  });
  expect((await automations('show', 'nightly')).out).toMatch(
    /^when {4}0 3 \* \* \* \(Europe\/Berlin\)\nnext[^]*^agent {3}demo\n[^]*^prompt {2}say hello$/m,
  );
  const edited = await automations('edit', 'Nightly', '--zone', 'UTC', '--max-runs', 'off', 'say done');
  expect(edited.out).toContain('(UTC)');
  const [entry] = jsonLines((await automations('--json')).out);
  expect(entry).toMatchObject({
    definition: {
      title: 'Nightly',
      message: { text: 'say done' },
      session: { provider: 'demo', config: { approvals: 'none' } },
      triggers: [{ schedule: { expression: '0 3 * * *', timeZone: 'UTC' }, misfirePolicy: 'runOnce' }],
    },
  });
  expect(entry).not.toHaveProperty('definition.disableConditions.0');
  expect((await automations('disable', 'nightly')).out).toBe('Nightly: disabled; it runs only on request\n');
  const ran = await automations('run', 'nightly', '--wait');
  expect(ran).toMatchObject({
    code: 0,
    out: 'completed\n',
    err: expect.stringMatching(/works in the session/),
  });
  expect((await automations('runs', 'nightly')).out).toMatch(
    /^\S{8} {2}completed {2}\d+ s ago +took \d+ s +by hand +session \S{8}\n$/,
  );
  expect((await automations('events')).out).toMatch(/^turn:completed +\S[^\n]*\nturn:failed +/);
  const onEvent = ['edit', 'nightly', '--on', 'turn:failed', '--on-config', 'folder=/srv/shop'];
  expect((await automations(...onEvent)).code).toBe(0);
  expect((await automations('show', 'nightly')).out).toContain(
    'when    A turn of a session ends: The turn fails\n',
  );
  const off = await automations('edit', 'nightly', '--cron', 'off', '--on', 'off');
  expect(off).toMatchObject({ code: 0, out: expect.stringContaining('only on request') });
  expect((await automations('show', 'nightly')).out).toContain('when    only on request\n');
  expect((await automations('cancel', 'nightly')).err).toContain('the automation has no run in progress');
  const [{ resource: over } = { resource: '' }] = jsonLines(
    (await automations('runs', 'nightly', '--json')).out,
  ) as { resource: string }[];
  expect(await automations('cancel', over)).toMatchObject({
    code: 1,
    err: expect.stringContaining('The run is completed'),
  });
  expect((await automations('edit', 'nightly', '--cron', '0 4 * * *')).code).toBe(0);
  expect((await automations('enable', 'nightly')).out).toContain('Nightly: enabled; next: ');
  expect(await automations('remove', 'nightly')).toMatchObject({ code: 0, out: 'removed Nightly\n' });
}, 120_000);

test('[AUTO-14] folders become plugins of an automation, and are shown with version and faults', async () => {
  const kit = join(machine.home, 'kit');
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(kit, path)), { recursive: true });
    writeFileSync(join(kit, path), content);
  };
  write('plugin.json', '{"name": "Kit", "version": "2"}');
  write('rules/style.md', 'Use tabs.');
  write('hooks/hooks.json', 'no JSON');
  const added = await automations('add', '--title', 'Kits', '--plugin', kit, 'x');
  expect(added).toMatchObject({ code: 0, err: '' });
  expect((await automations('show', 'kits')).out).toMatch(/^plugins \S+ 2 \(degraded: .*hooks\.json/m);
  // A change of anything else keeps the copy.
  expect((await automations('edit', 'kits', '--config', 'approvals=none')).code).toBe(0);
  const uriOf = async () => {
    const [entry] = jsonLines((await automations('--json')).out) as { customizations?: { uri: string }[] }[];
    return entry?.customizations?.[0]?.uri;
  };
  const first = await uriOf();
  expect(first).toMatch(/^file:/);
  rmSync(join(kit, 'hooks'), { recursive: true });
  expect((await automations('edit', 'kits', '--plugin', kit)).code).toBe(0);
  expect(await uriOf()).not.toBe(first);
  expect((await automations('show', 'kits')).out).toMatch(/^plugins \S+ 2$/m);
  write('large', new Uint8Array(1024 * 1024 + 1));
  expect(await automations('edit', 'kits', '--plugin', kit)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/has a file of more than 1048576 bytes \(large\)/),
  });
  expect((await automations('edit', 'kits', '--plugin', 'off', '--plugin', kit)).code).toBe(2);
  expect((await automations('edit', 'kits', '--plugin', 'off')).code).toBe(0);
  expect(await uriOf()).toBeUndefined();
  await automations('remove', 'kits');
}, 120_000);

test.each([
  [['add', '--cron', '61 * * * *', 'x'], 2, '--cron "61 * * * *": minute: expected `*`, values from 0 to 59'],
  [['add', '--cron', '* * * * *', '--zone', 'Mars/Base', 'x'], 2, '--zone: expected a name such as'],
  [['edit', 'x', '--cron', 'off', '--cron', '* * * * *'], 2, '--cron: off cannot stand beside other values'],
  [['add', '--zone', 'UTC', 'x'], 2, '--zone: there is no --cron'],
  [['add', '--on', 'moon:full', 'x'], 2, '--on: expected turn:completed or turn:failed, got moon:full'],
  [['add', '--on', 'turn:failed', '--on-config', 'x=1', 'x'], 2, 'x: unknown setting'],
  [['add', '--max-runs', '0', 'x'], 2, '--max-runs: expected a whole number of at least 1'],
  [['add', '--until', 'tomorrow', 'x'], 2, '--until: expected a time such as 2027-01-31'],
  [['add', '--until', '2020-01-31', 'x'], 2, '--until: 2020-01-31 is in the past'],
  [['add', '--agent', 'nobody', 'x'], 1, 'the host refused: session: '],
  [['add', '--plugin', '/nowhere/kit', 'x'], 1, 'cannot read /nowhere/kit'],
  [['run', 'nothing'], 1, 'no automation is called nothing'],
] as const)(
  '[AUTO-5] mistakes are told before anything is saved: %j',
  async (args, code, message) => {
    const told = await automations(...args);
    expect(told).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
    expect((await automations('--json')).out).toBe('');
  },
  60_000,
);
