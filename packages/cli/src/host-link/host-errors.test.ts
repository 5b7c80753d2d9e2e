import type { RefusalDetails } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { detailsOf, errorSentence, rejectionSentence } from './host-errors.ts';

/** An error answer with a meaningless text. */
const answer = (details: unknown): Error =>
  Object.assign(new Error('Nein.'), { name: 'RpcError', code: -32602, data: { 'x-refusal': details } });

const scope = (asked: string, more: object = {}): RefusalDetails => ({
  kind: 'scope',
  needed: 'interact',
  held: 'observe',
  asked,
  ...more,
});

it.each<[RefusalDetails, string]>([
  [
    scope('createSession'),
    "starting a session requires a token of scope interact, and this one has scope observe; create one on the host's machine with `agenthost token create --scope interact`",
  ],
  [
    scope('root/configChanged', { needed: 'admin', held: 'interact' }),
    "changing settings of the host requires a token of scope admin, and this one has scope interact; create one on the host's machine with `agenthost token create --scope admin`",
  ],
  [
    scope('createSession', { needed: 'admin', setting: 'approvals' }),
    "letting everything run unasked (`approvals: all`) requires a token of scope admin, and this one has scope observe; create one on the host's machine with `agenthost token create --scope admin`",
  ],
  [
    scope('x-later'),
    "that requires a token of scope interact, and this one has scope observe; create one on the host's machine with `agenthost token create --scope interact`",
  ],
  [
    { kind: 'limit', of: 'terminals', max: 50 },
    'the host has 50 terminals, the maximum: `agenthost term list` lists them, `agenthost term kill` ends one',
  ],
  [{ kind: 'limit', of: 'chats', max: 100 }, 'the session has 100 chats, the maximum: remove one first'],
  [
    { kind: 'size', field: 'action.title', unit: 'characters', max: 512, actual: 12_582_912 },
    'title: at most 512 characters, got 12,582,912',
  ],
  [
    { kind: 'size', field: 'config', unit: 'charactersAltogether', max: 1_000, actual: 2_000 },
    '--config: at most 1,000 characters altogether, got 2,000',
  ],
  [
    { kind: 'folder', uri: 'file:///no%20such/place', reason: 'missing' },
    'the folder /no such/place does not exist on the host',
  ],
  [
    { kind: 'folder', uri: 'file:///srv/x', reason: 'private' },
    'the folder /srv/x belongs to the host itself: choose another one',
  ],
  [
    { kind: 'folder', uri: 'file:///srv/x', reason: 'outside', roots: ['/home/a', '/work'] },
    'the folder /srv/x is not among those that the host offers: choose one within /home/a, /work',
  ],
  [
    { kind: 'folder', uri: 'file:///srv/x', reason: 'outside' },
    'the folder /srv/x is closed: the host offers folders only to tokens of scope admin',
  ],
])('the message of a refusal is built from its data, not from its text: %j', (details, told) => {
  expect(errorSentence(answer(details))).toBe(told);
  expect(rejectionSentence({ reason: 'Nein.', details })).toBe(told);
});

it.each([
  ['config.approvals', 'expected one of "ask", "all"', '--config approvals: expected one of "ask", "all"'],
  ['config.instructions', 'expected a string', '--instructions: expected a string'],
  ['config.metadata', 'expected an object', '--meta: expected an object'],
  ['name', 'expected 1 to 100 characters', '--name: expected 1 to 100 characters'],
  ['lifetimeSeconds', 'expected a whole number', '--expires, in seconds: expected a whole number'],
  ['x-env.PATH', 'holds a NUL character', '--env PATH: holds a NUL character'],
  ['offset', 'expected 0 to 3', 'offset: expected 0 to 3'],
])('the message names the option in place of the parameter %s', (parameter, problem, told) => {
  expect(errorSentence(answer({ kind: 'parameter', parameter, problem }))).toBe(told);
});

it.each([
  undefined,
  'scope',
  { kind: 'later' },
  { kind: 'scope', needed: 'all' },
  { kind: 'limit' },
  { kind: 'size', field: 'x' },
])('a refusal without data that is known here keeps the text of the host: %j', (details) => {
  expect(detailsOf(answer(details))).toBeUndefined();
  expect(errorSentence(answer(details))).toBe('Nein.');
});

it.each([
  ['No directory "file:///no%20such/place"', 'No directory "/no such/place"'],
  ['file:///srv/x: outside', '/srv/x: outside'],
  ['No directory "file:///srv/a%20%20b%09c"', 'No directory "/srv/a  b\tc"'],
  ['No directory "file:///srv/a%0Aagenthost:%20done"', 'No directory "file:///srv/a%0Aagenthost:%20done"'],
  ['No directory "file:///a%E2%80%A8b%1B[2J"', 'No directory "file:///a%E2%80%A8b%1B[2J"'],
  ['file:///no%ffutf8 is odd', 'file:///no%ffutf8 is odd'],
  ['Nothing of this kind', 'Nothing of this kind'],
])('shows files and folders as paths: %j', (said, shown) => {
  expect(errorSentence(new Error(said))).toBe(shown);
});

it('[CHAT-8] a late answer is told as one, without states of the protocol', () => {
  const late = { code: 'wrongState', reason: 'Tool call c1 is running, not pending-confirmation' };
  expect(rejectionSentence({ code: 'requestClosed', reason: 'declined already' })).toBe('declined already');
  expect(rejectionSentence(late)).toBe('it was answered or ended already');
});
