import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Annotation, type AnnotationsState, CHANNEL_LIMITS } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { codeOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { Asked } from './steered.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const ANNOTATIONS = `${SESSION}/annotations`;
const FILE = ['import "a";', '', 'export function one() {', '  return compute(1);', '}', ''];

async function withFile(steer?: Asked['steer']) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'annotations-')));
  folders.push(folder);
  const file = join(folder, 'a.ts');
  writeFileSync(file, FILE.join('\n'));
  const host = await startHost({ defaultDirectory: folder, roots: [folder] });
  host.agent.steer = steer;
  const client = await host.client('ada', { clientInfo: { name: 'ada' } });
  const { session, chat } = await host.session(client);
  await client.subscribe(ANNOTATIONS);
  const resource = pathToFileURL(file).href;
  return { host, client, session, chat, folder, file, resource };
}

const range = { start: { line: 3, character: 0 }, end: { line: 4, character: 0 } };
const annotation = (resource: string, more: object = {}): Annotation => ({
  id: 'a',
  origin: { session: SESSION },
  resource,
  range,
  resolved: false,
  entries: [{ id: 'e', text: 'Why one?' }],
  ...more,
});

const set = (client: RawClient, of: Annotation) =>
  client.act(ANNOTATIONS, { type: 'annotations/set', annotation: of });

async function stateOf(client: RawClient): Promise<AnnotationsState['annotations']> {
  const { state } = await client.subscribe(ANNOTATIONS);
  if (!('annotations' in state) || !Array.isArray(state.annotations)) throw new Error('no annotations');
  return state.annotations;
}

