import type { Reshaping } from '../step.ts';

/** The action that marks files as reviewed had another name, and only hosts sent it. */
export const fileReviews: Reshaping = {
  down: {
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
