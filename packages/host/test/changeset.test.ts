import {
  chmodSync,
  existsSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHANGES_OF_SESSION, ChangesetFixture } from './changeset-fixture.ts';

const turnUri = (id: string): string => `ahp-changeset:/turn/ahp-session%3A%2Fone/${id}`;

test.each([true, false])(
  '[CS-1] [CS-3] files that a shell changed in a turn are shown with their contents (git: %s)',
  async (isGit) => {
    const fixture = await ChangesetFixture.start((each) => {
      writeFileSync(join(each.tree, 'old.txt'), 'one\r\ntwo\r\n');
      writeFileSync(join(each.tree, 'gone'), 'gone');
      if (!isGit) return;
      each.git('init', '-q');
      each.git('add', '-A');
      each.git('commit', '-q', '-m', 'x');
    });
    const client = await fixture.client();
    const { chat } = await fixture.session(client);
    await fixture.turn(client, chat, 'one', () => {
      writeFileSync(join(fixture.tree, 'old.txt'), 'one\r\n2\r\n');
      rmSync(join(fixture.tree, 'gone'));
      writeFileSync(join(fixture.tree, 'new.bin'), Buffer.from([0, 1, 255]));
    });
    const changes = await fixture.watch(client, turnUri('one'));
    await changes.shows('gone +0 -1', 'new.bin +undefined -undefined', 'old.txt +1 -1');
    const { before, after } = changes.file('old.txt').edit;
    const read = (uri = ''): Promise<object> =>
      fixture.ask(client, 'resourceRead', { channel: 'ahp-root://', uri });
    expect(await read(before?.content.uri)).toMatchObject({ data: 'one\r\ntwo\r\n', encoding: 'utf-8' });
    expect(await read(after?.content.uri)).toMatchObject({ data: 'one\r\n2\r\n', encoding: 'utf-8' });
    expect(await read(changes.file('new.bin').edit.after?.content.uri)).toMatchObject({
      data: 'AAH/',
      encoding: 'base64',
    });
    expect(changes.file('gone').edit.after).toBeUndefined();
  },
);

test('[CS-1] a changeset of too many files says so, and those of other turns are shown', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => {
    for (let file = 0; file < 2_001; file += 1) writeFileSync(join(fixture.tree, `file-${file}`), '');
  });
  await fixture.turn(client, chat, 'two', () => writeFileSync(join(fixture.tree, 'a'), '1\n'));
  const many = await fixture.watch(client, turnUri('one'));
  await fixture.until(() => many.state.error !== undefined);
  expect(many.state.error).toMatchObject({
    errorType: 'tooLarge',
    message:
      '2001 files have changed, and changes of at most 2000 files can be shown, reverted and committed here',
  });
  await (await fixture.watch(client, turnUri('two'))).shows('a +1 -0');
});

test('[CS-3] only versions that a changeset has shown can be read', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '1\n'));
  const changes = await fixture.watch(client, turnUri('one'));
  await changes.shows('a +1 -0');
  const uri = changes.file('a').edit.after?.content.uri ?? '';
  // The code of another version.
  const forged = uri.replace(/\.[0-9a-f]{40}\./, '.e69de29bb2d1d6434b8b29ae775ad8c2e48c5391.');
  for (const wrong of [forged, uri.replace(/.{32}\/a$/, `${'0'.repeat(32)}/a`), 'agenthost-content:/blob.x'])
    await expect(
      fixture.ask(client, 'resourceRead', { channel: 'ahp-root://', uri: wrong }),
    ).rejects.toMatchObject({
      code: -32006,
    });
});