describe('the annotations of a session', () => {
  test('[ANN-1] can be subscribed before there are any, and are kept over a restart', async () => {
    const { host, client, resource } = await withFile();
    expect(await stateOf(client)).toStrictEqual([]);
    await set(client, annotation(resource));
    await client.act(ANNOTATIONS, {
      type: 'annotations/entrySet',
      annotationId: 'a',
      entry: { id: 'f', text: 'Because' },
    });
    await client.act(ANNOTATIONS, { type: 'annotations/updated', annotationId: 'a', resolved: true });
    const before = await stateOf(client);
    expect(before).toMatchObject([{ id: 'a', resolved: true, entries: [{ id: 'e' }, { id: 'f' }] }]);
    await host.restart();
    const again = await host.client('ada');
    expect(await stateOf(again)).toStrictEqual(before);
    await again.act(ANNOTATIONS, { type: 'annotations/entryRemoved', annotationId: 'a', entryId: 'e' });
    expect(await stateOf(again)).toMatchObject([{ entries: [{ id: 'f' }] }]);
    await again.act(ANNOTATIONS, { type: 'annotations/removed', annotationId: 'a' });
    expect(await stateOf(again)).toStrictEqual([]);
  });

  test('[ANN-1] [CONN-6] a client that was away gets the actions replayed, also after a restart', async () => {
    const { host, client, resource } = await withFile();
    const other = await host.client('bob');
    await other.subscribe(ANNOTATIONS);
    const { fromSeq: seen } = await client.subscribe(ANNOTATIONS);
    client.link.cut();
    await set(other, annotation(resource));
    await host.restart();
    const again = host.connect('ada');
    const answer = await again.reconnect(seen, [ANNOTATIONS]);
    expect(answer).toMatchObject({
      type: 'replay',
      missing: [],
      actions: [{ action: { type: 'annotations/set' } }],
    });
  });

  test('[ANN-1] [CONN-6] a subscription without any annotations does not turn a replay into snapshots', async () => {
    const { host, client, chat } = await withFile();
    const { fromSeq: seen } = await client.subscribe(ANNOTATIONS);
    await host.restart();
    const again = host.connect('ada');
    expect(await again.reconnect(seen, [ANNOTATIONS, chat])).toMatchObject({ type: 'replay', missing: [] });
  });

  test('[ANN-1] actions of two clients are applied in one order, and each sees those of the other', async () => {
    const { host, client, resource } = await withFile();
    const other = await host.client('bob', { clientInfo: { name: 'bob' } });
    await other.subscribe(ANNOTATIONS);
    client.dispatch(ANNOTATIONS, { type: 'annotations/set', annotation: annotation(resource) });
    other.dispatch(ANNOTATIONS, {
      type: 'annotations/set',
      annotation: annotation(resource, { id: 'b', entries: [{ id: 'e', text: 'Me too' }] }),
    });
    await client.ping();
    await other.ping();
    await other.act(ANNOTATIONS, { type: 'annotations/updated', annotationId: 'a', resolved: true });
    await client.ping();
    expect(client.envelopes(ANNOTATIONS).map(({ action }) => action)).toStrictEqual(
      other.envelopes(ANNOTATIONS).map(({ action }) => action),
    );
    // Which of the two is first depends on the file system, which both wait for.
    const shown = (await stateOf(client)).toSorted((a, b) => a.id.localeCompare(b.id));
    expect(shown).toMatchObject([{ id: 'a', resolved: true }, { id: 'b' }]);
  });

  test('[ANN-1] the dispatches of a client keep their order while a file is read', async () => {
    const { client, resource } = await withFile();
    client.dispatch(ANNOTATIONS, { type: 'annotations/set', annotation: annotation(resource) });
    client.dispatch(ANNOTATIONS, { type: 'annotations/removed', annotationId: 'a' });
    await client.ping();
    expect(client.types(ANNOTATIONS)).toStrictEqual(['annotations/set', 'annotations/removed']);
    expect(await stateOf(client)).toStrictEqual([]);
  });

  test('[ANN-1] [ACT-8] a first annotation that cannot be stored is gone, and the next one is kept', async () => {
    const { host, client, resource } = await withFile();
    host.journal.failNextCommits(1);
    const refused = client.dispatch(ANNOTATIONS, {
      type: 'annotations/set',
      annotation: annotation(resource),
    });
    await host.run();
    expect(client.echoOf(refused)?.rejectionReason).toMatch(/^unavailable: /);
    await host.advance(5_000);
    expect(await stateOf(client)).toStrictEqual([]);
    await set(client, annotation(resource, { id: 'b' }));
    await host.restart();
    expect(await stateOf(await host.client())).toMatchObject([{ id: 'b' }]);
  });

  test('[SESS-3] go with their session, and a new session with its URI has none', async () => {
    const { host, client, resource } = await withFile();
    await set(client, annotation(resource));
    await client.request('disposeSession', { channel: SESSION });
    await expect(client.subscribe(ANNOTATIONS)).rejects.toMatchObject({ code: -32001 });
    expect(await client.act(ANNOTATIONS, { type: 'annotations/removed', annotationId: 'a' })).toBeUndefined();
    await host.session(client);
    expect(await stateOf(client)).toStrictEqual([]);
    await set(client, annotation(resource, { id: 'b' }));
    await host.restart();
    expect(await stateOf(await host.client())).toMatchObject([{ id: 'b' }]);
  });

  test('[SESS-5] are counted in the entry of the session, not in its state', async () => {
    const { host, client, session, resource } = await withFile();
    await client.subscribe(ROOT);
    const listed = async (by = client) =>
      (await by.request('listSessions', { channel: ROOT })).items[0]?.annotations;
    expect(await listed()).toBeUndefined();
    await set(client, annotation(resource));
    await client.act(ANNOTATIONS, {
      type: 'annotations/entrySet',
      annotationId: 'a',
      entry: { id: 'f', text: 'x' },
    });
    const counts = { resource: ANNOTATIONS, annotationCount: 1, entryCount: 2 };
    expect(await listed()).toStrictEqual(counts);
    expect(client.notifications('root/sessionSummaryChanged').at(-1)).toMatchObject({
      session,
      changes: { annotations: counts },
    });
    await client.act(session, { type: 'session/titleChanged', title: 'x' });
    expect(await listed()).toStrictEqual(counts);
    expect((await client.subscribe(session)).state).not.toHaveProperty('annotations');
    await host.restart();
    const again = await host.client();
    await again.act(session, { type: 'session/titleChanged', title: 'y' });
    expect(await listed(again)).toStrictEqual(counts);
    await again.act(ANNOTATIONS, { type: 'annotations/removed', annotationId: 'a' });
    expect(await listed(again)).toStrictEqual({ resource: ANNOTATIONS, annotationCount: 0, entryCount: 0 });
  });

  test('[SESS-12] are not copied into a fork', async () => {
    const { host, client, chat, resource } = await withFile();
    await client.act(chat, turnStarted('t1'));
    await host.run();
    host.agent.turn.complete();
    await host.run();
    await set(client, annotation(resource));
    await client.request('createSession', {
      channel: 'ahp-session:/two',
      'x-fork': { session: SESSION, turnId: 't1' },
    });
    expect((await client.subscribe('ahp-session:/two/annotations')).state).toStrictEqual({ annotations: [] });
  });

  test('[ANN-1] are unloaded when nobody uses them', async () => {
    const { host, client, resource } = await withFile();
    await set(client, annotation(resource));
    const before = await stateOf(client);
    client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: ANNOTATIONS } });
    await host.advance(600_000);
    expect(await stateOf(client)).toStrictEqual(before);
    await host.restart();
    expect(await stateOf(await host.client())).toStrictEqual(before);
  });
});

