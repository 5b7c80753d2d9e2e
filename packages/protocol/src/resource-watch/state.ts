import type { URI } from '../common/types.ts';

export interface ResourceChange {
  uri: URI;
  type: ResourceChangeType;
}

export type ResourceChangeType = 'added' | 'updated' | 'deleted';

export interface ResourceWatchState {
  root: URI;
  recursive: boolean;
  excludes?: { items: string[] };
  includes?: { items: string[] };
}
