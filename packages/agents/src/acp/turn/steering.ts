import type { TurnInput } from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import type { AcpConnection } from '../process/connection.ts';
import { promptBlocks } from './prompt.ts';

/**
 * An extension of the protocol that agents announce with `_meta.steering.supported` at `initialize`. A second
 * `session/prompt` cannot steer: some agents end the first prompt, others run it as a separate turn.
 */
const STEERING_METHOD = '_session/steering';

/** A prompt that the agent is processing. */
interface Prompt {
  readonly connection: Pick<AcpConnection, 'traits' | 'request' | 'notify'>;
  readonly sessionId: string;
  readonly readResource: TurnInput['readResource'];
  /** Tells people which part of an attachment did not reach the agent. */
  readonly tell: (problem: string) => void;
  /** Whether the agent has the tools for comments now. */
  readonly canResolve: () => boolean;
}

/** Steers one running turn, from the time its prompt was sent until the turn ends. */
export class PromptSteering {
  readonly #prompt = Promise.withResolvers<Prompt | undefined>();
  #isOver = false;

  /** The prompt was sent. */
  begin(prompt: Prompt): void {
    this.#prompt.resolve(prompt);
  }

  /** The turn has ended; later messages are not taken. */
  end(): void {
    this.#isOver = true;
    this.#prompt.resolve(undefined);
  }

  /**
   * Sends a message into the turn. Resolves with false when the agent does not take it. Rejects with the
   * agent's error.
   */
  async steer(message: Message): Promise<boolean> {
    const prompt = await this.#prompt.promise;
    if (prompt === undefined || this.#isOver || !prompt.connection.traits.canSteer) return false;
    const { connection, sessionId, readResource, tell, canResolve } = prompt;
    const blocks = await promptBlocks({ message, readResource }, connection.traits, {
      tell,
      canResolve: canResolve(),
    });
    if (this.#isOver) return false;
    const { outcome } = await connection.request(STEERING_METHOD, {
      sessionId,
      prompt: blocks,
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    // An older agent starts a new turn, which nobody would see, when none runs.
    if (outcome === 'startedNewTurn') connection.notify('session/cancel', { sessionId });
    return outcome === 'injected';
  }
}