describe('a refused action', () => {
  test('[ANN-1] an annotation without entries, and the removal of the last entry', async () => {
    const { client, resource } = await withFile();
    expect(codeOf(await set(client, annotation(resource, { entries: [] })))).toBe('emptyAnnotation');
    await set(client, annotation(resource));
    const remove = (entryId: string) =>
      client.act(ANNOTATIONS, { type: 'annotations/entryRemoved', annotationId: 'a', entryId });
    expect(codeOf(await remove('e'))).toBe('lastEntry');
    expect(codeOf(await remove('unknown'))).toBeUndefined();
    expect(await stateOf(client)).toMatchObject([{ entries: [{ id: 'e' }] }]);
  });

  test('[ANN-20] an origin in another session', async () => {
    const { client, resource } = await withFile();
    const origin = { session: 'ahp-session:/two' };
    expect(codeOf(await set(client, annotation(resource, { origin })))).toBe('otherSession');
    await set(client, annotation(resource));
    const updated = { type: 'annotations/updated', annotationId: 'a' } as const;
    expect(codeOf(await client.act(ANNOTATIONS, { ...updated, origin }))).toBe('otherSession');
    const here = { session: SESSION, chat: 'ahp-chat:/c', turnId: 't' };
    expect(codeOf(await client.act(ANNOTATIONS, { ...updated, origin: here }))).toBeUndefined();
    expect(await stateOf(client)).toMatchObject([{ origin: here }]);
  });

  test('[ANN-1] more than the session has room for', async () => {
    const { client, resource } = await withFile();
    const big = (id: string) =>
      annotation(resource, { id, entries: [{ id: 'e', text: 'x'.repeat(1_000_000) }] });
    for (const id of ['1', '2', '3', '4']) await set(client, big(id));
    const refused = await set(client, big('5'));
    expect(codeOf(refused)).toBe('tooLarge');
    expect(refused?.['x-refusal']).toMatchObject({ kind: 'size', max: CHANNEL_LIMITS.annotationsLength.max });
    const entry = { id: 'f', text: 'x'.repeat(1_000_000) };
    expect(
      codeOf(await client.act(ANNOTATIONS, { type: 'annotations/entrySet', annotationId: '1', entry })),
    ).toBe('tooLarge');
    expect(codeOf(await set(client, annotation(resource, { id: '4' })))).toBeUndefined();
    expect(await stateOf(client)).toHaveLength(4);
  });

  test('[ANN-1] too many annotations', async () => {
    const { client, resource } = await withFile();
    const { range: _, ...whole } = annotation(resource);
    const { max } = CHANNEL_LIMITS.annotations;
    for (let index = 0; index < max; index += 1)
      client.dispatch(ANNOTATIONS, { type: 'annotations/set', annotation: { ...whole, id: `a${index}` } });
    await client.ping();
    expect(codeOf(await set(client, { ...whole, id: 'more' }))).toBe('tooManyAnnotations');
    expect(codeOf(await set(client, { ...whole, id: 'a0', resolved: true }))).toBeUndefined();
  });
});

describe('the author of an entry', () => {
  test('[ANN-1] is written by the host, and is the client that wrote the present text', async () => {
    const { host, client, resource } = await withFile();
    const forged = { clientId: 'somebody', name: 'Somebody' };
    const entries = [{ id: 'e', text: 'Why one?', 'x-by': forged }];
    await set(client, annotation(resource, { entries }));
    const ada = { clientId: 'ada', name: 'ada' };
    expect(await stateOf(client)).toMatchObject([{ entries: [{ 'x-by': ada }] }]);
    const other = await host.client('bob', { clientInfo: { name: 'bob' } });
    const bob = { clientId: 'bob', name: 'bob' };
    await set(
      other,
      annotation(resource, { resolved: true, entries: [...entries, { id: 'f', text: 'And two?' }] }),
    );
    expect(await stateOf(client)).toMatchObject([{ entries: [{ 'x-by': ada }, { 'x-by': bob }] }]);
    const entry = { id: 'e', text: 'Why not two?', 'x-by': 'nonsense' };
    const echo = await other.act(ANNOTATIONS, { type: 'annotations/entrySet', annotationId: 'a', entry });
    expect(echo?.rejectionReason).toBeUndefined();
    expect(await stateOf(client)).toMatchObject([{ entries: [{ text: 'Why not two?', 'x-by': bob }, {}] }]);
  });
});

