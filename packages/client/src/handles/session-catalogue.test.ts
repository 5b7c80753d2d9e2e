import type { ListSessionsParams, SessionSummary } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RpcError } from '@agenthost/rpc';
import { describe, expect, test } from 'vitest';
import { ROOT_URI, rootState, sessionState } from '../../test/fake-host.ts';
import { Harness, microtasks } from '../../test/harness.ts';
import type { ClientMemory } from '../mirror/action-store.ts';
import type { SessionCatalogue } from './session-catalogue.ts';

const READ = 32;
const ARCHIVED = 64;

const summary = (index: number, extra: Partial<SessionSummary> = {}): SessionSummary => ({
  resource: `ahp-session:/${index}`,
  provider: 'demo',
  title: `Session ${index}`,
  status: 1,
  createdAt: time(index),
  modifiedAt: time(index),
  ...extra,
});

function time(index: number): string {
  return new Date(index * 1_000).toISOString();
}

/** A host with sessions, and a client whose lists they fill. */
class Board extends Harness {
  sessions: SessionSummary[];
  /** Called before a page is answered. */
  onPage: (pageIndex: number) => void = () => undefined;
  pages: ListSessionsParams[] = [];

  constructor(count: number, memory?: ClientMemory) {
    super(defined({ memory }));
    this.sessions = Array.from({ length: count }, (_, index) => summary(index));
    this.host.states.set(ROOT_URI, rootState());
    this.host.answers.set('listSessions', (params) => this.#page(params as ListSessionsParams));
  }

  #page(params: ListSessionsParams): { items: SessionSummary[]; nextCursor?: string } {
    this.onPage(this.pages.push(params) - 1);
    const { cursor, limit = Number.POSITIVE_INFINITY } = params;
    const sorted = this.sessions
      .toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1))
      .filter(({ modifiedAt }) => cursor === undefined || modifiedAt < cursor);
    const items = sorted.slice(0, limit).map((item) => ({ ...item }));
    const last = items.at(-1)?.modifiedAt;
    return items.length < sorted.length && last !== undefined ? { items, nextCursor: last } : { items };
  }

  change(index: number, changes: Partial<SessionSummary>): void {
    this.sessions = this.sessions.map((each) =>
      each.resource === summary(index).resource ? { ...each, ...changes } : each,
    );
    const session = summary(index).resource;
    this.host.notifyAll('root/sessionSummaryChanged', { channel: ROOT_URI, session, changes });
  }

  add(index: number): void {
    this.sessions = [...this.sessions, summary(index)];
    this.host.notifyAll('root/sessionAdded', { channel: ROOT_URI, summary: summary(index) });
  }

  remove(index: number): void {
    const session = summary(index).resource;
    this.sessions = this.sessions.filter(({ resource }) => resource !== session);
    this.host.notifyAll('root/sessionRemoved', { channel: ROOT_URI, session });
  }
}

const titles = ({ items }: SessionCatalogue): string[] => items.map(({ title }) => title);
const names = (...indexes: number[]): string[] => indexes.map((index) => `Session ${index}`);

async function open(count: number, includeArchived = false): Promise<{ it: Board; list: SessionCatalogue }> {
  const it = new Board(count);
  await it.online();
  const list = it.client.sessions.catalogue({ includeArchived });
  await it.settle();
  return { it, list };
}

