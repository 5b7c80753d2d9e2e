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
  copyFailed: 'The browser refused to copy. Select the text and copy it.',
  openLinkTitle: 'Open this link?',
  openLink: 'Open link',
  more: 'More actions',
};