test('[CS-1] what people edit between turns is in no changeset of a turn', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  const path = join(fixture.tree, 'a');
  await fixture.turn(client, chat, 'one', () => writeFileSync(path, '1\n'));
  const first = await fixture.watch(client, turnUri('one'));
  await first.shows('a +1 -0');
  writeFileSync(path, '1\nby a person\n');
  writeFileSync(join(fixture.tree, 'person'), 'x');
  await fixture.turn(client, chat, 'two', () => writeFileSync(path, '0\n1\nby a person\n'));
  const second = await fixture.watch(client, turnUri('two'));
  await second.shows('a +1 -0');
  const all = await fixture.watch(client, CHANGES_OF_SESSION);
  await all.shows('a +3 -0');
  expect(second.names).toEqual(['a +1 -0']);
});

test('[CS-1] two turns are compared by what the later ones have changed, without the edits of people', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  const at = (name: string): string => join(fixture.tree, name);
  await fixture.turn(client, chat, 'one', () => writeFileSync(at('a'), '1\n'));
  const changes = await fixture.watch(client, turnUri('one'));
  await changes.shows('a +1 -0');
  writeFileSync(at('person'), 'x\n');
  await fixture.turn(client, chat, 'two', () => writeFileSync(at('a'), '1\n2\n'));
  const two = await fixture.watch(client, turnUri('two'));
  await two.shows('a +1 -0');
  await fixture.turn(client, chat, 'three', () => {
    writeFileSync(at('a'), '1\n2\n3\n');
    writeFileSync(at('b'), '1\n');
  });
  const compare = (from: string, to: string): string =>
    `ahp-changeset:/compare/ahp-session%3A%2Fone/${from}/${to}`;
  const both = await fixture.watch(client, compare('one', 'three'));
  await both.shows('a +2 -0', 'b +1 -0');
  const last = await fixture.watch(client, compare('two', 'three'));
  await last.shows('a +1 -0', 'b +1 -0');
  for (const [from, to] of [
    ['three', 'one'],
    ['one', 'nowhere'],
  ] as const)
    await expect(fixture.watch(client, compare(from, to))).rejects.toMatchObject({ code: -32008 });
});

test('[CS-1] uncommitted changes follow git, and the edits of people', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n');
    writeFileSync(join(each.tree, '.gitattributes'), '*.crlf text eol=crlf\n');
    writeFileSync(join(each.tree, 'b.crlf'), '1\r\n');
    each.git('init', '-q', '-b', 'main');
    each.git('add', '-A');
    each.git('commit', '-q', '-m', 'x');
  });
  const client = await fixture.client();
  await fixture.session(client);
  writeFileSync(join(fixture.tree, 'a'), '2\n');
  const changes = await fixture.watch(client, 'ahp-changeset:/uncommitted/ahp-session%3A%2Fone');
  await changes.shows('a +1 -1');
  const branch = await fixture.watch(client, 'ahp-changeset:/branch/ahp-session%3A%2Fone');
  await branch.shows('a +1 -1');
  writeFileSync(join(fixture.tree, 'b'), 'x\n');
  await fixture.host.advance(15_000);
  await changes.shows('a +1 -1', 'b +1 -0');
  expect(branch.names).toContain('a +1 -1');
});

test('[CS-20] [CS-21] changes of a running turn are shown, and computed again with the files of before', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.begin(client, chat, 'one');
  writeFileSync(join(fixture.tree, 'a'), '1\n');
  const changes = await fixture.watch(client, CHANGES_OF_SESSION);
  await changes.shows('a +1 -0');
  writeFileSync(join(fixture.tree, 'b'), '1\n');
  const call = fixture.host.agent.turn.output.toolCall({ toolName: 'write', displayName: 'Write' });
  call.run({ invocationMessage: 'Write' });
  await call.complete({ success: true, pastTenseMessage: 'Wrote' });
  await fixture.host.advance(600);
  await changes.shows('a +1 -0', 'b +1 -0');
  await fixture.complete();
  await changes.shows('a +1 -0', 'b +1 -0');
  const statuses = client
    .envelopes(CHANGES_OF_SESSION)
    .flatMap(({ action }) => (action.type === 'changeset/statusChanged' ? [action.status] : []));
  expect(statuses.filter((status) => status === 'computing')).toEqual([]);
  expect(statuses).toContain('recomputing');
});