describe('reading', () => {
  test('[ROOT-2] the first page is small, and all others follow in the background, newest first', async () => {
    const it = new Board(1_200);
    await it.online();
    const list = it.client.sessions.catalogue();
    const counts = new Set<number>();
    list.onChange((items) => {
      counts.add(items.length);
      if (items.length === 50) expect([list.isComplete, list.isLoading]).toEqual([false, true]);
    });
    await it.settle();
    expect(it.pages.map(({ limit }) => limit)).toEqual([50, 500, 500, 500]);
    expect([...counts]).toEqual([0, 50, 550, 1_050, 1_200]);
    expect([list.isComplete, list.isLoading, list.problem]).toEqual([true, false, undefined]);
    expect(titles(list)).toEqual(names(...Array.from({ length: 1_200 }, (_, index) => 1_199 - index)));
    list.dispose();
  });

  test('a list of a client that is not connected yet fills when it is', async () => {
    const it = new Board(2);
    const list = it.client.sessions.catalogue();
    expect(list.items).toEqual([]);
    await it.online();
    expect(titles(list)).toEqual(names(1, 0));
  });

  test('archived sessions are shown on request, and can always be found', async () => {
    const { it, list } = await open(3);
    const all = it.client.sessions.catalogue({ includeArchived: true });
    await it.settle();
    const before = list.items;
    it.change(1, { status: ARCHIVED + 1 });
    await it.settle();
    expect([titles(list), titles(all)]).toEqual([names(2, 0), names(2, 1, 0)]);
    const without = list.items;
    it.change(1, { title: 'In the archive' });
    await it.settle();
    expect(list.items, 'nothing that is shown has changed').toBe(without);
    expect(list.get('ahp-session:/1')?.title).toBe('In the archive');
    it.change(1, { title: 'Session 1', status: 1 });
    await it.settle();
    expect(list.items).toEqual(before);
  });

  test('a failed reading is reported, and can be repeated', async () => {
    const it = new Board(2);
    await it.online();
    it.host.refuse = (method) => (method === 'listSessions' ? new RpcError(-32_603, 'no') : undefined);
    const list = it.client.sessions.catalogue();
    await it.settle();
    expect(list.problem?.message).toBe('no');
    expect([list.isComplete, list.isLoading]).toEqual([false, false]);
    it.host.refuse = () => undefined;
    list.reload();
    await it.settle();
    expect([list.problem, titles(list)]).toEqual([undefined, names(1, 0)]);
  });
});

describe('[ROOT-3] notifications', () => {
  test('change the list, and summaries that did not change stay the same objects', async () => {
    const { it, list } = await open(4);
    const before = list.items;
    it.add(9);
    it.remove(2);
    it.change(0, { title: 'Renamed', modifiedAt: time(10) });
    await it.settle();
    expect(titles(list)).toEqual(['Renamed', ...names(9, 3, 1)]);
    expect(list.items[2]).toBe(before[0]);
    expect(list.items[3]).toBe(before[2]);
    expect(list.items).toBe(list.items);
  });

  test('an empty activity removes the activity', async () => {
    const { it, list } = await open(1);
    it.change(0, { activity: 'Reading' });
    await it.settle();
    expect(list.items[0]?.activity).toBe('Reading');
    it.change(0, { activity: '' });
    await it.settle();
    expect(list.items[0]).not.toHaveProperty('activity');
  });

  test('listeners are called once for all notifications of one frame, and not for a change that changes nothing', async () => {
    const { it, list } = await open(3);
    let calls = 0;
    list.onChange(() => {
      calls += 1;
    });
    it.change(0, { title: 'a' });
    it.change(1, { title: 'b' });
    await it.settle();
    expect(calls).toBe(1);
    it.change(1, { title: 'b' });
    await it.settle();
    expect(calls).toBe(1);
  });

  test('a session that moves to a page that was read already is found on the first page', async () => {
    const it = new Board(700);
    await it.online();
    it.onPage = (index) => {
      if (index === 1) it.change(0, { modifiedAt: time(1_000) });
    };
    const list = it.client.sessions.catalogue();
    await it.settle();
    expect(titles(list)[0]).toBe('Session 0');
    expect(list.items).toHaveLength(700);
    expect(it.pages.map(({ limit }) => limit)).toEqual([50, 500, 500, 50]);
  });

  test('changes of a session that the host does not list are looked for twice', async () => {
    const { it } = await open(3);
    for (let count = 0; count < 5; count += 1) it.change(7, { title: 'unlisted' });
    await it.settle();
    it.change(7, { title: 'unlisted' });
    await it.settle();
    expect(it.pages).toHaveLength(3);
  });

  test('a page does not replace newer notifications', async () => {
    const it = new Board(500);
    await it.online();
    const list = it.client.sessions.catalogue();
    it.onPage = (index) => {
      if (index !== 1) return;
      const before = it.sessions;
      it.change(0, { title: 'Told' });
      it.remove(1);
      it.add(700);
      // The page has the state before.
      it.sessions = before;
    };
    await it.settle();
    expect(list.items).toHaveLength(500);
    expect(titles(list)[0]).toBe('Session 700');
    expect(titles(list).at(-1)).toBe('Told');
    expect(list.get(summary(1).resource)).toBeUndefined();
  });
});

