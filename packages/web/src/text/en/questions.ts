/** Texts of approvals and questions. */
export const questions = {
  notConnected: 'there is no connection to the host',
  chatGone: 'the chat is gone',
  notText: 'it is not text',
  notTaken: (reason: string) => `Your answer was not taken: ${reason}`,
  inputFailed: (reason: string) => `The input could not be loaded: ${reason}`,
  inputOf: (tool: string) => `Input of ${tool}`,
  resultOf: (tool: string) => `Result of ${tool}`,
  folder: 'Working directory:',
  showAll: 'Show all of it',
  changes: 'Changes',
  allowTitle: (tool: string) => `Allow “${tool}”?`,
  resultTitle: (tool: string) => `May the agent see the result of “${tool}”?`,
  allow: 'Allow',
  allowEdited: 'Allow as changed',
  deny: 'Deny',
  denyAndTell: 'Deny and tell',
  allowResult: 'Yes, show it',
  denyResult: 'No, keep it back',
  edit: 'Edit',
  editHint: 'Change the input before it runs',
  editLabel: 'Input of the tool',
  notJson: (problem: string) => `This is not valid JSON: ${problem}`,
  instead: 'Do something else',
  insteadLabel: 'Tell the agent what to do instead',
  insteadHint: 'For example: use the test database',
  lasting: 'Also for later calls, until you revoke it in the settings:',
  keys: (canEdit: boolean) =>
    canEdit
      ? 'Keys: A allow · D deny · E edit · Esc in the empty message field comes here'
      : 'Keys: A allow · D deny · Esc in the empty message field comes here',
  readOnly: 'You can only read here. Somebody else has to answer.',
  assessing: 'The risk is being assessed…',
  riskLow: 'Low risk.',
  riskMedium: 'Some risk.',
  riskHigh: 'High risk.',
  answeredBy: (name: string) => `Answered by ${name}`,
  formTitle: (count: number) => (count === 1 ? 'A question' : `${count} questions`),
  yes: 'Yes',
  no: 'No',
  recommended: 'recommended',
  ownAnswer: 'Something else',
  writes: (name: string) => `${name} is writing here`,
  bounds: (what: 'characters' | 'number' | 'choices', min: number | undefined, max: number | undefined) => {
    if (min === undefined && max === undefined) return undefined;
    const range =
      max === undefined ? `at least ${min}` : min === undefined ? `at most ${max}` : `${min} to ${max}`;
    return { characters: `(${range} characters)`, number: `(${range})`, choices: `(choose ${range})` }[what];
  },
  submit: 'Submit',
  done: 'Done',
  decline: 'Decline',
  dismiss: 'Dismiss',
  notNumber: 'This is not a number.',
  unanswered: 'This question needs an answer.',
  openPage: 'Open this page',
  notWeb: 'This page does not open such an address. Copy it if you trust it.',
};
