import type { TurnInput } from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import type { AcpConnection } from '../process/connection.ts';
import { promptBlocks } from './prompt.ts';

/**
 * An extension of the protocol, for which agents say `_meta.steering.supported` at `initialize`. A second `session/prompt` is no way to
 * reach a running turn: some agents end the first one for it, others run it as a turn of its own.
 */
const STEERING_METHOD = '_session/steering';

/** A prompt that the agent is working on. */
interface Prompt {
  readonly connection: Pick<AcpConnection, 'traits' | 'request' | 'notify'>;
  readonly sessionId: string;
  readonly readResource: TurnInput['readResource'];
  /** Tells people what of an attachment did not reach the agent. */
  readonly tell: (problem: string) => void;
}

/** The way into one running turn: open from when its prompt was sent until the turn is over. */
export class PromptSteering {
  readonly #prompt = Promise.withResolvers<Prompt | undefined>();
  #isOver = false;

  /** The prompt was sent. */
  begin(prompt: Prompt): void {
    this.#prompt.resolve(prompt);
  }

  /** The turn is over: what comes now is not taken. */
  end(): void {
    this.#isOver = true;
    this.#prompt.resolve(undefined);
  }

  /** Brings a message into the turn; false when the agent does not take it. Rejects when the agent refuses it with an error. */
  async steer(message: Message): Promise<boolean> {
    const prompt = await this.#prompt.promise;
    if (prompt === undefined || this.#isOver || !prompt.connection.traits.canSteer) return false;
    const { connection, sessionId, readResource, tell } = prompt;
    const blocks = await promptBlocks({ message, readResource }, connection.traits, tell);
    if (this.#isOver) return false;
    const { outcome } = await connection.request(STEERING_METHOD, {
      sessionId,
      prompt: blocks,
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    // An older agent does not know what it was asked to do when no turn runs, and begins one that nobody would see.
    if (outcome === 'startedNewTurn') connection.notify('session/cancel', { sessionId });
    return outcome === 'injected';
  }
}
