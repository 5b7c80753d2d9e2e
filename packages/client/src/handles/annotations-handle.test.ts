import { annotationsUri } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';

const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };

async function withAnnotations() {
  const it = await new Harness().online();
  const session = await it.run(it.client.sessions.create());
  const uri = annotationsUri(session.uri);
  it.host.states.set(uri, { annotations: [] });
  const annotations = await it.run(session.annotations());
  return { it, session, uri, annotations };
}

test('[ANN-1] each change of an annotation has a method, whose effect shows at once', async () => {
  const { it, session, annotations } = await withAnnotations();
  const outcomes = [annotations.add({ resource: 'file:///a', range, text: 'Why?', id: 'a' })];
  expect(annotations.all).toMatchObject([
    {
      id: 'a',
      origin: { session: session.uri },
      resource: 'file:///a',
      range,
      resolved: false,
      entries: [{ text: 'Why?' }],
    },
  ]);
  outcomes.push(annotations.reply('a', { markdown: 'Because' }));
  const [first, second] = annotations.find('a')?.entries ?? [];
  expect(second).toMatchObject({ text: { markdown: 'Because' } });
  outcomes.push(annotations.edit('a', first?.id ?? '', 'Why so?'));
  expect(annotations.find('a')?.entries[0]).toEqual({ id: first?.id, text: 'Why so?' });
  outcomes.push(annotations.resolve('a'));
  expect(annotations.open).toEqual([]);
  outcomes.push(annotations.reopen('a'));
  expect(annotations.open).toHaveLength(1);
  const other = { ...range, end: { line: 3, character: 0 } };
  outcomes.push(annotations.move('a', other, 'file:///b'));
  expect(annotations.find('a')).toMatchObject({ range: other, resource: 'file:///b' });
  outcomes.push(annotations.removeEntry('a', first?.id ?? ''));
  expect(annotations.find('a')?.entries).toEqual([second]);
  outcomes.push(annotations.removeEntry('a', second?.id ?? ''));
  expect(annotations.all).toEqual([]);
  outcomes.push(annotations.add({ resource: 'file:///a', text: 'All', id: 'b' }), annotations.remove('b'));
  expect(await it.run(Promise.all(outcomes))).toMatchObject(outcomes.map(() => ({ outcome: 'accepted' })));
  expect(it.host.states.get(annotations.uri)).toEqual({ annotations: [] });
});

test('[ANN-20] an annotation can name a chat and a turn of its session', async () => {
  const { it, session, annotations } = await withAnnotations();
  const origin = { chat: session.chat.mirror.uri, turnId: 't' };
  await it.run(annotations.add({ resource: 'file:///a', text: 'x', origin }));
  expect(annotations.all).toMatchObject([{ origin: { session: session.uri, ...origin } }]);
});

test('[ANN-1] an annotation or an entry that is gone is told without a dispatch', async () => {
  const { it, annotations } = await withAnnotations();
  await it.run(annotations.add({ resource: 'file:///a', text: 'x', id: 'a' }));
  const gone = { outcome: 'rejected', code: 'noSuchAnnotation' };
  expect(await annotations.resolve('b')).toMatchObject(gone);
  expect(await annotations.edit('a', 'none', 'y')).toMatchObject(gone);
  expect(annotations.all).toHaveLength(1);
});

test('[ANN-1] a turn is started with the open annotations, or with chosen ones', async () => {
  const { it, session, uri, annotations } = await withAnnotations();
  for (const id of ['a', 'b']) await it.run(annotations.add({ resource: 'file:///a', text: 'x', id }));
  await it.run(annotations.resolve('a'));
  const prompt = await it.run(session.sendAnnotations('Address these'));
  expect(session.chat.mirror.state.activeTurn).toMatchObject({
    id: prompt.turnId,
    message: {
      text: 'Address these',
      attachments: [{ type: 'annotations', label: '1 comment', resource: uri, annotationIds: ['b'] }],
    },
  });
  expect(annotations.message('x', ['a', 'b']).attachments).toMatchObject([
    { label: '2 comments', annotationIds: ['a', 'b'] },
  ]);
});
