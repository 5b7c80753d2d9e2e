import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { annotationsUri, type SessionRole } from '@agenthost/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { annotation } from './dispatches.ts';
import { type FixtureOptions, ROOT, SESSION } from './host-fixture.ts';
import { codeOf } from './in-turn.ts';
import { arrived } from './push-service.ts';
import { after, ask, begin, endTurn, list, stage, subscribe } from './push-stage.ts';
import type { RawClient } from './raw-client.ts';

const SECRET = 'ahp-session:/secret';
const PERSON = 'Grace Hopper';
const DENIED = { code: -32009 };

/** A host with a shared and a secret session, and a guest. Only the guest has a device. */
async function shared(role: SessionRole, options?: FixtureOptions) {
  const staged = await stage(options);
  const { host, client: owner, device } = staged;
  await owner.request('x-revokePush', { channel: ROOT, id: device });
  const { chat: secretChat } = await host.session(owner, SECRET);
  const { secret, token } = await owner.request('x-createToken', {
    channel: ROOT,
    person: PERSON,
    scope: 'none',
  });
  const share = async (given?: SessionRole): Promise<void> => {
    const params = { channel: ROOT, session: SESSION, person: PERSON } as const;
    await owner.request('x-setSessionRole', { ...params, ...(given && { role: given }) });
    await host.run();
  };
  await share(role);
  const guest = await host.client('guest', {}, host.host.core.accessTokens.identify(secret));
  return { ...staged, owner, guest, secretChat, share, token: token.id };
}

const answerOf = (ticket: unknown) => JSON.stringify({ ticket, action: 'allow' });

describe('pushes to a person with nothing but a role', () => {
  test('[AUTH-1] come from shared sessions alone, and offer answers only with the role interact', async () => {
    const { host, service, owner, guest, chat, secretChat, share } = await shared('observe');
    await subscribe(service, guest, '/guest');
    expect(await list(guest)).toHaveLength(1);
    await begin(host, owner, secretChat, 's1');
    await ask(host, 'secret-call');
    await host.advance(5_000);
    await owner.act(secretChat, { type: 'chat/turnCancelled', turnId: 's1', duration: 1 });
    await host.run();
    await begin(host, owner, chat);
    await ask(host);
    await host.advance(1_000);
    const [watching, ...others] = await arrived(host, service, 1);
    expect(others).toEqual([]);
    expect(watching?.payload).toMatchObject({ kind: 'inputNeeded', session: SESSION });
    expect(watching?.payload).not.toHaveProperty('ticket');
    await share('interact');
    await ask(host, 'second');
    await host.advance(1_000);
    const pushes = await arrived(host, service, 2);
    expect(pushes.at(-1)?.payload).toMatchObject({ ticket: expect.any(String) });
  });

  test('[AUTH-1] and their answers end with the role', async () => {
    const { host, service, owner, guest, chat, share } = await shared('interact');
    await subscribe(service, guest, '/guest');
    await begin(host, owner, chat);
    await ask(host);
    await host.advance(1_000);
    const [push] = await arrived(host, service, 1);
    const route = host.host.core.features.routes['/push-answer'];
    await share();
    expect(await route?.(answerOf(push?.payload['ticket']))).toMatchObject({ status: 410 });
    await ask(host, 'second');
    await endTurn(host);
    await host.advance(60_000);
    await share('observe');
    expect(await after({ host, service, client: guest })).toHaveLength(1);
  });

  test('[AUTH-1] take a role for a new device, and end with the token', async () => {
    const { host, service, owner, guest, share, token } = await shared('observe');
    await subscribe(service, guest, '/guest');
    await share();
    await expect(subscribe(service, guest, '/second')).rejects.toMatchObject(DENIED);
    expect(await list(guest)).toHaveLength(1);
    await owner.request('x-revokeToken', { channel: ROOT, id: token });
    await host.run();
    expect(await list(owner)).toEqual([]);
  });
});

