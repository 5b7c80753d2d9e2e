// Two people edit one file in one vim: Ada near the host, Ben behind a slow link. Carol joins late and watches. The tests continue each
// other, in order. SHOW=1 prints Ada's and Ben's screens at the end of each.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect, type DispatchOutcome, type TerminalHandle } from '@agenthost/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { endKeepers, keeperPids } from '../kill/processes.ts';
import { DrawnScreen } from './drawn-screen.ts';
import { SlowLink } from './slow-link.ts';

const hasVim = spawnSync('vim', ['--version'], { stdio: 'ignore' }).status === 0;
const mustRun = process.env['REQUIRE_ALL'] === '1';
if (!hasVim && !mustRun) process.stdout.write('skipped: two people in one vim (vim is not installed)\n');

const ESC = '\u001b';
const LINK = { delayMs: 150, bytesPerSecond: 20_000 } as const;
const PATIENCE = { timeout: 30_000, interval: 20 } as const;
const notYours = {
  outcome: 'rejected',
  code: 'notYours',
  reason: expect.stringContaining('holds this terminal'),
};
const claimed = { ...notYours, code: 'alreadyClaimed' };

class Person {
  readonly name: string;
  readonly client: AhpClient;
  readonly terminal: TerminalHandle;
  readonly screen: DrawnScreen;

  static async at(name: string, client: AhpClient, terminal: TerminalHandle): Promise<Person> {
    return new Person(name, client, terminal, await DrawnScreen.of(terminal));
  }

  private constructor(name: string, client: AhpClient, terminal: TerminalHandle, screen: DrawnScreen) {
    this.name = name;
    this.client = client;
    this.terminal = terminal;
    this.screen = screen;
  }

  /** Presses keys one by one. Resolves when the host has received all of them. Rejects when it refused one. */
  async types(keys: string): Promise<void> {
    const outcomes = await Promise.all(Array.from(keys, (key) => this.terminal.input(key)));
    const refused = outcomes.filter((outcome) => !hasArrived(outcome));
    expect(refused).toEqual([]);
  }

  /** Resolves when a line of the screen matches. */
  async sees(line: RegExp): Promise<void> {
    await expect.poll(() => this.screen.lines(), PATIENCE).toContainEqual(expect.stringMatching(line));
  }

  handOver(to: Person): Promise<DispatchOutcome> {
    return this.terminal.claim({ client: to.client.clientId });
  }
}

/** True for keys that arrived once although their echo was lost with the link [ACT-5]. */
const hasArrived = (outcome: DispatchOutcome): boolean =>
  outcome.outcome === 'accepted' || (outcome.outcome === 'rejected' && outcome.code === 'outcomeExpired');

