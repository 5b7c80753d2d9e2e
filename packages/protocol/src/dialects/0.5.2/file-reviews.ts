import { dropping } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** The action that marks files as reviewed had another name, and only hosts sent it. Catalogues did not say where it is allowed. */
export const fileReviews: Reshaping = {
  down: {
    shapes: { Changeset: dropping('capabilities') },
    actions: {
      'changeset/filesReviewChanged': ({ files, ...action }) => ({
        ...action,
        type: 'changeset/filesReviewedChanged',
        fileIds: files,
      }),
    },
  },
  up: {
    actions: {
      'changeset/filesReviewedChanged': ({ fileIds, ...action }) => ({
        ...action,
        type: 'changeset/filesReviewChanged',
        files: fileIds,
      }),
    },
  },
};
