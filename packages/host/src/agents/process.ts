/**
 * Children that agents run in. The host records them durably, so that those that outlive a killed host are ended at
 * the next start. Implemented in `child-processes.ts`, handed to providers that start processes.
 */
export interface ChildRegistry {
  /** Records a started child (and its process group); resolves when durable. */
  record(child: { pid: number; command: string }): Promise<void>;
  /** It has ended. */
  forget(pid: number): void;
}