describe('annotated lines', () => {
  test('[ANN-1] are remembered, and followed when the file changes in a turn', async () => {
    const { host, client, chat, file, resource } = await withFile();
    await set(
      client,
      annotation(resource, { 'x-anchor': { quote: 'forged', linesBefore: [], linesAfter: [] } }),
    );
    expect(await stateOf(client)).toMatchObject([
      { 'x-anchor': { quote: '  return compute(1);', linesAfter: ['}', ''] } },
    ]);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    writeFileSync(file, ['// new', '// new', ...FILE].join('\n'));
    client.clear();
    host.agent.turn.complete();
    await host.run();
    expect(client.envelopes(ANNOTATIONS).map(({ action }) => action)).toStrictEqual([
      {
        type: 'annotations/updated',
        annotationId: 'a',
        range: { start: { line: 5, character: 0 }, end: { line: 6, character: 0 } },
      },
    ]);
  });

  test('[ANN-1] are outdated while the file does not have them', async () => {
    const { host, client, file, resource } = await withFile();
    await set(client, annotation(resource));
    await client.act(ANNOTATIONS, { type: 'annotations/updated', annotationId: 'a', resolved: true });
    const look = async () => {
      await host.restart();
      const again = await host.client();
      await again.subscribe(ANNOTATIONS);
      await host.run();
      return stateOf(again);
    };
    for (const change of [() => writeFileSync(file, 'other\n'), () => rmSync(file)]) {
      change();
      expect(await look()).toMatchObject([{ range, 'x-outdated': true, resolved: true }]);
    }
    writeFileSync(file, ['// new', ...FILE].join('\n'));
    const [found] = await look();
    expect(found).toMatchObject({ range: { start: { line: 4 } }, resolved: true });
    expect(found).not.toHaveProperty('x-outdated');
  });

  test('[ANN-1] get another anchor when a client moves the annotation', async () => {
    const { client, file, resource } = await withFile();
    await set(client, annotation(resource));
    writeFileSync(file, ['moved', ...FILE].join('\n'));
    const other = { start: { line: 3, character: 7 }, end: { line: 3, character: 15 } };
    await client.act(ANNOTATIONS, { type: 'annotations/updated', annotationId: 'a', range: other });
    expect(await stateOf(client)).toMatchObject([
      {
        range: other,
        'x-anchor': { quote: 'export function one() {' },
        entries: [{ 'x-by': { clientId: 'ada' } }],
      },
    ]);
  });

  test('[RES-2] of files that clients may not read are not read, and the annotation is accepted', async () => {
    const { client, folder, resource } = await withFile();
    const secret = realpathSync(mkdtempSync(join(tmpdir(), 'annotations-secret-')));
    folders.push(secret);
    writeFileSync(join(secret, 's.txt'), 'secret one\nsecret two\n');
    symlinkSync(join(secret, 's.txt'), join(folder, 'link'));
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    mkdirSync(join(folder, 'sub'));
    const first = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const places = [
      pathToFileURL(join(secret, 's.txt')).href,
      pathToFileURL(join(folder, 'link')).href,
      pathToFileURL(join(folder, 'loop')).href,
      pathToFileURL(join(folder, 'sub')).href,
      pathToFileURL(join(folder, 'none')).href,
      'git:/a.ts?ref=HEAD',
      'file://elsewhere/a.ts',
      'nonsense',
    ];
    for (const [index, place] of places.entries()) {
      const echo = await set(client, annotation(place, { id: `a${index}`, range: first }));
      expect(echo?.rejectionReason).toBeUndefined();
    }
    await set(
      client,
      annotation(resource, { id: 'odd', range: { ...range, start: { line: -1, character: 0.5 } } }),
    );
    await set(
      client,
      annotation(resource, {
        id: 'far',
        range: { start: { line: 1e300, character: 0 }, end: { line: 1e301, character: 0 } },
      }),
    );
    const all = await stateOf(client);
    expect(all).toHaveLength(places.length + 2);
    expect(all.filter((each) => 'x-anchor' in each)).toStrictEqual([]);
    expect(JSON.stringify(all)).not.toContain('secret one');
  });

  test('[ANN-20] of the version of a turn stay where they are', async () => {
    const { host, client, chat, file, resource } = await withFile();
    for (const turnId of ['t1', 't2']) {
      await client.act(chat, turnStarted(turnId));
      await host.run();
      host.agent.turn.complete();
      await host.run();
    }
    await set(client, annotation(resource, { id: 'old', origin: { session: SESSION, chat, turnId: 't1' } }));
    await set(client, annotation(resource, { id: 'last', origin: { session: SESSION, turnId: 't2' } }));
    const [old, last] = await stateOf(client);
    expect(old).not.toHaveProperty('x-anchor');
    expect(last).toMatchObject({ 'x-anchor': { quote: '  return compute(1);' } });
    await client.act(chat, turnStarted('t3'));
    await host.run();
    writeFileSync(file, ['// new', ...FILE].join('\n'));
    host.agent.turn.complete();
    await host.run();
    expect(await stateOf(client)).toStrictEqual([old, last]);
  });
});

