import { describe, expect, it } from 'vitest';
import { readData, readPush } from './read-payload.ts';

const payload = {
  kind: 'inputNeeded',
  host: 'build',
  session: 'ahp-session:/1',
  chat: 'ahp-chat:/1',
  title: 'Fix the tests',
  body: 'Run npm test?',
  tag: 'abc',
  url: '/s/ahp-session%3A%2F1?ask=q',
  actions: [
    { action: 'allow', title: 'Allow' },
    { action: 'deny', title: 'Deny' },
    { action: 'other', title: 'Other' },
  ],
  ticket: 'secret',
};

describe('payload of a push', () => {
  it('becomes a notification with the actions that the worker knows', () => {
    expect(readPush(payload)).toEqual({
      type: 'show',
      kind: 'inputNeeded',
      title: 'Fix the tests · build',
      body: 'Run npm test?',
      tag: 'abc',
      url: '/s/ahp-session%3A%2F1?ask=q',
      actions: [
        { action: 'allow', title: 'Allow' },
        { action: 'deny', title: 'Deny' },
      ],
      ticket: 'secret',
    });
  });

  it('offers no action without a ticket', () => {
    expect(readPush({ ...payload, ticket: undefined })).toMatchObject({ actions: [], ticket: undefined });
  });

  it('closes the notification of its tag', () => {
    expect(readPush({ kind: 'close', tag: 'abc' })).toEqual({ type: 'close', tag: 'abc' });
  });

  it('is not known with another kind, or without a tag', () => {
    expect(readPush({ ...payload, kind: 'later' })).toBeUndefined();
    expect(readPush({ ...payload, tag: 1 })).toBeUndefined();
    expect(readPush('text')).toBeUndefined();
  });
});

it('opens the page itself for a notification without a path', () => {
  expect(readData(null)).toEqual({ url: '/' });
  expect(readData({ url: '/s/x', ticket: 't' })).toEqual({ url: '/s/x', ticket: 't' });
});
