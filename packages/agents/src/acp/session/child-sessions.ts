import type { InputQuestions, InputResponse } from '@agenthost/host/agent';
import type { JsonObject } from '../json.ts';
import type { AcpConnection, SessionReceiver } from '../process/connection.ts';
import type { SessionUpdate } from './session-update.ts';

/** What is known of a child session; later announcements leave out what has not changed. */
export interface ChildDetails {
  readonly title?: string;
  readonly description?: string;
  /** Absolute path. Absent: its parent's. */
  readonly cwd?: string;
}

/** Child sessions whose details are kept. */
const MOST_KNOWN = 1000;

/** Who applies what comes for a child session at the moment. */
export interface ChildWriter {
  update(update: SessionUpdate): Promise<void>;
  permission(params: JsonObject): Promise<string | undefined>;
  ask(questions: InputQuestions, withdrawn: AbortSignal): Promise<InputResponse> | undefined;
}

/**
 * The sessions of an agent's sub-agents: announced on their parent's session and never opened by us. What comes for them goes to the
 * worker that the running turn has for them; files and terminals are their parent's.
 */
export class ChildSessions {
  /** By session id, over turns; who was told of last comes last. */
  readonly #known = new Map<string, ChildDetails>();
  readonly #parent: SessionReceiver;
  readonly #attached = new Map<string, () => void>();
  #connection: AcpConnection | undefined;

  constructor(parent: SessionReceiver) {
    this.#parent = parent;
  }

  /** The connection that the running turn is on. */
  use(connection: AcpConnection): void {
    if (this.#connection !== connection) this.detach();
    this.#connection = connection;
  }

  /** Takes what is told of a child session. A child may work again long after it ended: the latest `MOST_KNOWN` stay known. */
  learn(sessionId: string, told: ChildDetails): { readonly details: ChildDetails; readonly isNew: boolean } {
    const before = this.#known.get(sessionId);
    const details = { ...before, ...told };
    this.#known.delete(sessionId);
    this.#known.set(sessionId, details);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return { details, isNew: before === undefined };
  }

  /** Gives what comes for a child session to whoever `writer` says, what came before this included. */
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

  /** Tells the agent that a person has cancelled what this one does; its parent goes on. */
  cancel(sessionId: string): void {
    this.#connection?.notify('session/cancel', { sessionId });
  }

  /** Takes nothing more for any of them. */
  detach(): void {
    for (const detach of this.#attached.values()) detach();
    this.#attached.clear();
    this.#connection = undefined;
  }
}