describe('attached annotations', () => {
  test('[ANN-1] reach the agent with file, present lines, quote and texts, and stay open', async () => {
    const { host, client, chat, file, resource } = await withFile();
    await set(client, annotation(resource));
    const other = await host.client('bob', { clientInfo: { name: 'bob' } });
    await other.act(ANNOTATIONS, {
      type: 'annotations/entrySet',
      annotationId: 'a',
      entry: { id: 'f', text: { markdown: 'And *two*?' } },
    });
    const { range: _, ...whole } = annotation(resource, { id: 'b' });
    await set(client, whole);
    await set(client, annotation(resource, { id: 'c', entries: [{ id: 'e', text: 'not sent' }] }));
    writeFileSync(file, ['// new', ...FILE].join('\n'));
    const attachment = {
      type: 'annotations',
      label: '2 comments',
      resource: ANNOTATIONS,
      annotationIds: ['a', 'b', 'unknown'],
    };
    const message = { text: 'Address these', origin: { kind: 'user' }, attachments: [attachment] };
    await client.act(chat, { ...turnStarted('t1'), message });
    await host.run();
    expect(host.agent.turn.input.message.attachments).toStrictEqual([
      {
        ...attachment,
        'x-annotations': [
          {
            id: 'a',
            resource,
            range: { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } },
            quote: '  return compute(1);',
            text: { markdown: 'ada: Why one?\n\nbob: And *two*?' },
          },
          { id: 'b', resource, text: { markdown: 'Why one?' } },
        ],
      },
    ]);
    host.agent.turn.complete();
    await host.run();
    expect((await stateOf(client)).map(({ resolved }) => resolved)).toStrictEqual([false, false, false]);
  });

  test('[ANN-1] [CHAT-12] reach the agent with a steering message too', async () => {
    const asked = new Asked();
    const { host, client, chat, resource } = await withFile(asked.steer);
    await set(client, annotation(resource));
    await client.act(chat, turnStarted('t1'));
    await host.run();
    const attachments = [{ type: 'annotations', label: 'all', resource: ANNOTATIONS }];
    const message = { text: 'x', origin: { kind: 'user' }, attachments };
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's', message });
    await host.run();
    expect(asked.messages[0]?.attachments).toMatchObject([
      { 'x-annotations': [{ range, quote: '  return compute(1);' }] },
    ]);
    asked.last.resolve(true);
    host.agent.turn.complete();
    await host.run();
  });

  test('[ANN-1] say so when their lines are gone', async () => {
    const { host, client, chat, file, resource } = await withFile();
    await set(client, annotation(resource));
    writeFileSync(file, 'other');
    const attachments = [{ type: 'annotations', label: 'all', resource: ANNOTATIONS }];
    await client.act(chat, {
      ...turnStarted('t1'),
      message: { text: 'x', origin: { kind: 'user' }, attachments },
    });
    await host.run();
    expect(host.agent.turn.input.message.attachments).toMatchObject([
      {
        'x-annotations': [
          {
            resource,
            quote: '  return compute(1);',
            text: {
              markdown: expect.stringMatching(/^\(The file no longer has the quoted lines.\)\n\nWhy one\?$/),
            },
          },
        ],
      },
    ]);
  });
});
