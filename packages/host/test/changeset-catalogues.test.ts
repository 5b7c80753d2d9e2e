import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChangesetFixture } from './changeset-fixture.ts';

test('[CS-1] a session lists its changesets, those of git only in a repository', async () => {
  for (const place of ['repository', 'folder', 'ignored folder']) {
    const fixture = await ChangesetFixture.start((each) => {
      if (place === 'repository') each.git('init', '-q');
      if (place !== 'ignored folder') return;
      each.git('init', '-q', '..');
      writeFileSync(join(each.tree, '..', '.gitignore'), '*\n');
    });
    const client = await fixture.client();
    const { session, chat } = await fixture.session(client);
    await fixture.turn(client, chat, 'one', () => undefined);
    await fixture.until(() => client.types(session).includes('session/changesetsChanged'));
    const kinds = client
      .envelopes(session)
      .flatMap(({ action }) => (action.type === 'session/changesetsChanged' ? (action.changesets ?? []) : []))
      .map(({ changeKind }) => changeKind);
    expect(kinds).toEqual([
      'session',
      ...(place === 'repository' ? ['uncommitted', 'branch'] : []),
      'turn',
      'compare-turns',
    ]);
    await fixture.stop();
  }
});

test('[CHAT-43] a chat lists the changesets of its own turns', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '1\n'));
  await fixture.until(() => client.types(chat).includes('chat/changesetsChanged'));
  const entry = client
    .envelopes(chat)
    .flatMap(({ action }) => (action.type === 'chat/changesetsChanged' ? (action.changesets ?? []) : []))[0];
  const changes = await fixture.watch(client, entry?.uriTemplate ?? '');
  await changes.shows('a +1 -0');
  expect(entry?.changeKind).toBe('session');
});
