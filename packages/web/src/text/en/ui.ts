/** Texts of the building blocks. */
export const ui = {
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  loading: 'Loading…',
  tryAgain: 'Try again',
  dismiss: 'Dismiss',
  messages: 'Messages',
  undo: 'Undo',
  copy: 'Copy',
  copied: 'Copied',
  more: 'More actions',
};
