import type { Json } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const known = (value: Json): Json =>
  value.status === 'recomputing' ? { ...value, status: 'computing' } : value;

/** A changeset that is computed again was `computing`, as one that is computed for the first time. */
export const recomputing: Reshaping = {
  down: {
    shapes: { ChangesetState: known },
    actions: { 'changeset/statusChanged': known },
  },
};
