import type { FileChange, OpenTree, WatchFailure } from '@agenthost/host';

type Tree = Parameters<OpenTree>[0] & { isClosed: boolean; rescanCount: number };

/** Trees whose changes a test plays. */
export class SimulatedTrees {
  /** The trees that were opened, closed ones too. */
  readonly all: Tree[] = [];
  /** If set, the next trees cannot be opened. */
  failure: WatchFailure | undefined;

  /** Opens trees, for `HostOptions.openTree`. */
  readonly open: OpenTree = async (options) => {
    if (this.failure !== undefined) throw this.failure;
    const tree: Tree = { ...options, isClosed: false, rescanCount: 0 };
    this.all.push(tree);
    return {
      size: { folders: 1, entries: 1 },
      rescan: async () => {
        tree.rescanCount += 1;
      },
      close: async () => {
        tree.isClosed = true;
      },
    };
  };

  /** The trees that are watched. */
  get running(): readonly Tree[] {
    return this.all.filter(({ isClosed }) => !isClosed);
  }

  /** Reports changes of every tree that is watched. */
  change(path: string, ...types: FileChange['type'][]): void {
    for (const tree of this.running) for (const type of types) tree.onChange({ path, type });
  }
}