describe('a person with the role interact', () => {
  const complete = (client: RawClient, channel: string, text: string) =>
    client.request('completions', { channel, kind: 'userMessage', text, offset: text.length });

  test('[CHAT-16] completes commands and turns, and gets no names of files', async () => {
    const { host, owner, guest, chat, secretChat, share } = await shared('interact');
    await begin(host, owner, chat);
    await endTurn(host);
    expect(await complete(guest, chat, '#')).toMatchObject({ items: [{ insertText: '#1' }] });
    expect(await complete(guest, chat, '@')).toEqual({ items: [] });
    await expect(complete(guest, secretChat, '#')).rejects.toMatchObject(DENIED);
    await share('observe');
    await expect(complete(guest, chat, '#')).rejects.toMatchObject(DENIED);
  });

  test('[ANN-1] comments on files of the session, and the state gets no lines of them', async () => {
    const { host, owner, guest } = await shared('interact');
    const channel = annotationsUri(SESSION);
    const { state } = await owner.subscribe(SESSION);
    const [folder = ''] = 'workingDirectories' in state ? (state.workingDirectories ?? []) : [];
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const set = (resource: string, id = 'new') =>
      guest.act(channel, { type: 'annotations/set', annotation: { ...annotation, id, resource, range } });
    for (const outside of ['file:///etc/passwd', `${folder}/../x`, `${folder}/%2e%2e/x`, `${folder}x/y`, 'x'])
      expect([outside, codeOf(await set(outside))]).toEqual([outside, 'permissionDenied']);
    const made = await set(`${folder}/file.ts`);
    expect(made).toMatchObject({ action: { annotation: { entries: [{ 'x-by': { person: PERSON } }] } } });
    expect(JSON.stringify(made)).not.toContain('x-anchor');
    const move = { type: 'annotations/updated', annotationId: 'new' } as const;
    expect(codeOf(await guest.act(channel, { ...move, resource: 'file:///etc/passwd' }))).toBe(
      'permissionDenied',
    );
    expect(await guest.act(channel, { ...move, resolved: true })).not.toHaveProperty('rejectionReason');
    await host.run();
  });

  test('[ANN-1] comments follow their lines, also after a restart, and no client sees the lines', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shared-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'a.ts');
    const lines = ['import "a";', '', 'const secret = compute(1);', ''];
    writeFileSync(file, lines.join('\n'));
    const { host, guest } = await shared('interact', { defaultDirectory: folder, roots: [folder] });
    const channel = annotationsUri(SESSION);
    const at = (line: number) => ({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } });
    const given = { ...annotation, resource: pathToFileURL(file).href, range: at(2) };
    await guest.act(channel, { type: 'annotations/set', annotation: given });
    writeFileSync(file, ['// new', ...lines].join('\n'));
    await host.restart();
    const owner = await host.client('cli');
    await owner.subscribe(channel);
    await host.run();
    // The lines stay hidden, also when another person writes the comment again.
    await owner.act(channel, { type: 'annotations/set', annotation: { ...given, range: at(3) } });
    const { state } = await owner.subscribe(channel);
    expect(state).toMatchObject({ annotations: [{ range: at(3) }] });
    expect(JSON.stringify(state)).not.toContain('x-anchor');
    writeFileSync(file, '');
    await host.restart();
    const again = await host.client('cli');
    await again.subscribe(channel);
    await host.run();
    expect((await again.subscribe(channel)).state).toMatchObject({ annotations: [{ 'x-outdated': true }] });
  });

  test('[AUTH-1] denies a call once, and nothing for good', async () => {
    const { host, guest, chat } = await shared('interact');
    await begin(host, guest, chat);
    const call = host.agent.turn.output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' });
    void call.confirm({
      invocationMessage: 'May it?',
      toolInput: '{}',
      options: [
        { id: 'yes', label: 'Yes', kind: 'approve' },
        { id: 'skip', label: 'No', kind: 'deny' },
        { id: 'refuse', label: 'Never', kind: 'deny', 'x-lasting': true },
      ],
    });
    await host.run();
    const no = { type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId: 'c', approved: false } as const;
    const denied = { ...no, reason: 'denied' } as const;
    expect(codeOf(await guest.act(chat, { ...denied, selectedOptionId: 'refuse' }))).toBe('permissionDenied');
    expect(await guest.act(chat, { ...denied, selectedOptionId: 'skip' })).not.toHaveProperty(
      'rejectionReason',
    );
  });

  test('[ROOT-3] cannot appear to be in a session that is not shared', async () => {
    const { host, owner, guest, chat, secretChat, share } = await shared('interact');
    await owner.request('x-setPresence', { channel: ROOT, isVisible: true });
    const presence = { isVisible: true, showing: [SECRET, chat], typing: { chat: secretChat } };
    await guest.request('x-setPresence', { channel: ROOT, ...presence });
    await host.advance(1_000);
    const last = () => JSON.stringify(owner.notifications('x-presenceChanged').at(-1));
    expect(last()).toContain(chat);
    expect(last()).not.toContain(secretChat);
    expect(last()).not.toContain(SECRET);
    await share();
    await host.advance(1_000);
    expect(last()).not.toContain(chat);
  });
});
