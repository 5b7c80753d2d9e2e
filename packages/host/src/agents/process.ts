/**
 * Registry of child processes that agents run in. The host records them durably and ends those that outlived
 * a killed host at its next start.
 */
export interface ChildRegistry {
  /** Records a started child and its process group. Resolves when the record is durable. */
  record(child: { pid: number; command: string }): Promise<void>;
  /** Removes the record of a child that has ended. */
  forget(pid: number): void;
}
