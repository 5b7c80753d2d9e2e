import { isObject, type Json } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const renamed =
  (from: string, to: string) =>
  (value: Json): Json =>
    value.lifecycle === from ? { ...value, lifecycle: to } : value;

/** In a catalogue entry the host tells the lifecycle in `_meta`. */
const renamedInMeta =
  (from: string, to: string) =>
  (summary: Json): Json =>
    isObject(summary._meta) && summary._meta.lifecycle === from
      ? { ...summary, _meta: { ...summary._meta, lifecycle: to } }
      : summary;

/** The lifecycle `failed` was `creationFailed`. */
export const lifecycle: Reshaping = {
  down: {
    shapes: {
      SessionState: renamed('failed', 'creationFailed'),
      SessionSummary: renamedInMeta('failed', 'creationFailed'),
    },
  },
  up: {
    shapes: {
      SessionState: renamed('creationFailed', 'failed'),
      SessionSummary: renamedInMeta('creationFailed', 'failed'),
    },
  },
};
