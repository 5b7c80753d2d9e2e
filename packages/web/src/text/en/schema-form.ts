/** Texts of forms that are made from a schema. */
export const schemaForm = {
  unset: 'Not set',
  add: 'Add',
  removeItem: (position: number) => `Remove entry ${position}`,
  item: (position: number) => `Entry ${position}`,
  key: 'Name',
  value: 'Value',
  readOnly: 'Only the host can change this.',
  suggestions: 'Suggestions',
  required: 'Required.',
  notNumber: 'Enter a number.',
  tooFew: (least: number) =>
    least === 1 ? 'At least 1 entry is needed.' : `At least ${least} entries are needed.`,
  tooMany: (most: number) =>
    most === 1 ? 'At most 1 entry is allowed.' : `At most ${most} entries are allowed.`,
};
