import {
  type ClientToHostRequests,
  type CreateWorktreeResult,
  ROOT_URI,
  type URI,
  type WorktreeInfo,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';

type WorktreeMethod =
  | 'x-listWorktrees'
  | 'x-createWorktree'
  | 'x-mergeWorktree'
  | 'x-openWorktree'
  | 'x-removeWorktree';

/** The requests of a client that the handle of worktrees makes. */
export interface WorktreesPort {
  request<M extends WorktreeMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
}

/**
 * The git worktrees that the host has made. A session gets one by the config value `isolation: 'worktree'`; `sessionWorktree` of
 * `@agenthost/protocol` reads the one of a session. Each call rejects with `RpcError` -32008 for an unknown id.
 */
export class Worktrees {
  readonly #client: WorktreesPort;

  constructor(client: WorktreesPort) {
    this.#client = client;
  }

  /** Lists the worktrees of present sessions, and those of past sessions that hold work, oldest first. */
  async list(): Promise<WorktreeInfo[]> {
    return (await this.#client.request('x-listWorktrees', { channel: ROOT_URI })).items;
  }

  /**
   * Makes a further worktree for a session. Its folder becomes a working directory of the session, and the only one of `chat` if that is given.
   * `base`: a branch or commit; default: the branch of the session's first working directory. Rejects with `RpcError` -32602 outside of git,
   * for an unknown base, and for an agent that works in one directory only.
   */
  create(session: URI, { chat, base }: { chat?: URI; base?: string } = {}): Promise<CreateWorktreeResult> {
    return this.#client.request('x-createWorktree', { channel: session, ...defined({ chat, base }) });
  }

  /**
   * Merges the branch of a worktree into the branch that it was made from. Resolves with what was done, for people. Rejects with `RpcError`
   * -32011, and nothing has changed, for conflicts and for uncommitted changes on either side.
   */
  async merge(id: string): Promise<string> {
    return (await this.#client.request('x-mergeWorktree', { channel: ROOT_URI, id })).message;
  }

  /** Checks out the branch of a worktree in the checkout that it was made from. Resolves and rejects as `merge` does. */
  async open(id: string): Promise<string> {
    return (await this.#client.request('x-openWorktree', { channel: ROOT_URI, id })).message;
  }

  /**
   * Removes a worktree, and its branch if that is merged. `discard`: uncommitted files are deleted too; commits stay on the branch. Resolves
   * with what was done, for people. Rejects with `RpcError` -32011 while a session works in it, and if work would get lost.
   */
  async remove(id: string, { discard = false }: { discard?: boolean } = {}): Promise<string> {
    const wanted = discard ? { discard } : {};
    return (await this.#client.request('x-removeWorktree', { channel: ROOT_URI, id, ...wanted })).message;
  }
}