describe('[CONN-5] a reconnect', () => {
  test('reads the list again, keeps the old one meanwhile, and removes missing sessions at the end', async () => {
    const { it, list } = await open(700);
    const before = list.items;
    await it.cut();
    it.sessions = it.sessions.slice(1).map((each, index) => (index === 5 ? { ...each, title: 'New' } : each));
    const counts = new Set<number>();
    list.onChange((items) => counts.add(items.length));
    await it.comeBack();
    expect(counts).toEqual(new Set([700, 699]));
    expect(list.isComplete).toBe(true);
    expect(list.items.filter((item) => !before.includes(item)).map(({ title }) => title)).toEqual(['New']);
  });

  test('during a reading starts it again', async () => {
    const it = new Board(700);
    await it.online();
    const list = it.client.sessions.catalogue();
    it.host.hold = (method) => method === 'listSessions' && it.pages.length === 1;
    await it.settle();
    expect(list.items).toHaveLength(50);
    await it.cut();
    it.host.hold = () => false;
    await it.comeBack();
    expect([list.items.length, list.isComplete, list.problem]).toEqual([700, true, undefined]);
  });
});

describe('[REC-1] actions without an answer', () => {
  test('show in the list at once, without a connection too, and are not shown again as they were before', async () => {
    const { it, list } = await open(3);
    it.host.states.set('ahp-session:/1', sessionState('ahp-chat:/main'));
    await it.cut();
    const before = list.items;
    void it.client.sessions.rename('ahp-session:/1', 'Renamed offline');
    void it.client.sessions.setArchived('ahp-session:/2', true);
    void it.client.sessions.setRead('ahp-session:/0', true);
    await it.settle();
    expect(titles(list)).toEqual(['Renamed offline', 'Session 0']);
    expect(list.items[1]?.status).toBe(1 + READ);
    expect(list.get('ahp-session:/2')?.status).toBe(1 + ARCHIVED);
    expect(before.map(({ title }) => title)).toEqual(names(2, 1, 0));

    // The host tells the list later than it answers the action.
    it.host.judge = ({ action }) => {
      if (action.type === 'session/titleChanged')
        it.sessions = it.sessions.with(1, summary(1, { title: action.title }));
      return undefined;
    };
    const seen = new Set<string | undefined>();
    list.onChange(() => seen.add(list.get('ahp-session:/1')?.title));
    await it.comeBack();
    it.change(1, { title: 'Renamed offline' });
    await it.settle();
    expect([...seen]).toEqual(['Renamed offline']);
  });

  test('leave the list as the host has it when the host rejects them', async () => {
    const { it, list } = await open(1);
    it.host.states.set('ahp-session:/0', sessionState('ahp-chat:/main'));
    it.host.judge = () => ({ reject: 'forbidden: no' });
    const outcome = it.client.sessions.rename('ahp-session:/0', 'Not allowed');
    await microtasks();
    expect(titles(list)).toEqual(['Not allowed']);
    expect(await it.run(outcome)).toMatchObject({ outcome: 'rejected' });
    expect(titles(list)).toEqual(['Session 0']);
  });

  test('are applied to what other clients change meanwhile', async () => {
    const { it, list } = await open(1);
    it.host.states.set('ahp-session:/0', sessionState('ahp-chat:/main'));
    it.host.judge = () => 'ignore';
    void it.client.sessions.setRead('ahp-session:/0', true);
    it.change(0, { title: 'By another client', status: 8 });
    await it.settle();
    expect(list.items[0]).toMatchObject({ title: 'By another client', status: 8 + READ });
  });

  test('restored from the memory of the last page show in a list that is made later', async () => {
    let saved: string | undefined;
    const memory = {
      load: () => saved,
      save: (text: string) => {
        saved = text;
      },
    };
    const first = await new Board(1, memory).online();
    await first.cut();
    void first.client.sessions.rename('ahp-session:/0', 'Before the reload');
    const it = new Board(1, memory);
    it.host.judge = () => 'ignore';
    await it.online();
    const list = it.client.sessions.catalogue();
    await it.settle();
    expect(titles(list)).toEqual(['Before the reload']);
    first.client.close();
  });
});

test('a disposed list hears nothing more, and the root is unsubscribed', async () => {
  const { it, list } = await open(2);
  expect(it.host.connectionOf('c1').subscriptions).toContain(ROOT_URI);
  list.onChange(() => expect.fail('disposed'));
  list.dispose();
  list.dispose();
  it.add(5);
  await it.settle();
  list.reload();
  await it.settle();
  expect(list.items).toHaveLength(2);
  expect(it.host.connectionOf('c1').subscriptions).not.toContain(ROOT_URI);
});

test('a list that is disposed while it opens holds nothing', async () => {
  const it = new Board(2);
  await it.online();
  it.client.sessions.catalogue().dispose();
  await it.settle();
  expect(it.host.connectionOf('c1').subscriptions).not.toContain(ROOT_URI);
  expect(it.pages).toEqual([]);
});