test('[CHAT-44] the size of the changes is in the chat, the session and the list of sessions', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { session, chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '1\n2\n'));
  const changes = { additions: 2, deletions: 0, files: 1 };
  await fixture.until(() =>
    client
      .envelopes(session)
      .some(({ action }) => action.type === 'session/chatUpdated' && 'changes' in action.changes),
  );
  expect((await client.subscribe(chat)).state).toMatchObject({ changes });
  expect((await client.subscribe(session)).state).toMatchObject({ chats: [{ changes }] });
});

test('[CS-4] a revert restores exact bytes, modes and links, keeps later edits, and can be undone', async () => {
  const fixture = await ChangesetFixture.start((each) => {
    writeFileSync(join(each.tree, 'a'), '1\n2\n3\n4\n5\n6\n7\n');
    writeFileSync(join(each.tree, 'crlf'), Buffer.from('\ufeffx\r\n\u00e9', 'utf16le'));
    writeFileSync(join(each.tree, 'run'), '#!/bin/sh\n');
    chmodSync(join(each.tree, 'run'), 0o755);
    symlinkSync('a', join(each.tree, 'link'));
    writeFileSync(join(each.tree, 'untouched'), 'x');
    utimesSync(join(each.tree, 'untouched'), 1_000, 1_000);
  });
  const at = (name: string): string => join(fixture.tree, name);
  const original = readFileSync(at('crlf'));
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => {
    writeFileSync(at('a'), '1\ntwo\n3\n4\n5\n6\n7\n');
    writeFileSync(at('crlf'), 'other');
    chmodSync(at('run'), 0o644);
    rmSync(at('link'));
    writeFileSync(at('link'), 'a file');
    writeFileSync(at('new'), 'new');
  });
  const changes = await fixture.watch(client, turnUri('one'));
  await fixture.until(() => changes.state.status === 'ready');
  // A person goes on in another line.
  writeFileSync(at('a'), '1\ntwo\n3\n4\n5\n6\nseven\n');
  await changes.invoke('revert');
  expect(readFileSync(at('a'), 'utf8')).toBe('1\n2\n3\n4\n5\n6\nseven\n');
  expect(readFileSync(at('crlf'))).toEqual(original);
  expect(statSync(at('run')).mode & 0o777).toBe(0o755);
  expect(readlinkSync(at('link'))).toBe('a');
  expect(existsSync(at('new'))).toBe(false);
  expect(statSync(at('untouched')).mtimeMs).toBe(1_000_000);
  const all = await fixture.watch(client, CHANGES_OF_SESSION);
  await all.shows('a +1 -1');
  await changes.invoke('undo');
  expect(readFileSync(at('a'), 'utf8')).toBe('1\ntwo\n3\n4\n5\n6\nseven\n');
  expect(readFileSync(at('link'), 'utf8')).toBe('a file');
  expect(readFileSync(at('new'), 'utf8')).toBe('new');
  expect(changes.state.operations?.map(({ id }) => id)).not.toContain('undo');
});

test('[CS-4] a revert that conflicts with later edits is refused, and writes nothing', async () => {
  const fixture = await ChangesetFixture.start((each) => writeFileSync(join(each.tree, 'a'), '1\n'));
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => {
    writeFileSync(join(fixture.tree, 'a'), 'one\n');
    writeFileSync(join(fixture.tree, 'b'), 'b\n');
  });
  const changes = await fixture.watch(client, turnUri('one'));
  await changes.shows('a +1 -1', 'b +1 -0');
  writeFileSync(join(fixture.tree, 'a'), 'mine\n');
  await expect(changes.invoke('revert')).rejects.toMatchObject({ code: -32011 });
  expect(readFileSync(join(fixture.tree, 'a'), 'utf8')).toBe('mine\n');
  expect(readFileSync(join(fixture.tree, 'b'), 'utf8')).toBe('b\n');
  expect(changes.state.operations?.find(({ id }) => id === 'revert')?.status).toBe('error');
  // One file alone still can be reverted.
  await changes.invoke('revert', { kind: 'resource', resource: changes.file('b').id });
  expect(existsSync(join(fixture.tree, 'b'))).toBe(false);
});

