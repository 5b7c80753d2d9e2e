// A page that is reloaded while its host is killed: the real client and the real host.
import { type AhpClient, type ClientMemory, createClient } from '@agenthost/client';
import { createHost, type Host } from '@agenthost/host';
import type { ClientAction } from '@agenthost/protocol';
import {
  type ClockScope,
  ControlledNetwork,
  createSimulatedAgent,
  FaultJournal,
  SimulatedClock,
  SimulatedPtyOwner,
} from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';

const OWNER = { tokenHash: 'owner', scope: 'admin' } as const;
const SESSION = 'ahp-session:/one';

const draft = (text: string): ClientAction => ({
  type: 'chat/draftChanged',
  draft: { text, origin: { kind: 'user' } },
});
const renamed = (title: string) => ({ type: 'session/titleChanged', title }) as const;

class Stage {
  readonly clock = new SimulatedClock();
  readonly network = new ControlledNetwork();
  journal = new FaultJournal();
  host: Host | undefined;
  #scope: ClockScope | undefined;
  #text: string | null = null;

  readonly memory: ClientMemory = {
    load: () => this.#text,
    save: (text) => {
      this.#text = text;
    },
  };

  async start(): Promise<void> {
    const scope = this.clock.scope();
    this.#scope = scope;
    this.journal = new FaultJournal(this.journal.disk);
    const host = createHost({
      journal: this.journal,
      agents: [() => createSimulatedAgent({ seed: 1, timers: scope })],
      roots: [process.cwd()],
      defaultDirectory: process.cwd(),
      clock: scope,
      timers: scope,
      terminals: { owner: new SimulatedPtyOwner() },
    });
    this.network.accept = (transport) => host.accept(transport, OWNER);
    await this.clock.runUntilSettled(host.start());
    this.host = host;
  }

  /** The process of the host ends without a chance to do anything. */
  kill(): void {
    this.journal.crash();
    this.#scope?.end();
    this.host = undefined;
    for (const link of this.network.links) link.cut();
  }

  async stop(): Promise<void> {
    if (this.host !== undefined) await this.clock.runUntilSettled(this.host.stop());
  }

  /** The page is loaded. */
  async load(): Promise<AhpClient> {
    const client = createClient({
      memory: this.memory,
      clock: this.clock,
      transport: async () => this.network.connect().client,
    });
    await this.run(client.connect());
    return client;
  }

  async run<T>(promise: Promise<T>): Promise<T> {
    const progress = { isSettled: false };
    const settled = (): void => void (progress.isSettled = true);
    promise.then(settled, settled);
    while (!progress.isSettled) {
      await this.clock.settle();
      for (const link of this.network.links) link.deliverAll();
    }
    return promise;
  }

  /** Delivers what the client sent, and lets the host work; the client gets no answer. */
  async hear(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      for (const link of this.network.links) link.toHost.deliver();
      await this.clock.settle();
    }
  }
}

let stage: Stage;
beforeEach(async () => {
  stage = new Stage();
  await stage.start();
});
afterEach(() => stage.stop());

async function opened(): Promise<AhpClient> {
  const client = await stage.load();
  await stage.run(client.request('createSession', { channel: SESSION }));
  return client;
}

async function outcomesAfterReload(): Promise<{ outcomes: object[]; client: AhpClient }> {
  const client = await stage.load();
  const outcomes = await stage.run(Promise.all(client.restored.map(({ outcome }) => outcome)));
  return { outcomes, client };
}

test('[ACT-5] an action that a killed host had committed is not applied again after the reload', async () => {
  const first = await opened();
  const mirror = await stage.run(first.subscribe(SESSION));
  const serverSeq = mirror.reflectedSeq + 1;
  void mirror.dispatch(renamed('mine'));
  await stage.hear();
  stage.kill();
  first.close();
  await stage.start();
  const { outcomes, client } = await outcomesAfterReload();
  expect(outcomes).toMatchObject([
    { outcome: 'accepted', envelope: { serverSeq, origin: { clientId: first.clientId, clientSeq: 1 } } },
  ]);
  const session = await stage.run(client.subscribe(SESSION));
  expect(session.state.title).toBe('mine');
  client.close();
});

test('[ACT-5] an action that a killed host had not committed is applied once after the reload', async () => {
  const first = await opened();
  stage.journal.gates.beforeCommit = () => new Promise(() => undefined);
  void first.dispatch(SESSION, renamed('mine'));
  await stage.hear();
  stage.kill();
  first.close();
  await stage.start();
  const { outcomes, client } = await outcomesAfterReload();
  expect(outcomes).toMatchObject([{ outcome: 'accepted' }]);
  const session = await stage.run(client.subscribe(SESSION));
  expect(session.state.title).toBe('mine');
  client.close();
});

test('[ACT-5] an action whose rejection was lost reports that its outcome is not known', async () => {
  const first = await opened();
  const session = await stage.run(first.subscribe(SESSION));
  const chat = session.state.defaultChat ?? '';
  void first.dispatch(chat, { type: 'chat/inputCompleted', requestId: 'none', response: 'accept' });
  void first.dispatch(chat, draft('kept'));
  await stage.hear();
  stage.kill();
  first.close();
  await stage.start();
  const { outcomes, client } = await outcomesAfterReload();
  expect(outcomes).toMatchObject([
    { outcome: 'rejected', code: 'outcomeExpired' },
    { outcome: 'accepted', envelope: { action: draft('kept') } },
  ]);
  client.close();
});
