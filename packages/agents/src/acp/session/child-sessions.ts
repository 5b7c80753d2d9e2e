import type { InputQuestions, InputResponse } from '@agenthost/host/agent';
import type { JsonObject } from '../json.ts';
import type { AcpConnection, SessionReceiver } from '../process/connection.ts';
import type { SessionUpdate } from './session-update.ts';

/** Details of a child session. Later announcements omit what has not changed. */
export interface ChildDetails {
  readonly title?: string;
  readonly description?: string;
  /** Absolute path. Absent: its parent's. */
  readonly cwd?: string;
}

/** Child sessions whose details are kept. */
const MOST_KNOWN = 1000;

/** The writer that applies updates of a child session at present. */
export interface ChildWriter {
  update(update: SessionUpdate): Promise<void>;
  permission(params: JsonObject): Promise<string | undefined>;
  ask(questions: InputQuestions, withdrawn: AbortSignal): Promise<InputResponse> | undefined;
}

/**
 * Sessions of an agent's sub-agents: announced on their parent's session and never opened by the host. Their
 * updates go to the worker of the running turn; files and terminals are those of the parent.
 */
export class ChildSessions {
  /** By session id, over turns; the most recently updated session is last. */
  readonly #known = new Map<string, ChildDetails>();
  readonly #parent: SessionReceiver;
  readonly #attached = new Map<string, () => void>();
  #connection: AcpConnection | undefined;

  constructor(parent: SessionReceiver) {
    this.#parent = parent;
  }

  /** Sets the connection of the running turn. */
  use(connection: AcpConnection): void {
    if (this.#connection !== connection) this.detach();
    this.#connection = connection;
  }

  /**
   * Takes details of a child session. A child may work again long after it ended; the latest `MOST_KNOWN` are
   * kept.
   */
  learn(sessionId: string, told: ChildDetails): { readonly details: ChildDetails; readonly isNew: boolean } {
    const before = this.#known.get(sessionId);
    const details = { ...before, ...told };
    this.#known.delete(sessionId);
    this.#known.set(sessionId, details);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return { details, isNew: before === undefined };
  }

  /** Passes updates of a child session to the present result of `writer`, including earlier ones. */
  async attach(sessionId: string, writer: () => ChildWriter): Promise<void> {
    const parent = this.#parent;
    const detach = await this.#connection?.attach(sessionId, {
      update: (update) => writer().update(update),
      permission: (params) => writer().permission(params),
      askPeople: (questions, withdrawn) => writer().ask(questions, withdrawn),
      readTextFile: (params) => parent.readTextFile(params),
      writeTextFile: (params) => parent.writeTextFile(params),
      terminals: parent.terminals,
    });
    if (detach !== undefined) this.#attached.set(sessionId, detach);
  }

  /** Tells the agent that a person cancelled this child session; its parent continues. */
  cancel(sessionId: string): void {
    this.#connection?.notify('session/cancel', { sessionId });
  }

  /** Stops receiving updates for all of them. */
  detach(): void {
    for (const detach of this.#attached.values()) detach();
    this.#attached.clear();
    this.#connection = undefined;
  }
}