test('[CS-4] a range is reverted alone', async () => {
  const lines = (two: string, eight: string): string => `1\n${two}\n3\n4\n5\n6\n7\n${eight}\n9\n`;
  const fixture = await ChangesetFixture.start((each) =>
    writeFileSync(join(each.tree, 'a'), lines('2', '8')),
  );
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () =>
    writeFileSync(join(fixture.tree, 'a'), lines('two', 'eight')),
  );
  const changes = await fixture.watch(client, turnUri('one'));
  await changes.shows('a +2 -2');
  const range = (line: number) => ({
    kind: 'range',
    resource: changes.file('a').id,
    range: { start: { line, character: 0 }, end: { line, character: 1 } },
  });
  await expect(changes.invoke('revert', range(4))).rejects.toMatchObject({ code: -32602 });
  await changes.invoke('revert', range(7));
  expect(readFileSync(join(fixture.tree, 'a'), 'utf8')).toBe(lines('two', '8'));
  writeFileSync(join(fixture.tree, 'a'), lines('zwei', '8'));
  await expect(changes.invoke('revert', range(1))).rejects.toMatchObject({ code: -32011 });
  expect(readFileSync(join(fixture.tree, 'a'), 'utf8')).toBe(lines('zwei', '8'));
});

test('[CS-4] an operation or target that a changeset does not offer is refused', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '1\n'));
  const changes = await fixture.watch(client, turnUri('one'));
  await changes.shows('a +1 -0');
  await expect(changes.invoke('commit')).rejects.toMatchObject({ code: -32602 });
  await expect(changes.invoke('undo')).rejects.toMatchObject({ code: -32602 });
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const target = { kind: 'range', resource: changes.file('a').id, range };
  await expect(changes.invoke('mark-reviewed', target)).rejects.toMatchObject({ code: -32602 });
  await expect(
    changes.invoke('revert', { kind: 'resource', resource: 'file:///etc/passwd' }),
  ).rejects.toMatchObject({ code: -32008 });
});

test('[CS-22] a mark as reviewed lasts until the file changes', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => {
    writeFileSync(join(fixture.tree, 'a'), '1\n');
    writeFileSync(join(fixture.tree, 'b'), '1\n');
  });
  const all = await fixture.watch(client, CHANGES_OF_SESSION);
  await all.shows('a +1 -0', 'b +1 -0');
  client.dispatch(CHANGES_OF_SESSION, {
    type: 'changeset/filesReviewChanged',
    files: [all.file('a').id],
    reviewed: true,
  });
  await all.invoke('mark-reviewed', { kind: 'resource', resource: all.file('b').id });
  expect(all.state.files.map(({ reviewed }) => reviewed)).toEqual([true, true]);
  await fixture.turn(client, chat, 'two', () => writeFileSync(join(fixture.tree, 'b'), '1\n2\n'));
  await all.shows('a +1 -0', 'b +2 -0');
  expect(all.state.files.map(({ reviewed }) => reviewed)).toEqual([true, false]);
});

test('[CS-22] files of a changeset without reviews cannot be marked', async () => {
  const fixture = await ChangesetFixture.start((each) => each.git('init', '-q'));
  const client = await fixture.client();
  await fixture.session(client);
  const uri = 'ahp-changeset:/uncommitted/ahp-session%3A%2Fone';
  const changes = await fixture.watch(client, uri);
  await changes.shows();
  const echo = await client.act(uri, { type: 'changeset/filesReviewChanged', files: [], reviewed: true });
  expect(echo?.rejectionReason).toMatch(/^notReviewable: /);
});

