import {
  annotationsUri,
  isClientAction,
  isWithinScope,
  ROOT_URI,
  type StateAction,
  TOKEN_SCOPES,
  type TokenScope,
} from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ACTIONS, annotation, message } from './dispatches.ts';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import { openTerminal, TERMINAL } from './terminal-fixture.ts';

interface World {
  readonly host: HostFixture;
  readonly owner: RawClient;
  readonly uris: Readonly<Record<'root' | 'session' | 'chat' | 'terminal' | 'annotations', string>>;
}

/** A host with a turn that asks, a queue, a draft, an active client, and a terminal of the session. */
async function world(): Promise<World> {
  const host = await startHost();
  const owner = await host.client('owner');
  const { chat } = await host.session(owner);
  await openTerminal(host, owner, { claim: { kind: 'session', session: SESSION, chat } });
  await owner.act(SESSION, {
    type: 'session/activeClientSet',
    activeClient: { clientId: 'owner', tools: [] },
  });
  await owner.act(chat, turnStarted('open'));
  await host.run();
  const call = host.agent.turn.output.toolCall({ toolCallId: 'call', toolName: 'x', displayName: 'X' });
  void call.confirm({ invocationMessage: 'May it?' });
  void host.agent.turn.output.ask({ requestId: 'r', message: 'Well?' });
  await owner.act(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message });
  await host.run();
  const annotations = annotationsUri(SESSION);
  await owner.act(annotations, { type: 'annotations/set', annotation });
  return { host, owner, uris: { root: ROOT_URI, session: SESSION, chat, terminal: TERMINAL, annotations } };
}

/** Everything that a restart would restore, except records of clients, with the input of agents and programs. */
function everything({ host }: World): unknown {
  const { clients: _, ...tables } = { ...host.journal.disk };
  return JSON.parse(
    JSON.stringify(
      {
        tables,
        emitted: host.host.core.sync.emittedSeq,
        approvals: host.host.core.sync.root.state.config?.values,
        keys: host.ptys.last.keys,
        sizes: host.ptys.last.sizes,
        agent: [
          host.agent.opened.length,
          host.agent.turns.length,
          host.agent.configured,
          host.agent.closeCount,
        ],
        isAborted: host.agent.turn.signal.aborted,
      },
      (_key, value: unknown) => (value instanceof Map ? [...value] : value),
    ),
  );
}

describe('every action', () => {
  test.each(Object.entries(ACTIONS))(
    '[AUTH-1] %s requires its scope, and without it changes nothing',
    async (type, [least, on, fields]) => {
      if (!isClientAction(type)) throw new Error(`${type} is no client's`);
      const here = await world();
      const watcher = await here.host.client('watcher');
      for (const uri of Object.values(here.uris)) await watcher.subscribe(uri);
      await here.host.run();
      for (const scope of TOKEN_SCOPES.filter((each) => each !== 'none')) {
        const client = await here.host.client(`of ${scope}`, {}, { tokenHash: scope, scope });
        await here.host.run();
        const [before, seen] = [everything(here), watcher.envelopes().length];
        const action = JSON.parse(JSON.stringify({ type, ...fields }).replaceAll('"ME"', `"of ${scope}"`));
        const clientSeq = client.dispatch(here.uris[on], action satisfies StateAction);
        await here.host.run();
        const { rejectionReason = '' } = client.echoOf(clientSeq) ?? {};
        if (isWithinScope(scope, least)) {
          expect(rejectionReason).not.toContain('takes a token of scope');
          // The action has changed the world, so no later comparison is possible.
          break;
        }
        expect(rejectionReason).toMatch(new RegExp(`^permissionDenied: .* takes a token of scope ${least}`));
        expect(everything(here)).toEqual(before);
        expect(watcher.envelopes().length).toBe(seen);
      }
      here.host.kill();
    },
  );
});

describe('other requests of an observer', () => {
  /** Sends every request of a handshake and every read, with ids of other clients. */
  test('[AUTH-1] leave everything unchanged, whatever client ids it uses', async () => {
    const here = await world();
    const { host, owner, uris } = here;
    const { token, secret } = await owner.request('x-createToken', { channel: ROOT_URI, scope: 'interact' });
    const identity = host.host.core.accessTokens.identify(secret);
    const gone = await host.client('gone', {}, identity);
    await gone.subscribe(SESSION);
    await gone.act(SESSION, {
      type: 'session/activeClientSet',
      activeClient: { clientId: 'gone', tools: [] },
    });
    await openTerminal(host, gone, { channel: 'ahp-terminal:/gone' });
    await owner.subscribe('ahp-terminal:/gone');
    await owner.request('x-revokeToken', { channel: ROOT_URI, id: token.id });
    await host.run();
    const before = everything(here);
    const ids = ['gone', 'owner', 'nobody', 'host', SESSION];
    for (const [count, id] of [...ids, ...ids].entries()) {
      const observer = host.connect(id, { tokenHash: 'of an observer', scope: 'observe' });
      const entering =
        count < ids.length
          ? observer.initialize({ initialSubscriptions: Object.values(uris) })
          : observer.raw('reconnect', {
              channel: ROOT_URI,
              clientId: id,
              lastSeenServerSeq: 0,
              subscriptions: [],
            });
      const isIn = await entering.then(
        () => true,
        () => false,
      );
      expect(isIn, id).toBe(id !== 'owner');
      if (isIn) observer.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: SESSION } });
      await host.run();
      observer.link.cut();
      await host.run();
    }
    expect(everything(here)).toEqual(before);
    // No free client id now belongs to an observer.
    const stays = await host.client('gone', {}, { tokenHash: 'of an observer', scope: 'observe' });
    await host.advance(30_001);
    expect(stays.closed).toBeUndefined();
    const claim = { kind: 'client', clientId: 'owner' } as const;
    const echo = await owner.act('ahp-terminal:/gone', { type: 'terminal/claimed', claim });
    expect(echo?.rejectionReason).toBeUndefined();
    const { state } = await owner.subscribe(SESSION);
    expect('activeClients' in state && state.activeClients.map(({ clientId }) => clientId)).toEqual([
      'owner',
    ]);
    host.kill();
  });
});
