/** Texts of the feature `comments`. */
export const comments = {
  tab: 'Comments',
  label: 'Comment',
  placeholder: 'Write a comment',
  add: 'Add comment',
  replyPlaceholder: 'Reply',
  reply: 'Reply',
  edit: 'Edit comment',
  save: 'Save',
  deleteEntry: 'Delete comment',
  resolve: 'Resolve',
  reopen: 'Reopen',
  resolved: 'Resolved',
  outdated: 'Outdated: the file no longer has these lines',
  send: 'Send to the agent',
  sendAll: (count: number) =>
    count === 1 ? 'Send 1 open comment to the agent' : `Send ${count} open comments to the agent`,
  sendText: 'Message to the agent',
  sendDefault: 'Please address these comments.',
  sendTitle: (count: number) =>
    count === 1 ? 'Send 1 comment to the agent?' : `Send ${count} comments to the agent?`,
  sendConfirm: 'Send',
  sent: (count: number) => (count === 1 ? '1 comment sent' : `${count} comments sent`),
  queued: 'The comments are sent when the running turn ends',
  none: 'No comments',
  noneText: 'Choose lines of a change or of a file to comment on them.',
  showResolved: 'Show resolved',
  place: (path: string, line: number) => `${path}, line ${line}`,
  wholeFile: (path: string) => path,
  elsewhere: (count: number) =>
    count === 1
      ? '1 comment on lines that this version does not have'
      : `${count} comments on lines that this version does not have`,
  by: (name: string) => `by ${name}`,
  threadOf: (line: number) => `Comments on line ${line}`,
  onRemovedLines: 'On removed lines',
  fileComment: 'Comment on the file',
  openCount: (count: number) => (count === 1 ? '1 open comment' : `${count} open comments`),
  loadFailed: 'Comments cannot be shown',
};