describe.skipIf(!hasVim && !mustRun)('two people in one vim', () => {
  let folder = '';
  let host: HostProcess;
  let link: SlowLink;
  let ada: Person;
  let ben: Person;
  const people: Person[] = [];
  const clients: AhpClient[] = [];

  const file = (): Promise<string> => readFile(join(folder, 'notes.txt'), 'utf8');

  /** A client of its own. `port` is that of a link to the host. */
  async function attend(name: string, port?: number): Promise<AhpClient> {
    const { url, token } = host.address;
    const address = port === undefined ? url : `http://127.0.0.1:${port}`;
    const clientInfo = { name, version: '1' };
    const client = await connect(address, { token, clientInfo, backoff: { minMs: 20, maxMs: 100 } });
    clients.push(client);
    return client;
  }

  async function comes(name: string): Promise<Person> {
    const client = await attend(name);
    const person = await Person.at(name, client, await client.terminal(ada.terminal.uri));
    people.push(person);
    return person;
  }

  function leaves(person: Person): void {
    people.splice(people.indexOf(person), 1);
    person.screen.close();
    person.client.close();
  }

  /** Resolves when all screens have received the same output. Fails unless every cell is equal then. */
  async function expectSame(step: string): Promise<void> {
    await expect
      .poll(async () => {
        await Promise.all(people.map(({ client }) => client.ping()));
        return new Set(people.map(({ screen }) => screen.givenLength)).size;
      }, PATIENCE)
      .toBe(1);
    const [first, ...others] = await Promise.all(people.map(({ screen }) => screen.seen()));
    for (const other of others) expect(other).toEqual(first);
    // Clients that attached at the beginning also agree on the state that no cell shows.
    const facts = await ada.screen.facts();
    expect(await ben.screen.facts()).toEqual(facts);
    expect(facts.active).toBe('alternate');
    const [confirmed, ...rest] = people.map(({ terminal }) => terminal.mirror.confirmed);
    for (const state of rest) expect(state).toEqual(confirmed);
    expect(first).toMatchObject({ cols: confirmed?.cols, rows: confirmed?.rows });
    if (process.env['SHOW'] === '1') await show(step);
  }

  async function show(step: string): Promise<void> {
    const [left = [], right = []] = await Promise.all(
      [ada, ben].map(({ name, screen, terminal }) =>
        screen.framed(terminal.holder.kind === 'me' ? `${name}, holds it` : name),
      ),
    );
    process.stdout.write(
      `\n${step}\n${left.map((line, index) => `${line}  ${right[index] ?? ''}`).join('\n')}\n`,
    );
  }

  beforeAll(async () => {
    if (!hasVim) throw new Error('vim is required and not installed');
    folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-vim-')));
    await writeFile(join(folder, 'notes.txt'), 'Lab notes\n');
    // The link has another port than the host.
    const config = join(folder, 'agenthost.json');
    await writeFile(config, JSON.stringify({ allowedHosts: ['127.0.0.1'] }));
    host = new HostProcess(join(folder, 'data'), folder, ['--config', config]);
    await host.start();
    link = await SlowLink.open(Number(new URL(host.address.url).port), LINK);
    const [near, far] = [await attend('Ada'), await attend('Ben', link.port)];
    const made = await near.createTerminal({
      command: ['vim', 'notes.txt'],
      cwd: pathToFileURL(folder).href,
      cols: 60,
      rows: 16,
    });
    ada = await Person.at('Ada', near, made);
    ben = await Person.at('Ben', far, await far.terminal(made.uri));
    people.push(ada, ben);
  });

  // After a failure the remaining tests mean nothing.
  let hasFailed = false;
  beforeEach(({ skip }) => skip(hasFailed, 'after a failure'));
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === 'fail';
  });

  afterAll(async () => {
    for (const { screen } of people) screen.close();
    for (const client of clients) client.close();
    await link?.close();
    await host?.stop();
    if (folder !== '') await endKeepers(join(folder, 'data'));
    await rm(folder, { recursive: true, force: true });
  });

  it('[TERM-5] the holder writes; input of the other person is refused with a reason and changes nothing', async () => {
    await ada.sees(/"notes\.txt" 1L, 10B/);
    await expectSame('Ada opens a file');
    const before = await ben.screen.facts();
    expect(await ben.terminal.input(`iBen was here${ESC}`)).toMatchObject(notYours);
    expect(await ben.terminal.resize(30, 10)).toMatchObject(notYours);
    expect(await ben.terminal.claim('me')).toMatchObject(claimed);
    await expectSame('Ben is refused');
    expect(await ben.screen.facts()).toEqual(before);

    const typed = ada.types(`oAda: meet in 東京 at nine${ESC}:w\r`);
    expect(await ben.terminal.input('dd')).toMatchObject(notYours);
    await typed;
    await ada.sees(/ 2L, \d+B written/);
    await expectSame('Ada has written a line');
    expect(await file()).toBe('Lab notes\nAda: meet in 東京 at nine\n');
  });

  it('[TERM-4] a person who attaches late has the same screen, down to the state that no cell shows', async () => {
    const carol = await comes('Carol');
    await expectSame('Carol looks in');
    expect(await carol.screen.facts()).toEqual(await ada.screen.facts());
    expect(await carol.terminal.input('x')).toMatchObject(notYours);
    leaves(carol);
  });

  it('[TERM-5] after a handover the other person writes over the slow link, in a size of their own', async () => {
    expect(await ada.handOver(ben)).toMatchObject({ outcome: 'accepted' });
    await expect.poll(() => ben.terminal.holder, PATIENCE).toEqual({ kind: 'me' });
    expect(await ben.terminal.resize(50, 12)).toMatchObject({ outcome: 'accepted' });
    expect(await ada.terminal.resize(60, 16)).toMatchObject(notYours);
    expect(await ada.terminal.input(`:q!\r`)).toMatchObject(notYours);
    expect(await ada.terminal.claim('me')).toMatchObject(claimed);

    // Undoes a line; copies, changes and moves up a line; deletes a character and puts it back.
    await ben.types(`oBen: no, this is wrong${ESC}u`);
    await ben.types(`oBen: café 漢字${ESC}yypcwAll${ESC}ddPxu:w\r`);
    await ben.sees(/ 4L, \d+B written/);
    await expectSame('Ben has written two lines');
    expect(ada.terminal.state).toMatchObject({ cols: 50, rows: 12 });
    expect(await file()).toBe('Lab notes\nAda: meet in 東京 at nine\nAll: café 漢字\nBen: café 漢字\n');
  });

  it('[ACT-5] [CONN-5] the link is cut while the holder writes, and every key is typed once', async () => {
    // A third of the keys arrives. Of the others some lose the echo, and some are lost themselves.
    const cut = link.cutAfter(4_000);
    const typed = ben.types(`GoBen: half of this line came before the cut, 残り after it${ESC}:w\r`);
    await cut;
    await ada.sees(/Ben: h/);
    await expect.poll(() => ben.client.status.state, PATIENCE).not.toBe('online');
    expect(await ada.terminal.claim('me')).toMatchObject(claimed);
    expect(await file()).not.toContain('Ben: half');
    link.mend();
    await typed;
    await ben.sees(/ 5L, \d+B written/);
    await expectSame('Ben is back, and has written a line');
    expect((await file()).split('\n').at(-2)).toBe(
      'Ben: half of this line came before the cut, 残り after it',
    );
  });

  it('[TERM-5] [CONN-5] after handing back, the other person writes on while the link is cut', async () => {
    expect(await ben.handOver(ada)).toMatchObject({ outcome: 'accepted' });
    await expect.poll(() => ada.terminal.holder, PATIENCE).toEqual({ kind: 'me' });
    expect(await ada.terminal.resize(60, 16)).toMatchObject({ outcome: 'accepted' });
    link.cut();
    await expect.poll(() => ben.client.status.state, PATIENCE).not.toBe('online');
    // Much output scrolls by while Ben is disconnected.
    await ada.types(`:set number\rGoAda: while Ben was away${ESC}yy30pGgg30jdGgg:w\r`);
    await ada.sees(/ 30L, \d+B written/);
    link.mend();
    await ben.client.whenOnline();
    await expectSame('Ben is back, and sees what Ada wrote');
    const lines = (await file()).split('\n');
    expect(lines).toHaveLength(31);
    expect(lines.slice(5, 30)).toEqual(Array.from({ length: 25 }, () => 'Ada: while Ben was away'));
  });

  it('[TERM-4] [TERM-5] a person who attaches after size changes and within a word sees the same; the other person ends the word', async () => {
    await ada.types(`:6,$d\rGoAda and B`);
    await ada.sees(/Ada and B$/);
    const carol = await comes('Carol');
    await expectSame('Carol is back');
    expect(await carol.terminal.input('x')).toMatchObject(notYours);

    expect(await ada.handOver(ben)).toMatchObject({ outcome: 'accepted' });
    await expect.poll(() => ben.terminal.holder, PATIENCE).toEqual({ kind: 'me' });
    await ben.types(`en: 完了${ESC}:w\r`);
    await ben.sees(/ 6L, \d+B written/);
    await expectSame('Ben has ended what Ada began');
    expect(await file()).toBe(
      [
        'Lab notes',
        'Ada: meet in 東京 at nine',
        'All: café 漢字',
        'Ben: café 漢字',
        'Ben: half of this line came before the cut, 残り after it',
        'Ada and Ben: 完了',
        '',
      ].join('\n'),
    );
    expect((await carol.screen.lines()).slice(0, 7)).toEqual([
      '  1 Lab notes',
      '  2 Ada: meet in 東京 at nine',
      '  3 All: café 漢字',
      '  4 Ben: café 漢字',
      '  5 Ben: half of this line came before the cut, 残り after i',
      '    t',
      '  6 Ada and Ben: 完了',
    ]);
    await ben.types(':q\r');
    expect(await Promise.all(people.map(({ terminal }) => terminal.exited))).toEqual([0, 0, 0]);
    expect(await keeperPids(join(folder, 'data'))).toHaveLength(1);
  });
});
