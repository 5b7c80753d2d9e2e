import type { URI } from '../common/types.ts';

export interface CreateResourceWatchParams {
  channel: 'ahp-root://';
  uri: URI;
  recursive?: boolean;
  excludes?: { items: string[] };
  includes?: { items: string[] };
}

export interface CreateResourceWatchResult {
  channel: URI;
}
