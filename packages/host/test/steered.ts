import type { ActionEnvelope, ChatState, Message } from '@agenthost/protocol';
import { turnStarted, userMessage } from '@agenthost/testkit';
import { type HostFixture, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** The action of a client that sets a steering message. */
export const steering = (id: string, text = `steer ${id}`) => ({
  type: 'chat/pendingMessageSet',
  kind: 'steering',
  id,
  message: userMessage(text),
});
/** The action of a client that queues a message. */
export const queued = (id: string) => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: userMessage(`text of ${id}`),
});
/** The action of a client that removes its steering message. */
export const removed = (id: string) => ({ type: 'chat/pendingMessageRemoved', kind: 'steering', id });

/** The steering messages that the agent received, and the answers of the test. */
export class Asked {
  readonly messages: Message[] = [];
  readonly #answers: PromiseWithResolvers<boolean>[] = [];

  steer = (message: Message): Promise<boolean> => {
    this.messages.push(message);
    const answer = Promise.withResolvers<boolean>();
    this.#answers.push(answer);
    return answer.promise;
  };

  get texts(): string[] {
    return this.messages.map(({ text }) => text);
  }

  get last(): PromiseWithResolvers<boolean> {
    const answer = this.#answers.at(-1);
    if (answer === undefined) throw new Error('nothing was asked');
    return answer;
  }
}

/** A host whose agent answers steering messages by `asked`, or takes none. Turn `t1` runs unless `idle`. */
export async function steered({ takes = true, idle = false } = {}) {
  const host = await startHost();
  const asked = new Asked();
  if (takes) host.agent.steer = asked.steer;
  const client = await host.client();
  const { chat } = await host.session(client);
  if (!idle) {
    await client.act(chat, turnStarted('t1'));
    await host.run();
    client.clear();
  }
  return { host, client, chat, asked };
}

/** The effects of a chat's actions on its pending messages and turns, in short form. */
export function story(client: RawClient, chat: string): string[] {
  return client.envelopes(chat).flatMap(({ action, rejectionReason }: ActionEnvelope) => {
    if (rejectionReason !== undefined) return [`rejected ${rejectionReason.split(':')[0]}`];
    switch (action.type) {
      case 'chat/pendingMessageSet':
        return [`set ${action.kind} ${action.id}`];
      case 'chat/pendingMessageRemoved':
        return [`removed ${action.kind} ${action.id}`];
      case 'chat/queuedMessagesReordered':
        return [`order ${action.order.join()}`];
      case 'chat/turnStarted':
        return [`started ${action.queuedMessageId ?? action.turnId}`];
      case 'chat/responsePart':
        return action.part.kind === 'systemNotification' ? [`part ${String(action.part.content)}`] : [];
      case 'chat/turnComplete':
      case 'chat/turnCancelled':
      case 'chat/error':
      case 'chat/truncated':
        return [action.type.slice(5)];
      default:
        return [];
    }
  });
}

/** Ids of the queued messages, the next one first. */
export const queueOf = ({ queuedMessages = [] }: ChatState): string[] => queuedMessages.map(({ id }) => id);

/** Completes the agent's turn. */
export async function finish(host: HostFixture): Promise<void> {
  host.agent.turn.complete();
  await host.run();
}
