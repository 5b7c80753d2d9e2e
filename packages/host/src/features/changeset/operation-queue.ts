import type { ChangesetOperationStatus } from '@agenthost/protocol';

/** The operations of changesets that run or wait. One of each changeset runs at a time, in the order of their calls. */
export class OperationQueue {
  readonly #queues = new Map<string, Queue>();

  /** Whether an operation of a changeset runs or waits. */
  has(uri: string, operationId: string): boolean {
    return this.#queues.get(uri)?.statuses.has(operationId) === true;
  }

  /** Notes the status that an operation of the queue would have if it had ended. */
  note(uri: string, operationId: string, status: ChangesetOperationStatus): void {
    this.#queues.get(uri)?.statuses.set(operationId, status);
  }

  /** Resolves when no operation of a changeset runs or waits. */
  async idle(uri: string): Promise<void> {
    for (let queue = this.#queues.get(uri); queue !== undefined; queue = this.#queues.get(uri))
      await queue.last;
  }

  /**
   * Adds an operation, which must not be in the queue. `turn` resolves when the operations before it have left. `leave` returns the status that
   * was noted last.
   */
  enter(
    uri: string,
    operationId: string,
  ): { readonly turn: Promise<void>; leave(): ChangesetOperationStatus } {
    const queue = this.#queues.get(uri) ?? { statuses: new Map(), last: Promise.resolve() };
    this.#queues.set(uri, queue);
    queue.statuses.set(operationId, 'idle');
    const turn = queue.last;
    const left = Promise.withResolvers<void>();
    queue.last = left.promise;
    const leave = (): ChangesetOperationStatus => {
      const status = queue.statuses.get(operationId) ?? 'idle';
      queue.statuses.delete(operationId);
      if (queue.statuses.size === 0) this.#queues.delete(uri);
      left.resolve();
      return status;
    };
    return { turn, leave };
  }
}

interface Queue {
  /** By the id of the operation. */
  readonly statuses: Map<string, ChangesetOperationStatus>;
  /** Resolves when the last operation has left. */
  last: Promise<void>;
}