test('[CS-1] of two turns in one folder, each has the files that it announced, and the others are marked', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { session, chat } = await fixture.session(client);
  const other = 'ahp-chat:/other';
  await client.request('createChat', { channel: session, chat: other });
  await fixture.begin(client, chat, 'one');
  const first = fixture.host.agent.turn;
  await fixture.begin(client, other, 'two');
  const second = fixture.host.agent.turn;
  for (const [turn, name] of [
    [first, 'a'],
    [second, 'b'],
  ] as const) {
    const path = join(fixture.tree, name);
    writeFileSync(path, `${name}\n`);
    const call = turn.output.toolCall({ toolName: 'write', displayName: 'Write' });
    call.run({ invocationMessage: 'Write' });
    const edit = turn.output.fileEdit({ uri: `file://${path}`, after: `${name}\n` });
    await call.complete({
      success: true,
      pastTenseMessage: 'Wrote',
      content: [{ type: 'fileEdit', ...edit }],
    });
  }
  writeFileSync(join(fixture.tree, 'shell'), 'x\n');
  await fixture.host.run();
  first.complete();
  await fixture.complete();
  const ofFirst = await fixture.watch(client, turnUri('one'));
  await ofFirst.shows('a +1 -0', 'shell +1 -0');
  expect(ofFirst.file('shell')._meta).toEqual({ isShared: true });
  expect(ofFirst.file('a')._meta).toBeUndefined();
  const ofSecond = await fixture.watch(client, turnUri('two'));
  await ofSecond.shows('b +1 -0', 'shell +1 -0');
});

test('[CS-1] [CONN-22] a turn that a kill ended has its changes, and a changeset survives the kill', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '1\n'));
  const before = await fixture.watch(client, turnUri('one'));
  await before.shows('a +1 -0');
  await fixture.begin(client, chat, 'two');
  writeFileSync(join(fixture.tree, 'b'), '1\n');
  await fixture.host.restart();
  const again = await fixture.client('ben');
  const ofKilled = await fixture.watch(again, turnUri('two'));
  await ofKilled.shows('b +1 -0');
  const ofFirst = await fixture.watch(again, turnUri('one'));
  await ofFirst.shows('a +1 -0');
  expect(ofFirst.names).toEqual(['a +1 -0']);
  const shown = fixture.host.host.core.sync.registry.getOf('chat', chat);
  await fixture.until(() => shown?.state.changes?.files === 2);
});

test('[SESS-3] the changesets of a removed session are cleared and gone', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  const { session, chat } = await fixture.session(client);
  await fixture.turn(client, chat, 'one', () => writeFileSync(join(fixture.tree, 'a'), '1\n'));
  const changes = await fixture.watch(client, CHANGES_OF_SESSION);
  await changes.shows('a +1 -0');
  await client.request('disposeSession', { channel: session });
  await fixture.host.run();
  expect(client.types(CHANGES_OF_SESSION).at(-1)).toBe('changeset/cleared');
  await expect(fixture.ask(client, 'subscribe', { channel: CHANGES_OF_SESSION })).rejects.toMatchObject({
    code: -32008,
  });
});

test('[SUB-1] a changeset that nothing advertises does not exist', async () => {
  const fixture = await ChangesetFixture.start();
  const client = await fixture.client();
  await fixture.session(client);
  for (const uri of [
    turnUri('never'),
    'ahp-changeset:/session/ahp-session%3A%2Fother',
    'ahp-changeset:/x/%ff',
    'ahp-changeset:/session',
    'ahp-changeset:/session/a/b/c/d',
  ])
    await expect(fixture.ask(client, 'subscribe', { channel: uri })).rejects.toMatchObject({ code: -32008 });
});
